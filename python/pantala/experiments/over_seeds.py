"""Statistics of a column over the seeds of an experiment, or over another axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from pantala.analysis.statistics import (
    Method,
    distinct,
    marked,
    mean_interval,
    paired_difference,
)
from pantala.experiments.equal_results import EqualResults
from pantala.experiments.samples import check_single
from pantala.metrics.run_metrics import grows_with_run

__all__ = [
    "Sample",
    "differences_of",
    "intervals_of",
    "median_runs",
    "medians_of",
    "outliers_of",
]


@dataclass(frozen=True)
class Sample:
    """A numeric column of all runs, in groups whose values differ in one axis.

    Attributes:
        rows: the rows of a table of all runs, with ``case``, the axes, ``part`` and ``run``.
        value: the column.
        keys: the columns that name a group: the other axes, ``part``, and ``name`` if there is one.
        over: the axis in which the values of a group differ.
        where: the table, for errors.
    """

    rows: pl.LazyFrame
    value: str
    keys: Sequence[str]
    over: str
    where: str

    def given(self) -> Sample:
        """Returns the sample without rows that have no value."""
        return replace(self, rows=self.rows.filter(pl.col(self.value).is_not_null()))


def medians_of(sample: Sample, equal: EqualResults) -> pl.DataFrame:
    """Returns the median of each group; see `Experiment.medians`."""
    value = pl.col(sample.value)
    return (
        equal.distinct(sample.rows, sample.over)
        .group_by(sample.keys, maintain_order=True)
        .agg(pl.col("case").filter(value.is_not_null()).n_unique().alias("runs"), value.median())
        .collect()
    )


def intervals_of(
    sample: Sample,
    equal: EqualResults,
    open_ended: pl.LazyFrame,
    confidence: float,
    method: Method,
) -> pl.DataFrame:
    """Returns the mean of each group with its interval; see `Experiment.intervals`.

    Args:
        sample: the column, without missing values.
        equal: the runs with equal results, which count once.
        open_ended: the jobs that did not end: ``run``, ``name``, and ``cut_off``: whether they
            should have.
        confidence: the probability that an interval covers the true mean.
        method: student or bootstrap.

    Raises:
        UsageError: the table has several rows per run and job.
    """
    value, keys = sample.value, sample.keys
    groups = (
        equal.distinct(_with_ends(sample, open_ended), sample.over)
        .group_by(keys, maintain_order=True)
        .agg(
            pl.col(value),
            pl.col("case").n_unique().alias("cases"),
            pl.col("repeated").max(),
            *_ENDS,
        )
        .collect()
    )
    check_single(groups, groups[value].list.len(), sample.where)
    values = groups[value].to_list()
    found = [mean_interval(each, confidence, method) for each in values]
    return groups.select(keys).with_columns(
        runs=pl.Series([each.count for each in found], dtype=pl.UInt32),
        mean=pl.Series([each.mean for each in found], dtype=pl.Float64),
        low=pl.Series([each.low for each in found], dtype=pl.Float64),
        high=pl.Series([each.high for each in found], dtype=pl.Float64),
        relative=pl.Series([each.relative for each in found], dtype=pl.Float64),
        outliers=pl.Series([sum(marked(each)[1]) for each in values], dtype=pl.UInt32),
        cut_off=groups["cut_off"],
        endless=groups["endless"],
        repeated=groups["repeated"],
    )


#: The numbers of values of jobs that should end and did not, and that last as long as their run.
_ENDS = (
    pl.col("cut_off").sum().cast(pl.UInt32),
    (~pl.col("cut_off")).sum().cast(pl.UInt32).alias("endless"),
)


def _with_ends(sample: Sample, open_ended: pl.LazyFrame) -> pl.LazyFrame:
    """Returns the rows of a sample with ``cut_off``, which is null for jobs that ended."""
    if "name" not in sample.keys:
        return sample.rows.with_columns(cut_off=pl.lit(None, pl.Boolean))
    return sample.rows.join(open_ended, on=["run", "name"], how="left", maintain_order="left")


def outliers_of(sample: Sample, axes: Sequence[str]) -> pl.DataFrame:
    """Returns all values, with the outliers of each group marked; see `Experiment.outliers`."""
    value, keys = sample.value, sample.keys
    columns = [*axes, *(key for key in keys if key not in axes), value, "run"]
    rows = sample.rows.select(columns).collect()
    cases = (
        sample.rows.group_by(keys).agg(pl.len(), pl.col("case").n_unique().alias("cases")).collect()
    )
    check_single(cases, cases["len"], sample.where)
    parts = []
    for group in rows.partition_by(keys, maintain_order=True):
        scores, beyond = marked(group[value].to_list())
        parts.append(
            group.with_columns(
                z_score=pl.Series(scores, dtype=pl.Float64),
                outlier=pl.Series(beyond, dtype=pl.Boolean),
            )
        )
    empty = rows.clear().with_columns(
        z_score=pl.lit(None, pl.Float64), outlier=pl.lit(None, pl.Boolean)
    )
    return pl.concat([empty, *parts]).select(pl.exclude("run"), "run")


def differences_of(
    sample: Sample,
    equal: EqualResults,
    axis: str,
    base: object,
    zipped: Sequence[str],
    open_ended: pl.LazyFrame,
    confidence: float,
    method: Method,
) -> pl.DataFrame:
    """Returns how groups differ from a base case, pair by pair; see `Experiment.differences`.

    Args:
        sample: the column, without missing values.
        equal: the runs with equal results; pairs of them count once.
        axis: the axis whose values are compared.
        base: the value of the axis that the others are compared with.
        zipped: the columns of that axis.
        open_ended: as in `intervals_of`.
        confidence: the probability that an interval covers the true mean.
        method: student or bootstrap.

    Raises:
        UsageError: the table has several rows per run and job.
    """
    value, keys, over = sample.value, sample.keys, sample.over
    pairs = [*(key for key in keys if key not in zipped), over]
    rows = _with_ends(sample, open_ended)
    frame = rows.join(equal.results.lazy(), on="run", how="left", maintain_order="left")
    there = frame.filter(pl.col(axis) == base).select(
        *pairs,
        pl.col(value).alias("base"),
        pl.col("result").alias("base_result"),
        pl.col("cut_off").alias("base_cut_off"),
    )
    joined = (
        frame.filter(pl.col(axis) != base)
        .join(there, on=pairs, nulls_equal=True, maintain_order="left")
        .with_columns(pl.max_horizontal("cut_off", "base_cut_off").alias("cut_off"))
        .group_by(keys, maintain_order=True)
        .agg(
            pl.col(value),
            pl.col("base"),
            pl.concat_list("result", "base_result").alias("results"),
            pl.col("case").n_unique().alias("cases"),
            *_ENDS,
        )
        .collect()
    )
    check_single(joined, joined[value].list.len(), sample.where)
    found = []
    for base_values, values, results in joined.select("base", value, "results").iter_rows():
        counted = distinct(list(map(tuple, results)) if over == "seed" else range(len(values)))
        one, other = ([each[place] for place in counted] for each in (base_values, values))
        found.append(paired_difference(one, other, confidence, method))
    excludes = pl.Series([each.excludes_zero for each in found], dtype=pl.Boolean)
    if grows_with_run(value):
        excludes = joined.select(
            pl.when(pl.col("endless") == 0).then(excludes).alias("significant")
        ).to_series()
    return joined.select(keys).with_columns(
        runs=pl.Series([each.count for each in found], dtype=pl.UInt32),
        mean=pl.Series([each.mean for each in found], dtype=pl.Float64),
        low=pl.Series([each.low for each in found], dtype=pl.Float64),
        high=pl.Series([each.high for each in found], dtype=pl.Float64),
        significant=excludes,
        cut_off=joined["cut_off"],
        endless=joined["endless"],
    )


def median_runs(sample: Sample, axes: Sequence[str]) -> pl.DataFrame:
    """Returns the run with the lower median of each group; see `Experiment.representative`."""
    ranked = sample.rows.sort(sample.value, "case", maintain_order=True)
    middle = (pl.len() - 1) // 2
    picked = (
        pl.col("case", *([sample.over] if sample.over in axes else []), sample.value, "run")
        .gather(middle)
        .first()
    )
    place = sample.rows.select(*sample.keys).unique(maintain_order=True)
    found = ranked.group_by(sample.keys).agg(picked)
    return place.join(found, on=sample.keys, nulls_equal=True, maintain_order="left").collect()
