"""The figures of an experiment's report: grids of bars over two axes, box plots over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import polars as pl

from pantala.analysis.attribution import METHODS
from pantala.comparison.labels import label_of, unit_of
from pantala.comparison.quantities import quantity
from pantala.comparison.ranking import Ranking
from pantala.comparison.subject import SEED, Subject
from pantala.comparison.values import distinct_values
from pantala.experiments.experiment import Experiment
from pantala.figures.cases import (
    MOST_ROWS,
    bars_of,
    boxes_of,
    coloured_axis,
    grid_axes,
    jobs_in_order,
)
from pantala.figures.effects import effect_matrix
from pantala.figures.grid import bar_grid
from pantala.figures.seeds import Box, seed_boxes
from pantala.report.page_figure import KANG, YANG, PageFigure, page_figure
from pantala.text.amounts import count

__all__ = ["effect_figures", "grids", "seed_figures"]

#: Grids of the page: one for each combination of the axes beyond two.
_MOST_GRIDS = 12
#: Quotation marks around a configuration: its values have commas between them.
_OPEN, _CLOSE = "\N{LEFT DOUBLE QUOTATION MARK}", "\N{RIGHT DOUBLE QUOTATION MARK}"


def grids(subject: Subject, values: pl.DataFrame, metric: str) -> dict[str, PageFigure]:
    """Returns the grids of a metric by key: ``grid-METRIC-0``, ``grid-METRIC-1``, ...

    The two axes with most values go down and across. Other axes have one grid for each of their
    combinations.
    """
    shown = grid_axes(subject)
    others = [axis for axis in subject.axes if axis not in shown]
    jobs = jobs_in_order(subject, values)
    times = values.filter(pl.col("whole"), pl.col("metric") == metric)
    times = distinct_values(times, subject.axes)
    found = {}
    combinations = _combinations(times, others)
    for number, combination in enumerate(combinations[:_MOST_GRIDS]):
        rows = times.filter(
            *(pl.col(axis) == value for axis, value in zip(others, combination, strict=True))
        )
        bars = list(islice(bars_of(rows, shown), 400))
        if not bars:
            continue
        where = ", ".join(
            f"{axis} = {value}" for axis, value in zip(others, combination, strict=True)
        )
        cut = len(combinations) - _MOST_GRIDS
        key = f"grid-{metric}-{number}"
        label = label_of(metric)
        mean = (
            "mean over seeds of the mean over the job's ranks"
            if metric == "communication_time_mean_ns"
            else "mean over seeds"
        )
        found[key] = page_figure(
            key,
            label[0].upper() + label[1:] + (f", {where}" if where else ""),
            f"Each bar is the {mean}. The whisker is its 95 % interval; without one, there is one"
            " value: one run, or seeds with equal results. The panels of a job share a scale."
            + (
                f" {count(cut)} more combinations are in the tables only."
                if cut > 0 and number == _MOST_GRIDS - 1
                else ""
            ),
            f"{KANG}, Fig. 4",
            f"Bars of {label} by configuration; the tables below have the numbers.",
            bar_grid(bars, label, shown or ["one case"], unit_of(metric), jobs),
        )
    return found


def effect_figures(experiment: Experiment) -> dict[str, PageFigure]:
    """Returns the matrices of who slows whom by key: ``effects-0``, ``effects-1``, ...

    There are none unless the scenario or an axis asks for pairs or leaves jobs out.
    """
    if not experiment.methods:
        return {}
    effects = experiment.effects().filter(pl.col("method").is_in(experiment.methods))
    others = [axis for axis in experiment.axes if axis != SEED]
    found: dict[str, PageFigure] = {}
    cases = effects.group_by([*others, "method"], maintain_order=True)
    for place, rows in islice(cases, _MOST_GRIDS):
        *case, method = place
        where = ", ".join(f"{axis} = {value}" for axis, value in zip(others, case, strict=True))
        title = "Which job slows which"
        if method == "leave_one_out":
            title = "The effect of removing a job"
        key = f"effects-{len(found)}"
        found[key] = page_figure(
            key,
            title + (f", {where}" if where else ""),
            f"A cell is a slowdown, mean over seeds with its 95 % interval: {METHODS[str(method)]}."
            " Orange cells are slower, blue cells are faster; a cell whose interval includes one"
            " has no colour.",
            "",
            "Matrices of slowdowns by victim and aggressor.",
            effect_matrix(rows, str(method)),
        )
    return found


def _combinations(times: pl.DataFrame, others: Sequence[str]) -> list[tuple[str, ...]]:
    """Returns the values of the axes that have no place in a grid; one empty one without them."""
    if not others:
        return [()]
    return list(times.select(others).unique(maintain_order=True).iter_rows())


def seed_figures(
    subject: Subject, values: pl.DataFrame, rankings: Sequence[Ranking]
) -> dict[str, PageFigure]:
    """Returns the box plots over seeds by key, one per job; none if no case has several seeds."""
    found = {}
    jobs = jobs_in_order(subject, values)
    for number, ranking in enumerate(rankings):
        every = boxes_of(values, ranking, subject.axes)
        if not any(len(box.values) > 1 for box in every):
            continue
        boxes = every[:MOST_ROWS]
        cut = len(every) - len(boxes)
        axis = coloured_axis(ranking, subject.axes)
        order = subject.runs[axis].unique(maintain_order=True).to_list() if axis else jobs
        found[f"seeds-{number}"] = page_figure(
            f"seeds-{number}",
            f"{ranking.job}: {ranking.label} over seeds",
            _boxes_in_words(every, ranking)
            + (f" {count(cut)} more configurations are in the table only." if cut > 0 else ""),
            f"{YANG}, Fig. 3",
            f"Box plots of {ranking.label} of {ranking.job} by configuration.",
            seed_boxes(boxes, ranking.label, unit_of(ranking.metric), order, axis),
        )
    return found


def _boxes_in_words(boxes: Sequence[Box], ranking: Ranking) -> str:
    """Returns what a box plot shows: its rows, their order, and where seeds differ most."""
    numbers = sorted({len(box.values) for box in boxes})
    runs = " to ".join(map(count, {numbers[0]: 0, numbers[-1]: 0}))
    points = f"{runs} point{'' if numbers == [1] else 's'}{' each' * (len(boxes) > 1)}"
    text = f"{ranking.job} in one configuration: {points}."
    if len(boxes) > 1:
        text = (
            f"{ranking.job} in {count(len(boxes))} configurations with {points}, from the lowest"
            f" mean ({_OPEN}{boxes[0].label}{_CLOSE}) to the highest"
            f" ({_OPEN}{boxes[-1].label}{_CLOSE})."
        )
    widest = max(boxes, key=lambda box: max(box.values) - min(box.values))
    low, high = (quantity(ranking.metric, end(widest.values)) for end in (min, max))
    where = f" in {_OPEN}{widest.label}{_CLOSE}"
    return f"{text} Seeds differ most{where * (len(boxes) > 1)}: from {low} to {high}."
