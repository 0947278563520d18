"""z-scores of jobs by the number of groups that they span."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pantala.errors import UsageError, nearest
from pantala.figures.legend import add_key
from pantala.figures.style import GRID, MARKERS, MUTED, PALETTE, new_figure, style
from pantala.metrics.run_metrics import job_values
from pantala.metrics.samples import z_scores as scores_of

if TYPE_CHECKING:
    from pantala.experiments.experiment import Experiment

__all__ = ["score_panels", "scored", "z_scores", "z_scores_of_sweep"]

_TIME = "execution_time_ns"
#: The most cases of a panel.
_MOST = 8
#: The width of the points of all cases at one number of groups.
_SPREAD = 0.7


def scored(rows: pl.DataFrame, by: Sequence[str], value: str) -> pl.DataFrame:
    """Returns samples with the column ``z_score``: of a value among all samples of one kind.

    A kind with one sample is left out, because its z-score is not defined.

    Args:
        rows: the samples.
        by: the columns that make a kind.
        value: the value.
    """
    found = []
    for own in rows.partition_by(by, maintain_order=True) if by else [rows]:
        if own.height > 1:
            column = pl.Series("z_score", scores_of(own[value].to_list()), pl.Float64)
            found.append(own.with_columns(column))
    return pl.concat(found) if found else rows.clear().with_columns(z_score=pl.lit(0.0))


def z_scores(rows: pl.DataFrame, label: str) -> Figure:
    """Draws z-scores by groups spanned: a point per job and run, a line through the means.

    Each number of groups is a category between two dotted lines, in which the cases stand beside
    each other. Zero is the mean of all runs of the panel's job. Chunduri et al. (IPDPS 2021), Fig.
    3 and 4.

    Args:
        rows: ``panel``, ``series``, ``groups`` and ``z_score``.
        label: what the values are.

    Raises:
        UsageError: there is no row.
    """
    if rows.is_empty():
        raise UsageError(
            "figure z-scores: no job has two runs that ended; simulate more seeds, or give --job"
        )
    return score_panels(rows, label)


def score_panels(rows: pl.DataFrame, label: str, looks: Mapping[str, str] | None = None) -> Figure:
    """Draws the panels of `z_scores`.

    Args:
        rows: its rows, at least one.
        label: what the values are.
        looks: the colour of each series.
    """
    panels = rows["panel"].unique(maintain_order=True).to_list()
    series = rows["series"].unique(maintain_order=True).to_list()
    if len(series) > _MOST:
        raise UsageError(
            f"figure z-scores: a panel would have {len(series)} cases, more than {_MOST}; choose"
            " some with --where AXIS=VALUE"
        )
    colour = {name: PALETTE[at % len(PALETTE)] for at, name in enumerate(series)} | dict(
        looks or {}
    )
    groups = np.unique(rows["groups"].to_numpy())
    columns = min(3, len(panels))
    down = -(-len(panels) // columns)
    with style():
        figure = new_figure(0.9 + 2.2 * down)
        grid = figure.subplots(down, columns, sharex=True, sharey=True, squeeze=False).ravel()
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        for axes, panel in zip(grid, panels, strict=False):
            axes.axhline(0, color=GRID, lw=1.2, zorder=0)
            for at, name in enumerate(series):
                own = rows.filter(pl.col("panel") == panel, pl.col("series") == name)
                if own.is_empty():
                    continue
                shift = _SPREAD * ((at + 0.5) / len(series) - 0.5)
                places = np.searchsorted(groups, own["groups"].to_numpy()) + shift
                look = {"color": colour[name], "marker": MARKERS[at % len(MARKERS)]}
                axes.plot(places, own["z_score"].to_numpy(), ls="", ms=3.5, alpha=0.6, **look)
                means = own.group_by("groups").agg(pl.col("z_score").mean()).sort("groups")
                at_groups = np.searchsorted(groups, means["groups"].to_numpy()) + shift
                axes.plot(at_groups, means["z_score"].to_numpy(), lw=1.2, color=colour[name])
            axes.set_title(str(panel))
            # The numbers are categories: points beside each other belong to one of them.
            for edge in range(1, len(groups)):
                axes.axvline(edge - 0.5, color=MUTED, lw=0.6, ls=(0, (1, 2)), zorder=0)
            axes.set_xlim(-0.5, len(groups) - 0.5)
            axes.set_xticks(range(len(groups)), [f"{each:g}" for each in groups])
            axes.tick_params(axis="x", length=0)
            axes.tick_params(labelbottom=True)
            axes.grid(axis="y")
        last_row = grid[(down - 1) * columns : len(panels)]
        last_row[len(last_row) // 2].set_xlabel("groups spanned")
        figure.supylabel(f"z-score of the {label}", fontsize=9)
        add_key(
            figure,
            [
                Line2D(
                    [], [], color=colour[name], marker=MARKERS[at % len(MARKERS)], ms=4, label=name
                )
                for at, name in enumerate(map(str, series))
                if name
            ],
        )
    return figure


def z_scores_of_sweep(
    experiment: Experiment,
    metric: str | None = None,
    job: str | None = None,
    where: Mapping[str, str] | None = None,
) -> Figure:
    """Draws the z-scores of a metric of the jobs of a sweep, by the groups that each job spans.

    Runs of a job with different numbers of ranks are of different kinds: each size has a panel, as
    in Chunduri et al. (IPDPS 2021), Fig. 3. Axes of placements and of sizes make no cases of their
    own.

    Raises:
        UsageError: there is no such metric, job or axis, the sweep does not keep the ranks, or the
            experiment is no sweep.
    """
    # Reports of runs draw without the modules of experiments.
    from pantala.comparison.labels import label_of
    from pantala.comparison.values import check_metrics
    from pantala.experiments.axis_values import with_values

    value = metric or _TIME
    check_metrics([value])
    if "keep" not in experiment.document:
        raise UsageError(
            f"figure z-scores: compares the runs of a sweep; {experiment.path} is one interference"
            " experiment; name the directory that pantala sweep wrote"
        )
    if "ranks" not in experiment.document["keep"]:
        raise UsageError(
            f"{experiment.path}: the sweep did not keep table ranks, which has the groups of a"
            " job; add ranks to keep (--keep) and give the sweep again"
        )
    axes = [axis for axis in experiment.axes if axis != "seed"]
    frame = experiment.table("jobs").filter(_together()).collect()
    cases = with_values(experiment.cases, experiment.axes, where or {}, experiment.path)["case"]
    frame = frame.filter(pl.col("case").is_in(cases.implode()))
    frame = job_values(frame)
    if value not in frame.columns:
        raise UsageError(f"--metric {value}: is no metric of a job; pantala metrics lists them")
    if job is not None:
        names = frame["name"].unique(maintain_order=True).to_list()
        if job not in names:
            hint = nearest(job, names)
            remedy = f"did you mean '{hint}'?" if hint else f"its jobs are: {', '.join(names)}"
            raise UsageError(f"--job {job}: {experiment.path} has no such job; {remedy}")
        frame = frame.filter(pl.col("name") == job)
    ends = pl.col("complete") & pl.col(value).is_not_null()
    frame = frame.filter(ends).with_columns(pl.col(value).cast(pl.Float64))
    ranks = experiment.table("ranks").filter(_together())
    spans = ranks.group_by("case", "job").agg(groups=pl.col("group").n_unique()).collect()
    # An axis of placements says on how many groups a job lies, as the horizontal axis does. An axis
    # of sizes tells the panels apart.
    told = [axis for axis in axes if "placement" not in axis.split(".")]
    told = [axis for axis in told if not _sets_size(frame, axis)]
    shown = [axis for axis in told if frame[axis].n_unique() > 1]
    series = pl.concat_str(pl.col(shown).cast(pl.String), separator=", ") if shown else pl.lit("")
    several = pl.col("ranks").n_unique().over("name") > 1
    sized = pl.concat_str(pl.col("name"), pl.lit(", "), pl.col("ranks"), pl.lit(" ranks"))
    rows = frame.join(spans, on=["case", "job"], maintain_order="left").with_columns(
        panel=pl.when(several).then(sized).otherwise("name"), series=series
    )
    return z_scores(scored(_by_size(rows), ["name", "ranks"], value), label_of(value))


def _sets_size(rows: pl.DataFrame, axis: str) -> bool:
    """Returns whether the values of an axis set the number of ranks of a job."""
    for own in rows.partition_by("name"):
        sizes = own.group_by(axis).agg(pl.col("ranks").n_unique())["ranks"]
        if own["ranks"].n_unique() > 1 and sizes.max() == 1:
            return True
    return False


def _by_size(rows: pl.DataFrame) -> pl.DataFrame:
    """Returns rows in the order of jobs, of each from the smallest size to the largest."""
    jobs = pl.Enum(rows["name"].unique(maintain_order=True))
    return rows.sort(pl.col("name").cast(jobs), "ranks", maintain_order=True)


def _together() -> pl.Expr:
    """Returns whether a row is not of a job that ran alone for comparison."""
    return ~pl.col("part").str.starts_with("alone-")
