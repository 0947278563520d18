"""The figures of an experiment's report: grids of bars over two axes, box plots over seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import polars as pl

from pantala.comparison.ranking import Ranking
from pantala.comparison.subject import SEED, Subject
from pantala.experiments.parts import TOGETHER
from pantala.experiments.statistics import mean_interval
from pantala.figures.grid import Bar, bar_grid
from pantala.figures.seeds import Box, seed_boxes
from pantala.report.formatting import count
from pantala.report.picture import KANG, YANG, Picture, picture

__all__ = ["grids", "seed_pictures"]

_TIME = "communication_time_mean_ns"
#: Grids of the page: one for each combination of the axes beyond two.
_MOST_GRIDS = 12
#: Rows of bars or boxes that a figure can show legibly, and columns of panels.
_MOST_ROWS, _MOST_COLUMNS = 40, 8


def grids(subject: Subject, values: pl.DataFrame) -> dict[str, Picture]:
    """Returns the grids of communication time by key: ``grid-0``, ``grid-1``, ...

    The two axes with most values go down and across. Other axes have one grid for each of their
    combinations.
    """
    sizes = {axis: subject.runs[axis].n_unique() for axis in subject.axes}
    order = sorted(subject.axes, key=lambda axis: -sizes[axis])
    shown = [axis for axis in subject.axes if axis in order[:2]]
    # The axis with more values goes down, where there is more room.
    shown.sort(key=lambda axis: -sizes[axis])
    if len(shown) == 2 and sizes[shown[1]] > _MOST_COLUMNS:
        shown = shown[:1]
    others = [axis for axis in subject.axes if axis not in shown]
    times = values.filter(pl.col("whole"), pl.col("metric") == _TIME)
    found = {}
    combinations = _combinations(times, others)
    for number, combination in enumerate(combinations[:_MOST_GRIDS]):
        rows = times.filter(
            *(pl.col(axis) == value for axis, value in zip(others, combination, strict=True))
        )
        bars = list(islice(_bars(rows, shown), 400))
        if not bars:
            continue
        where = ", ".join(
            f"{axis} = {value}" for axis, value in zip(others, combination, strict=True)
        )
        cut = len(combinations) - _MOST_GRIDS
        found[f"grid-{number}"] = picture(
            f"grid-{number}",
            "Communication time" + (f", {where}" if where else ""),
            "Each bar is the mean over seeds of the mean over the job's ranks. The whisker is its"
            " 95 % interval; without one, there is one run. The panels of a job share a scale."
            + (
                f" {count(cut)} more combinations are in the tables only."
                if cut > 0 and number == _MOST_GRIDS - 1
                else ""
            ),
            f"{KANG}, Fig. 4",
            "Bars of communication time by configuration; the tables below have the numbers.",
            bar_grid(bars, "communication time", shown or ["one case"]),
        )
    return found


def _combinations(times: pl.DataFrame, others: Sequence[str]) -> list[tuple[str, ...]]:
    """Returns the values of the axes that have no place in a grid; one empty one without them."""
    if not others:
        return [()]
    return list(times.select(others).unique(maintain_order=True).iter_rows())


def _bars(times: pl.DataFrame, shown: Sequence[str]) -> Iterator[Bar]:
    """Yields the bars of one grid in the order of the cases."""
    keys = ["job", *shown]
    alone = times.filter(pl.col("part").str.starts_with("alone"))
    means = {
        tuple(key): value
        for *key, value in alone.group_by(keys).agg(pl.col("value").mean()).iter_rows()
    }
    together = times.filter(pl.col("part") == TOGETHER)
    grouped = together.group_by(keys, maintain_order=True).agg("value")
    for *key, sample in grouped.iter_rows():
        interval = mean_interval(sample)
        row = key[1] if len(key) > 1 else ""
        column = key[2] if len(key) > 2 else ""
        ends = (interval.mean, interval.low, interval.high)
        yield Bar(key[0], row, column, *ends, means.get(tuple(key)))


def seed_pictures(
    subject: Subject, values: pl.DataFrame, rankings: Sequence[Ranking]
) -> dict[str, Picture]:
    """Returns the box plots over seeds by key, one per job; none if no case has several seeds."""
    found = {}
    for number, ranking in enumerate(rankings):
        rows = values.filter(
            pl.col("whole"),
            pl.col("metric") == ranking.metric,
            pl.col("job") == ranking.job,
            pl.col("part") == TOGETHER,
        )
        samples: dict[tuple[str, ...], list[float]] = {}
        for *case, value in rows.sort(SEED).select(*subject.axes, "value").iter_rows():
            samples.setdefault(tuple(case), []).append(value)
        if not any(len(sample) > 1 for sample in samples.values()):
            continue
        cases = [ranked.case for ranked in ranking.ranked][:_MOST_ROWS]
        cut = len(samples) - len(cases)
        boxes = [
            Box(", ".join(case) or ranking.job, case[0] if case else "", samples[case])
            for case in cases
        ]
        found[f"seeds-{number}"] = picture(
            f"seeds-{number}",
            f"{ranking.job}: {ranking.label} over seeds",
            "A row is a configuration, from the lowest mean to the highest. A point is one run."
            " Boxes reach from the first to the third quartile, whiskers to the extremes."
            + (f" {count(cut)} more configurations are in the table only." if cut > 0 else ""),
            f"{YANG}, Fig. 3",
            f"Box plots of {ranking.label} of {ranking.job} by configuration.",
            seed_boxes(boxes, ranking.label),
        )
    return found
