"""Who slows whom in an experiment: slowdowns of all cases, effects with intervals over seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import polars as pl

from pantala.analysis.attribution import MEASURES, effects_of
from pantala.analysis.slowdown import slowdowns_of
from pantala.analysis.statistics import Method, mean_interval
from pantala.catalogue.job_sets import TOGETHER
from pantala.results.run import Run

__all__ = ["effects_over", "mean_slowdowns_over", "slowdowns_over"]

_EFFECT = ("method", "victim", "aggressor", "measure")
_COUNTED = pl.col("effect").is_not_null()
_COUNTS = pl.col("compared_iterations").cast(pl.UInt32).filter(_COUNTED)
_PARTLY = (pl.col("compared") == "iterations").filter(_COUNTED).any()
#: The least and the largest number of iterations compared; null if all values are of whole runs.
_ITERATIONS = (
    pl.when(_PARTLY).then(_COUNTS.min()).alias("fewest_iterations"),
    pl.when(_PARTLY).then(_COUNTS.max()).alias("most_iterations"),
)


def slowdowns_over(
    cases: pl.DataFrame,
    axes: Sequence[str],
    parts_of: Callable[[pl.DataFrame], Mapping[str, Run]],
) -> pl.DataFrame:
    """Returns the slowdowns of each job set of each case, with the axes as columns.

    Args:
        cases: one row per case and part: ``case``, the axes, ``part``, ``run``.
        axes: the columns of the axes.
        parts_of: returns the runs of the rows of one case that are there, by part.
    """
    tables = []
    for _, rows in cases.group_by("case", maintain_order=True):
        found = slowdowns_of(parts_of(rows) if TOGETHER in rows["part"] else {})
        tables.append(rows.head(1).select("case", *axes).join(found, how="cross"))
    if not tables:
        return cases.select("case", *axes).join(slowdowns_of({}), how="cross")
    return pl.concat(tables)


def effects_over(
    slowdowns: pl.DataFrame, axes: Sequence[str], over: str, confidence: float, method: Method
) -> pl.DataFrame:
    """Returns the effects of jobs on each other, with intervals over an axis.

    Args:
        slowdowns: the result of `slowdowns_over`.
        axes: the columns of the axes.
        over: the axis that the mean is over.
        confidence: the probability that an interval covers the true mean.
        method: student or bootstrap.
    """
    others = [axis for axis in axes if axis != over]
    found = pl.concat(list(_effects(slowdowns, others)), how="vertical")
    # Effects that a case lacks are dropped late, so that jobs keep their order.
    groups = (
        found.group_by([*others, *_EFFECT], maintain_order=True)
        .agg(pl.col("effect").drop_nulls(), *_ITERATIONS)
        .filter(pl.col("effect").list.len() > 0)
    )
    return _with_intervals(groups, [*others, *_EFFECT], confidence, method)


def mean_slowdowns_over(
    slowdowns: pl.DataFrame, axes: Sequence[str], over: str, confidence: float, method: Method
) -> pl.DataFrame:
    """Returns the slowdown of each job in each set of jobs, with intervals over an axis.

    The arguments are those of `effects_over`.
    """
    keys = [*(axis for axis in axes if axis != over), "job_set", "name", "beside", "measure"]
    index = [*keys[:-1], "compared", "compared_iterations"]
    long = slowdowns.select(*index, *MEASURES).unpivot(
        on=list(MEASURES), index=index, variable_name="measure", value_name="effect"
    )
    groups = (
        long.group_by(keys, maintain_order=True)
        .agg(pl.col("effect").drop_nulls(), *_ITERATIONS)
        .filter(pl.col("effect").list.len() > 0)
    )
    return _with_intervals(groups, keys, confidence, method)


def _with_intervals(
    groups: pl.DataFrame, keys: Sequence[str], confidence: float, method: Method
) -> pl.DataFrame:
    """Returns the means of the lists in the column effect, and their intervals."""
    means = [mean_interval(each, confidence, method) for each in groups["effect"].to_list()]
    return groups.select(*keys).with_columns(
        runs=pl.Series([each.count for each in means], dtype=pl.UInt32),
        mean=pl.Series([each.mean for each in means], dtype=pl.Float64),
        low=pl.Series([each.low for each in means], dtype=pl.Float64),
        high=pl.Series([each.high for each in means], dtype=pl.Float64),
        significant=pl.Series([each.low > 1 or each.high < 1 for each in means], dtype=pl.Boolean),
        fewest_iterations=groups["fewest_iterations"],
        most_iterations=groups["most_iterations"],
    )


def _effects(slowdowns: pl.DataFrame, axes: Sequence[str]) -> Iterator[pl.DataFrame]:
    columns = ["case", *axes]
    yield slowdowns.head(0).select(columns).join(effects_of(slowdowns.head(0)), how="cross")
    for _, rows in slowdowns.group_by("case", maintain_order=True):
        yield rows.head(1).select(columns).join(effects_of(rows), how="cross")
