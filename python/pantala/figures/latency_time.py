"""Packet latency of every job over simulated time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pantala.errors import UsageError
from pantala.figures.cuts import mark_cuts, of_jobs, time_label
from pantala.figures.legend import add_key, runs_key
from pantala.figures.runs import Case, Given, cases, recorded
from pantala.figures.steps import stairs, steps_of
from pantala.figures.style import MUTED, new_figure, panels_height, style
from pantala.run_tables.run_like import RunLike, table
from pantala.run_tables.skipped_time import skipped_spans, without_skipped
from pantala.text.amounts import time_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["latency_over_time"]

#: Panels share one scale unless the peak of one job exceeds another's by more than this factor.
_ONE_SCALE = 5.0
#: The maximum number of steps; beyond it, windows are joined.
_STEPS = 240
#: The width of the line of a job's p99 alone.
_THIN = 0.8
#: What gives a run each of the latencies that not every run has.
_REMEDIES = {
    "message": "name a run of MPI jobs",
    "request-response": "set machine.nic.responses = true and run the scenario again",
}


def latency_over_time(
    given: Given,
    alone: Mapping[str, RunLike] | None = None,
    measure: str = "packet",
    jobs: Collection[str] = (),
) -> Figure:
    """Draws the latency of the packets that arrive in each window, one panel per job.

    A line is the mean. If the run recorded `latency_windows`, a line is the median, and the band
    above it reaches up to p99. The p99 of a job alone is a thin dashed line. The figure follows
    Kang et al. (SC22), Fig. 7.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        measure: `packet`, `message` or `request-response`; the last two need `latency_windows`.
        jobs: only these jobs; all by default.

    Raises:
        UsageError: a run recorded no time windows, no such latency, or there is no such job.
    """
    rows, kind = cases(given, alone, jobs), measure.replace("-", "_")
    quantiles = measure != "packet" or all(
        table(case.run, "latency_windows") is not None for case in rows
    )
    # A run of a job that sends nothing, such as one that starts after the end, has no windows.
    name = "latency_windows" if quantiles else "job_windows"
    rows = [case for case in rows if table(case.run, name) is not None] or rows
    found = [(case, _quantiles(case, kind) if quantiles else _means(case)) for case in rows]
    found = [(case, series) for case, series in found if len(series[0]) > 1]
    if not quantiles:
        # Lines that are compared have steps of one length.
        least = max((float(edges[1] - edges[0]) for _, (edges, *_) in found), default=0.0)
        found = [(case, _means(case, least)) for case, _ in found]
    if measure != "packet" and not found:
        remedy = _REMEDIES[measure]
        raise UsageError(f"figure latency-over-time: the run has no {measure} latency; {remedy}")
    names = list(dict.fromkeys(case.name for case, _ in found))
    divisor, unit = time_unit(max((float(each[0][-1]) for _, each in found), default=1.0))
    peaks = [
        max(float(np.nanmax(each[-1], initial=0)) for case, each in found if case.name == name)
        for name in names
    ]
    scale, name_of_scale = time_unit(max(peaks, default=1.0))
    one_scale = max(peaks, default=0.0) <= _ONE_SCALE * min(peaks, default=0.0)
    with style():
        figure = new_figure(panels_height(len(names)))
        panels = figure.subplots(max(1, len(names)), sharex=True, squeeze=False).ravel()
        for axes, name, peak in zip(panels, names, peaks, strict=False):
            for case, (edges, *lines) in found:
                if case.name != name:
                    continue
                if len(lines) > 1 and not case.alone:
                    stairs(
                        axes,
                        lines[1] / scale,
                        edges / divisor,
                        baseline=lines[0] / scale,
                        fill=True,
                        color=case.colour,
                        alpha=0.2,
                    )
                elif len(lines) > 1:
                    tail = {**case.line, "lw": _THIN}
                    stairs(axes, lines[1] / scale, edges / divisor, baseline=None, **tail)
                stairs(axes, lines[0] / scale, edges / divisor, baseline=None, **case.line)
            axes.set_title(name)
            axes.grid(axis="y")
            axes.margins(x=0)
            axes.set_ylim(0, 1.05 * (max(peaks) if one_scale else peak) / scale or 1.0)
        shown = list({id(case.run): case.run for case, _ in found}.values())
        mark_cuts(of_jobs(panels, names, [case for case, _ in found]), divisor)
        panels[-1].set_xlabel(time_label(shown, unit))
        words = "median to p99" if quantiles else "mean"
        figure.supylabel(f"{measure} latency, {words} ({name_of_scale})", fontsize=9)
        shown_cases = [case for case, _ in found]
        add_key(figure, [*runs_key(shown_cases), *(_tails_key(shown_cases) if quantiles else [])])
    return figure


def _tails_key(rows: Sequence[Case]) -> list[Artist]:
    """Returns what shows the p99 of jobs alone and of others, if the figure has both."""
    alone = next((case for case in rows if case.alone), None)
    if alone is None:
        return []
    line = {**alone.line, "color": MUTED, "lw": _THIN}
    return [
        Line2D([], [], label="p99 alone", **line),
        Patch(facecolor=MUTED, alpha=0.3, label="median to p99 together"),
    ]


def _means(case: Case, least_ns: float = 0.0) -> tuple[NDArray[Any], ...]:
    """Returns the edges of the windows and the mean latency in each; nan without a packet."""
    frame = (
        recorded(case.run, "job_windows")
        .filter(pl.col("job") == case.job, pl.col("packets") > 0)
        .select("window_start_ns", "window_ns", "packets", "latency_mean_ns")
        .collect()
    )
    if frame.is_empty():
        return np.zeros(0), np.zeros(0)
    length = float(case.run.document["plan"]["record"]["window_ps"]) / 1000
    end = float((frame["window_start_ns"] + frame["window_ns"]).to_numpy().max())
    spans = skipped_spans(case.run)
    starts = without_skipped(spans, frame["window_start_ns"].to_numpy())
    end, packets = float(without_skipped(spans, np.array(end))), frame["packets"].to_numpy()
    steps = steps_of(starts, length, end, _STEPS, least_ns)
    sums = steps.sums(starts, frame["latency_mean_ns"].to_numpy() * packets)
    counts = steps.sums(starts, packets)
    means = np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)
    return steps.edges_ns, means


def _quantiles(case: Case, kind: str) -> tuple[NDArray[Any], ...]:
    """Returns the edges of the windows, and the median and p99 in each; nan without one."""
    frame = (
        recorded(case.run, "latency_windows")
        .filter(pl.col("job") == case.job, pl.col("kind") == kind)
        .sort("window_start_ns")
        .collect()
    )
    if frame.is_empty():
        return np.zeros(0), np.zeros(0), np.zeros(0)
    starts = without_skipped(skipped_spans(case.run), frame["window_start_ns"].to_numpy())
    length = float(case.run.document["plan"]["record"]["latency_windows_ps"]) / 1000
    at = np.rint(starts / length).astype(int)
    lines = frame.select("p50_ns", "p99_ns").to_numpy().T
    # Percentiles of windows cannot be joined. Windows without a row between two others are one gap.
    before = np.append(0, at[:-1] + 1) if 2 * at[0] <= at[-1] else np.append(at[0], at[:-1] + 1)
    gaps = np.flatnonzero(before < at)
    edges = np.append(np.insert(at, gaps, before[gaps]), at[-1] + 1) * length
    return edges, *np.insert(lines, gaps, np.nan, axis=1)
