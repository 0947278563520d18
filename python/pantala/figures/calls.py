"""Time inside each MPI call, job by job and rank by rank."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pantala.errors import UsageError
from pantala.figures.legend import add_key
from pantala.figures.runs import Given, cases, rows_of
from pantala.figures.style import HATCHES, MUTED, PALETTE, horizontal_rows, new_figure, style
from pantala.metrics.times import OUTSIDE
from pantala.run_tables.run_like import RunLike
from pantala.text.amounts import time_unit

__all__ = ["calls_over_time", "time_in_calls"]

#: Calls with a colour of their own; shorter ones share the last bar.
_CALLS = 6
#: Ranks of a panel of `calls_over_time`.
_RANKS = 16
_OTHER = "other calls"


def time_in_calls(given: Given, alone: Mapping[str, RunLike] | None = None) -> Figure:
    """Draws the time inside each MPI call, mean over ranks: one stacked bar per job and run.

    A bar is as long as the mean communication time of a rank, without `init` and `finalize`.
    The six calls with the longest time have a colour each, shorter ones share one.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.

    Raises:
        UsageError: no rank spends time inside an MPI call.
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
        for case, rows in rows_of(cases(given, alone), "calls")
    ]
    found = [(case, times) for case, times in found if times]
    if not found:
        raise UsageError(
            "figure time-in-calls: no rank waits inside an MPI call; name a run of MPI jobs"
        )
    looks = _looks([times for _, times in found])
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
        axes.set_xlabel(f"time in MPI calls ({unit})")
        add_key(figure, _key(looks))
    return figure


def calls_over_time(given: Given, alone: Mapping[str, RunLike] | None = None) -> Figure:
    """Draws the MPI calls of single ranks over simulated time, one panel per job and run.

    A row is a rank, a bar is a call from its start to its end. A panel has the first 16 ranks that
    the run recorded.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.

    Raises:
        UsageError: a run recorded no calls.
    """
    found = rows_of(cases(given, alone), "call_events", _of_first_ranks)
    if not found:
        raise UsageError("figure calls-over-time: no recorded call takes time; name another run")
    start = min(float(rows["start_ns"].to_numpy().min()) for _, rows in found)
    end = max(float(rows["end_ns"].to_numpy().max()) for _, rows in found)
    divisor, unit = time_unit(end)
    totals = [
        dict(rows.group_by("call").agg(pl.col("time_ns").sum()).iter_rows()) for _, rows in found
    ]
    looks = _looks(totals)
    ranks = [sorted(rows["rank"].unique().to_list()) for _, rows in found]
    heights = [max(3, len(each)) for each in ranks]
    with style():
        figure = new_figure(0.8 + 0.45 * len(found) + 0.13 * sum(heights))
        panels = figure.subplots(
            len(found), 1, sharex=True, squeeze=False, height_ratios=heights
        ).ravel()
        for axes, (case, rows), shown in zip(panels, found, ranks, strict=True):
            named = (
                pl.when(pl.col("call").is_in(list(looks))).then("call").otherwise(pl.lit(_OTHER))
            )
            drawn = (
                rows.group_by("rank", named.alias("look"))
                .agg("start_ns", length=pl.col("end_ns") - pl.col("start_ns"))
                .sort("rank", "look")
            )
            for rank, look, starts, lengths in drawn.iter_rows():
                axes.broken_barh(
                    [
                        (at / divisor, long / divisor)
                        for at, long in zip(starts, lengths, strict=True)
                    ],
                    (shown.index(rank) - 0.42, 0.84),
                    facecolor=looks[look][0],
                    lw=0,
                    rasterized=rows.height > _VECTOR,
                )
            step = max(1, len(shown) // 8)
            axes.set_yticks(range(0, len(shown), step), [str(rank) for rank in shown[::step]])
            axes.set_ylim(len(shown) - 0.5, -0.5)
            axes.tick_params(axis="y", length=0)
            axes.set_title(case.label)
            axes.set_ylabel("rank")
        panels[-1].set_xlim(start / divisor, end / divisor)
        panels[-1].set_xlabel(f"simulated time ({unit})")
        add_key(
            figure, [Patch(facecolor=colour, label=call) for call, (colour, _) in looks.items()]
        )
    return figure


#: More bars than this are drawn as an image inside a vector figure.
_VECTOR = 4000


def _of_first_ranks(events: pl.LazyFrame) -> pl.LazyFrame:
    """Returns the calls that take time of the first ranks that have any."""
    lasting = events.filter(pl.col("end_ns") > pl.col("start_ns"))
    ranks = lasting.select(pl.col("rank").unique()).collect()["rank"].sort().head(_RANKS)
    return lasting.filter(pl.col("rank").is_in(ranks.to_list())).select(
        "rank", "call", "start_ns", "end_ns", "time_ns"
    )


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
