"""Time inside each MPI call, job by job and rank by rank."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import polars as pl
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pantala.errors import UsageError
from pantala.figures.call_bars import call_bars
from pantala.figures.cuts import ShownRun, mark_cuts, time_label
from pantala.figures.legend import add_key
from pantala.figures.runs import Case, Given, cases, recorded, rows_of
from pantala.figures.style import HATCHES, MUTED, PALETTE, horizontal_rows, new_figure, style
from pantala.metrics.times import OUTSIDE
from pantala.run_tables.run_like import RunLike, table
from pantala.run_tables.skipped_time import skipped_spans
from pantala.text.amounts import time_unit

__all__ = ["COMPUTING", "NO_CALL", "calls_over_time", "time_in_calls"]

#: The first part of a bar of the measure `run`, and its colour.
COMPUTING, NO_CALL = "computing", "#C9CED6"

#: Calls with a colour of their own; shorter ones share the last bar.
_CALLS = 6
_OTHER = "other calls"


def time_in_calls(
    given: Given,
    alone: Mapping[str, RunLike] | None = None,
    measure: str = "calls",
    jobs: Collection[str] = (),
) -> Figure:
    """Draws the time inside each MPI call, mean over ranks: one stacked bar per job and run.

    A bar is as long as the mean communication time of a rank, without `init` and `finalize`. With
    the measure `run`, it begins with the time of computing, as in Chunduri et al. (IPDPS 2021),
    Fig. 5 and 8. The six calls with the longest time have a colour each, shorter ones share one.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        measure: `calls`, or `run` for the time of computing too.
        jobs: only these jobs; all by default.

    Raises:
        UsageError: no rank spends time inside an MPI call, or there is no such job.
    """
    found = [
        (
            case,
            dict(
                rows.select("call", pl.col("time_ns") / _ranks(case.run, case.job))
                .filter(pl.col("time_ns") > 0, ~pl.col("call").is_in(OUTSIDE))
                .iter_rows()
            ),
        )
        for case, rows in rows_of(cases(given, alone, jobs), "calls")
    ]
    found = [(case, times) for case, times in found if times]
    if not found:
        raise UsageError(
            "figure time-in-calls: no rank waits inside an MPI call; name a run of MPI jobs"
        )
    looks = _looks([times for _, times in found])
    if measure == "run":
        found = [(case, {COMPUTING: _computing(case), **times}) for case, times in found]
        looks = {COMPUTING: (NO_CALL, ""), **looks}
    divisor, unit = time_unit(max(sum(times.values()) for _, times in found))
    with style():
        figure = new_figure(0.95 + 0.36 * len(found))
        axes = figure.add_subplot()
        positions, y = [], 0.0
        for number, (case, times) in enumerate(found):
            if number:
                y += 1.0 if found[number - 1][0].name == case.name else 1.5
            positions.append(y)
            left = 0.0
            for call, (colour, hatch) in looks.items():
                length = (
                    sum(time for other, time in times.items() if other not in looks)
                    if call == _OTHER
                    else times.get(call, 0.0)
                ) / divisor
                if length:
                    axes.barh(
                        y,
                        length,
                        0.8,
                        left=left,
                        facecolor=colour,
                        hatch=hatch,
                        edgecolor="#ffffff",
                        lw=0.4,
                    )
                left += length
        horizontal_rows(axes, [case.label for case, _ in found], positions)
        axes.set_xlim(left=0)
        what = "time in MPI calls" if measure == "calls" else "run time"
        axes.set_xlabel(f"{what} ({unit})")
        add_key(figure, _key(looks))
    return figure


def calls_over_time(
    given: Given,
    alone: Mapping[str, RunLike] | None = None,
    jobs: Collection[str] = (),
) -> Figure:
    """Draws the MPI calls of single ranks over simulated time, one panel per job and run.

    A row is a rank, a bar is a call from its start to its end. A panel has the first 16 ranks that
    the run recorded. A panel with more than 4,000 calls is an image: the more of a time passes in a
    call, the stronger is its colour. Skipped time is cut out.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        jobs: only these jobs; all by default.

    Raises:
        UsageError: a run recorded no calls, or there is no such job.
    """
    shown = cases(given, alone, jobs)
    tables = [(case, table(case.run, "call_events")) for case in shown]
    if shown and all(rows is None for _, rows in tables):
        recorded(shown[-1].run, "call_events")
    found = [
        (case, bars)
        for case, rows in tables
        if rows is not None
        and (bars := call_bars(rows.filter(pl.col("job") == case.job), skipped_spans(case.run)))
    ]
    if not found:
        raise UsageError("figure calls-over-time: no recorded call takes time; name another run")
    ends = min(bars.start_ns for _, bars in found), max(bars.end_ns for _, bars in found)
    divisor, unit = time_unit(ends[1])
    looks = _looks([bars.totals for _, bars in found])
    colours = [("" if call == _OTHER else call, colour) for call, (colour, _) in looks.items()]
    heights = [max(3, len(bars.ranks)) for _, bars in found]
    with style():
        figure = new_figure(0.8 + 0.45 * len(found) + 0.13 * sum(heights))
        panels = figure.subplots(
            len(found), 1, sharex=True, squeeze=False, height_ratios=heights
        ).ravel()
        for axes, (case, bars) in zip(panels, found, strict=True):
            bars.draw(axes, colours, ends, divisor)
            step = max(1, len(bars.ranks) // 8)
            axes.set_yticks(
                range(0, len(bars.ranks), step), [str(rank) for rank in bars.ranks[::step]]
            )
            axes.set_ylim(len(bars.ranks) - 0.5, -0.5)
            axes.tick_params(axis="y", length=0)
            axes.set_title(case.label)
            axes.set_ylabel("rank")
        panels[-1].set_xlim(ends[0] / divisor, ends[1] / divisor)
        marked = zip(panels, found, strict=True)
        mark_cuts([(axes, [ShownRun(case.run)]) for axes, (case, _) in marked], divisor)
        panels[-1].set_xlabel(time_label([case.run for case, _ in found], unit))
        add_key(
            figure, [Patch(facecolor=colour, label=call) for call, (colour, _) in looks.items()]
        )
    return figure


def _computing(case: Case) -> float:
    """Returns the mean time of computing of the ranks of a job, in ns."""
    own = case.run.ranks.filter(pl.col("job") == case.job)
    mean = own.select(pl.col("compute_time_ns").mean()).collect().item()
    return float(mean or 0.0)


def _ranks(run: RunLike, job: int) -> int:
    return int(run.ranks.filter(pl.col("job") == job).select(pl.len()).collect().item()) or 1


def _looks(totals: list[dict[str, float]]) -> dict[str, tuple[str, str]]:
    """Returns colour and hatch of the calls with the longest times, the longest first."""
    sums: dict[str, float] = {}
    for times in totals:
        for call, time in times.items():
            sums[call] = sums.get(call, 0.0) + time
    longest = sorted(sums, key=lambda call: (-sums[call], call))[:_CALLS]
    looks = {call: (PALETTE[at], HATCHES[at]) for at, call in enumerate(longest)}
    return looks | ({_OTHER: (MUTED, "")} if len(sums) > _CALLS else {})


def _key(looks: Mapping[str, tuple[str, str]]) -> list[Patch]:
    return [
        Patch(facecolor=colour, hatch=hatch, edgecolor="#ffffff", label=call)
        for call, (colour, hatch) in looks.items()
    ]
