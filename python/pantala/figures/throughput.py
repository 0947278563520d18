"""Throughput of every job over simulated time."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pantala.errors import UsageError
from pantala.figures.cuts import mark_cuts, of_jobs, time_label
from pantala.figures.legend import add_key, runs_key
from pantala.figures.runs import Case, Given, cases, refuse_not_kept
from pantala.figures.steps import stairs, steps_of
from pantala.figures.style import MUTED, new_figure, panels_height, style
from pantala.run_tables.run_like import RunLike, job_row, table
from pantala.run_tables.skipped_time import skipped_spans, without_skipped
from pantala.text.amounts import join, time_unit

__all__ = ["throughput", "throughput_windows"]

#: The maximum number of steps in a figure; more steps cannot be told apart, so windows are joined.
MAX_STEPS = 240
# Panels share one scale unless the peak of one job exceeds another's by more than this factor: the
# smaller would look flat.
_ONE_SCALE = 5.0
#: The ends of two jobs that are nearer than this share of the time have one label.
_APART = 0.18


def throughput(
    given: Given,
    alone: Mapping[str, RunLike] | None = None,
    jobs: Collection[str] = (),
) -> Figure:
    """Draws the delivered throughput of each job over time, one panel per job.

    Lines of jobs alone are dashed, lines of jobs together are solid. The figure follows Kang et al.
    (SC22), Fig. 5 and 9. A dotted line marks the end of another job of the same run. The panels
    share one scale unless a job's peak is more than five times another's.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        jobs: only these jobs; all by default.

    Raises:
        UsageError: no packet entered the network, a sweep did not keep the table, or there is no
            such job.
    """
    found = [(case, throughput_windows(case.run, case.job)) for case in cases(given, alone, jobs)]
    # Lines that are compared have steps of one length: the mean over a longer step has lower peaks.
    least = max((_step(frame) for _, frame in found if frame is not None), default=0.0)
    found = [
        (
            case,
            frame
            if frame is None or _step(frame) >= least
            else throughput_windows(case.run, case.job, least),
        )
        for case, frame in found
    ]
    rows = [(case, frame) for case, frame in found if frame is not None]
    if not rows:
        for case, _ in found:
            refuse_not_kept(case.run, "job_windows")
        raise UsageError("figure throughput: no packet entered the network; name another run")
    names = list(dict.fromkeys(case.name for case, _ in rows))
    longest = max((frame["end_ns"][-1] for _, frame in rows), default=1.0)
    divisor, unit = time_unit(longest)
    peaks = [
        max(max(frame["gb_per_s"]) for case, frame in rows if case.name == name) for name in names
    ]
    one_scale = max(peaks, default=0.0) <= _ONE_SCALE * min(peaks, default=0.0)
    with style():
        figure = new_figure(panels_height(len(names)))
        panels = figure.subplots(max(1, len(names)), sharex=True, squeeze=False).ravel()
        for axes, name, peak in zip(panels, names, peaks, strict=False):
            for case, frame in rows:
                if case.name == name:
                    _line(axes, case, frame, divisor)
            if not isinstance(given, Mapping):
                _ends_of_others(axes, name, given, divisor, longest)
            axes.set_title(name)
            axes.grid(axis="y")
            axes.margins(x=0)
            # The room at the top is for the labels of the dotted lines.
            axes.set_ylim(0, 1.15 * (max(peaks) if one_scale else peak) or 1.0)
        shown = list({id(case.run): case.run for case, _ in rows}.values())
        mark_cuts(of_jobs(panels, names, [case for case, _ in rows]), divisor)
        panels[-1].set_xlabel(time_label(shown, unit))
        figure.supylabel("delivered throughput (GB/s)", fontsize=9)
        add_key(figure, runs_key([case for case, _ in rows]))
    return figure


def throughput_windows(run: RunLike, job: int, least_ns: float = 0.0) -> pl.DataFrame | None:
    """Returns the delivered throughput of one job in steps: `start_ns`, `end_ns`, `gb_per_s`.

    All steps have equal length. They start at 0, or with the first window if nothing happens in the
    first half of the time. A window without a row counts as zero. Skipped time is cut out. The
    result is None if the run recorded no windows for the job.

    Args:
        run: the run.
        job: the number of the job.
        least_ns: the shortest length of a step.
    """
    lazy = table(run, "job_windows")
    if lazy is None:
        return None
    frame = (
        lazy.filter(pl.col("job") == job)
        .select("window_start_ns", "window_ns", "delivered_bytes")
        .collect()
    )
    if frame.is_empty():
        return None
    length = float(run.document["plan"]["record"]["window_ps"]) / 1000
    start, width = frame["window_start_ns"].to_numpy(), frame["window_ns"].to_numpy()
    end = float((start + width).max())
    spans = skipped_spans(run)
    start, end = without_skipped(spans, start), float(without_skipped(spans, np.array(end)))
    steps = steps_of(start, length, end, MAX_STEPS, least_ns)
    delivered = steps.sums(start, frame["delivered_bytes"].to_numpy())
    edges = steps.edges_ns
    # bytes / ns is GB/s
    return pl.DataFrame(
        {"start_ns": edges[:-1], "end_ns": edges[1:], "gb_per_s": delivered / steps.widths_ns}
    )


def _step(frame: pl.DataFrame) -> float:
    return float(frame["end_ns"][0] - frame["start_ns"][0])


def _line(axes: Axes, case: Case, frame: pl.DataFrame, divisor: float) -> None:
    edges = np.append(frame["start_ns"].to_numpy(), frame["end_ns"][-1]) / divisor
    values = frame["gb_per_s"].to_numpy()
    if not case.alone and not case.place:
        stairs(axes, values, edges, color=case.colour, fill=True, alpha=0.18)
    stairs(axes, values, edges, baseline=None, **case.line)


def _ends_of_others(axes: Axes, name: str, run: RunLike, divisor: float, longest_ns: float) -> None:
    ends = {case.name: (case, end) for case in cases(run) if (end := _end(case)) is not None}
    if name not in ends or len(ends) > 3:
        return
    others = [
        (case, end) for case, end in ends.values() if case.name != name and end < ends[name][1]
    ]
    for case, end in others:
        axes.axvline(end / divisor, color=case.colour, lw=1.1, ls=":")
    for end, names in _joined({case.name: end for case, end in others}, _APART * longest_ns):
        axes.annotate(
            f"{join(names)} {'ends' if len(names) == 1 else 'end'}",
            (end / divisor, 1),
            (4, -2),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            va="top",
            fontsize=8,
            color=MUTED,
        )


def _joined(ends: Mapping[str, float], apart_ns: float) -> list[tuple[float, list[str]]]:
    """Returns the words of ends by time; those nearer to each other than a distance are joined.

    Args:
        ends: the end of each job.
        apart_ns: the distance.

    Returns:
        The last end of each group, and its jobs.
    """
    found: list[tuple[float, list[str]]] = []
    for name, end in sorted(ends.items(), key=lambda each: each[1]):
        if found and end - found[-1][0] < apart_ns:
            found[-1] = (end, [*found[-1][1], name])
        else:
            found.append((end, [name]))
    return found


def _end(case: Case) -> float | None:
    end: float | None = job_row(case.run, case.job)["end_ns"]
    if end is None:
        return None
    return float(without_skipped(skipped_spans(case.run), np.array(end)))
