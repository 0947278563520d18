"""The cases of a sweep for `bar_grid`, `seed_boxes` and `effect_matrix`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl
from matplotlib.figure import Figure

from pantala.analysis.statistics import mean_interval
from pantala.comparison.labels import label_of, unit_of
from pantala.comparison.ranking import RANKED_BY, Ranking, ranking_of
from pantala.comparison.subject import SEED, Subject, subject_of
from pantala.comparison.values import check_metrics, distinct_values, values_of, values_with_means
from pantala.errors import UsageError, nearest
from pantala.experiments.axis_values import axis_value
from pantala.experiments.experiment import Experiment
from pantala.figures.effects import effect_matrix
from pantala.figures.grid import Bar, bar_grid
from pantala.figures.seeds import Box, seed_boxes
from pantala.runs.parts import TOGETHER

__all__ = [
    "MOST_ROWS",
    "bars_of",
    "boxes_of",
    "boxes_of_sweep",
    "coloured_axis",
    "effects_of_sweep",
    "grid_axes",
    "grid_of_sweep",
    "jobs_in_order",
]

#: Rows of bars or boxes that a figure can show legibly, and columns of panels.
MOST_ROWS, _MOST_COLUMNS = 40, 8


def grid_axes(subject: Subject) -> list[str]:
    """Returns the one or two axes of a grid: those with most values, the larger one first.

    The first axis goes down, where there is more room.
    """
    sizes = {axis: subject.runs[axis].n_unique() for axis in subject.axes}
    order = sorted(subject.axes, key=lambda axis: -sizes[axis])
    shown = [axis for axis in subject.axes if axis in order[:2]]
    shown.sort(key=lambda axis: -sizes[axis])
    if len(shown) == 2 and sizes[shown[1]] > _MOST_COLUMNS:
        return shown[:1]
    return shown


def bars_of(values: pl.DataFrame, shown: Sequence[str]) -> Iterator[Bar]:
    """Yields the bars of one grid in the order of the cases.

    Args:
        values: rows of `values_of` of one metric, one row per seed with a result of its own.
        shown: the axes of the grid.
    """
    keys = ["job", *shown]
    alone = values.filter(pl.col("part").str.starts_with("alone"))
    means = {
        tuple(key): value
        for *key, value in alone.group_by(keys).agg(pl.col("value").mean()).iter_rows()
    }
    together = values.filter(pl.col("part") == TOGETHER)
    grouped = together.group_by(keys, maintain_order=True).agg("value")
    for *key, sample in grouped.iter_rows():
        interval = mean_interval(sample)
        row = key[1] if len(key) > 1 else ""
        column = key[2] if len(key) > 2 else ""
        ends = (interval.mean, interval.low, interval.high)
        yield Bar(key[0], row, column, *ends, means.get(tuple(key)))


def jobs_in_order(subject: Subject, values: pl.DataFrame) -> list[str]:
    """Returns the jobs of a sweep in the order of its plans, whose places give the colours.

    Args:
        subject: the sweep.
        values: its values; a job that only some cases have comes last.
    """
    runs = subject.there().filter(pl.col("part") == TOGETHER)["run"].drop_nulls()
    known = [job["name"] for run in runs.head(1) for job in subject.run(run).plan["jobs"]]
    others = values["job"].unique(maintain_order=True).to_list()
    return list(dict.fromkeys([*known, *(name for name in others if name)]))


def coloured_axis(ranking: Ranking, axes: Sequence[str]) -> str:
    """Returns the axis whose values have the colours in the boxes of one job.

    It is the first of several with more than one value. The result is empty for one such axis,
    whose values the rows name: then all boxes have the job's colour.
    """
    cases = [ranked.case for ranked in ranking.ranked]
    several = [axis for at, axis in enumerate(axes) if len({case[at] for case in cases}) > 1]
    return several[0] if len(several) > 1 else ""


def boxes_of(values: pl.DataFrame, ranking: Ranking, axes: Sequence[str]) -> list[Box]:
    """Returns a box per configuration of a job, from the lowest mean to the highest.

    Args:
        values: rows of `values_of`.
        ranking: the job, its metric and the order of its configurations.
        axes: the axes without the seed.
    """
    rows = values.filter(
        pl.col("whole"),
        pl.col("metric") == ranking.metric,
        pl.col("job") == ranking.job,
        pl.col("part") == TOGETHER,
    )
    samples: dict[tuple[str, ...], list[float]] = {}
    for *case, value in distinct_values(rows, axes).sort(SEED).select(*axes, "value").iter_rows():
        samples.setdefault(tuple(case), []).append(value)
    axis = coloured_axis(ranking, axes)
    at = axes.index(axis) if axis else None
    return [
        Box(", ".join(case) or ranking.job, ranking.job if at is None else case[at], samples[case])
        for case in (ranked.case for ranked in ranking.ranked)
    ]


def grid_of_sweep(
    experiment: Experiment,
    metric: str | None = None,
    job: str | None = None,
    where: Mapping[str, str] | None = None,
) -> Figure:
    """Draws the bars of a metric over one or two axes of a sweep.

    Raises:
        UsageError: there is no such metric, job or axis, or the sweep has more axes.
    """
    subject, values, metric, jobs = _values(experiment, metric, job, where)
    shown = grid_axes(subject)
    rows = values.filter(pl.col("whole"), pl.col("metric") == metric)
    others = [
        axis for axis in subject.axes if axis not in shown and subject.runs[axis].n_unique() > 1
    ]
    if others:
        text = ", ".join(f"{axis} ({_listed(subject, axis)})" for axis in others)
        raise UsageError(
            f"figure bar-grid: shows {' and '.join(shown)}; choose a value of each other axis with"
            f" --where AXIS=VALUE: {text}"
        )
    bars = list(bars_of(distinct_values(rows, subject.axes), shown))
    if len({(bar.job, bar.row) for bar in bars}) > MOST_ROWS:
        raise _too_many("bar-grid", len({(bar.job, bar.row) for bar in bars}))
    return bar_grid(bars, label_of(metric), shown or ["one case"], unit_of(metric), jobs)


def boxes_of_sweep(
    experiment: Experiment,
    metric: str | None = None,
    job: str | None = None,
    where: Mapping[str, str] | None = None,
) -> Figure:
    """Draws the values of a metric over the seeds of each case of a sweep.

    Raises:
        UsageError: there is no such metric, job or axis, or there are more boxes than fit.
    """
    subject, values, metric, jobs = _values(experiment, metric, job, where)
    rankings = ranking_of(values, subject.axes, metrics=(metric,))
    boxes = []
    for ranking in rankings:
        for box in boxes_of(values, ranking, subject.axes):
            if len(rankings) > 1:
                label = f"{ranking.job}: {box.label}" if subject.axes else box.label
                box = Box(label, ranking.job, box.values)
            boxes.append(box)
    if len(boxes) > MOST_ROWS:
        raise _too_many("seed-boxes", len(boxes))
    axis = coloured_axis(rankings[0], subject.axes) if len(rankings) == 1 else ""
    order = subject.runs[axis].unique(maintain_order=True).to_list() if axis else jobs
    label = label_of(metric)
    if len(rankings) == 1 and len(jobs) > 1:
        label += f" of {rankings[0].job}"
    return seed_boxes(boxes, label, unit_of(metric), order, axis)


def effects_of_sweep(experiment: Experiment, where: Mapping[str, str] | None = None) -> Figure:
    """Draws the effects of jobs on each other in one case of a sweep, means over seeds.

    Raises:
        UsageError: several cases are left, or the sweep has no effects.
    """
    subject = _subject(experiment, where)
    effects = experiment.effects()
    if effects.is_empty():
        return effect_matrix(effects)  # says what is missing
    for axis, value in (where or {}).items():
        texts = effects[axis].cast(pl.String)
        effects = effects.filter(texts == axis_value(value, texts.unique()))
    several = [axis for axis in subject.axes if subject.runs[axis].n_unique() > 1]
    if several:
        text = ", ".join(f"{axis} ({_listed(subject, axis)})" for axis in several)
        raise UsageError(
            f"figure effect-matrix: shows one case; choose it with --where AXIS=VALUE: {text}"
        )
    return effect_matrix(effects)


def _subject(experiment: Experiment, where: Mapping[str, str] | None) -> Subject:
    subject = subject_of(experiment, experiment.name)
    for axis, value in (where or {}).items():
        if axis not in subject.axes:
            close = nearest(axis, subject.axes)
            hint = f"did you mean '{close}'?" if close else "its axes are: "
            hint += "" if close else ", ".join(subject.axes) or "none"
            raise UsageError(f"--where {axis}={value}: {experiment.path} has no such axis; {hint}")
    return subject.where(where or {})


def _values(
    experiment: Experiment, metric: str | None, job: str | None, where: Mapping[str, str] | None
) -> tuple[Subject, pl.DataFrame, str, list[str]]:
    """Returns the chosen cases, their values, the metric, and all jobs in the plan's order."""
    check_metrics([metric] if metric else [])
    subject = _subject(experiment, where)
    wanted = (metric,) if metric else RANKED_BY
    values = values_of(subject, wanted).filter(pl.col("job") != "")
    order = jobs_in_order(subject, values)
    if job is not None:
        jobs = values["job"].unique(maintain_order=True).to_list()
        if job not in jobs:
            close = nearest(job, jobs)
            hint = f"did you mean '{close}'?" if close else f"its jobs are: {', '.join(jobs)}"
            raise UsageError(f"--job {job}: {experiment.path} has no such job; {hint}")
        values = values.filter(pl.col("job") == job)
    values = values_with_means(subject, values)
    known = set(values.filter(pl.col("whole"))["metric"])
    found = next((name for name in wanted if name in known), None)
    if found is None:
        raise UsageError(
            f"{experiment.path}: no job has a whole value of {' or '.join(wanted)}; choose another"
            " --metric (pantala metrics lists them), or wait until runs have ended"
        )
    return subject, values, found, order


def _listed(subject: Subject, axis: str) -> str:
    return ", ".join(subject.runs[axis].unique(maintain_order=True))


def _too_many(kind: str, rows: int) -> UsageError:
    return UsageError(
        f"figure {kind}: has {rows:,} rows, and {MOST_ROWS} fit; choose with --job NAME or --where"
        " AXIS=VALUE"
    )
