"""The configurations of an experiment in order, with words that follow intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pantala.analysis.statistics import Interval, mean_interval
from pantala.comparison.differences import Difference, Value, difference_of, numbers_of
from pantala.comparison.labels import label_of
from pantala.comparison.quantities import with_interval
from pantala.comparison.subject import SEED
from pantala.runs.parts import TOGETHER

__all__ = ["RANKED_BY", "SLOWED_BY", "Ranked", "Ranking", "ranking_of"]

#: The metrics that a job is ranked by: the first one that it has.
RANKED_BY = ("communication_time_mean_ns", "packet_latency_mean_ns")
#: The slowdowns that a job of an interference experiment is ranked by, in the same way.
SLOWED_BY = ("slowdown", "packet_latency_slowdown")
#: Configurations that a sentence names.
_MOST_NAMED = 4


@dataclass(frozen=True)
class Ranked:
    """One configuration of a job.

    Attributes:
        case: the values of the axes, in their order.
        interval: mean over seeds and its interval.
        difference: the difference from the best configuration; None for the best one.
    """

    case: tuple[str, ...]
    interval: Interval
    difference: Difference | None


@dataclass(frozen=True)
class Ranking:
    """The configurations of a job, from the lowest mean to the highest.

    Attributes:
        job: the job.
        metric: the metric that it is ranked by.
        label: the metric in words.
        ranked: the configurations, at least one.
    """

    job: str
    metric: str
    label: str
    ranked: tuple[Ranked, ...]

    @property
    def close(self) -> list[Ranked]:
        """The configurations whose difference from the best is not significant."""
        return [
            each
            for each in self.ranked[1:]
            if each.difference is not None and each.difference.significant is False
        ]

    def words(self, axes: Sequence[str]) -> str:
        """Returns the lowest and the highest configuration in sentences.

        Args:
            axes: the names of the axes; a value alone may be hard to understand.
        """
        best, worst = self.ranked[0], self.ranked[-1]
        value = with_interval(self.metric, best.interval)
        if worst.difference is None:
            return f"{self.job}: {self.label} is {value}."
        text = (
            f"{self.job}: {self.label} is lowest with {_named(best, axes)} ({value}) and highest"
            f" with {_named(worst, axes)}: {worst.difference.words}."
        )
        if self.close and worst.difference.significant:
            named = "; ".join(_named(each, axes) for each in self.close[:_MOST_NAMED])
            more = len(self.close) - _MOST_NAMED
            text += (
                f" Not significantly different from the lowest: {named}"
                + (f"; {more} more" if more > 0 else "")
                + "."
            )
        return text


def ranking_of(
    values: pl.DataFrame,
    axes: Sequence[str],
    confidence: float = 0.95,
    metrics: Sequence[str] = RANKED_BY,
) -> list[Ranking]:
    """Returns the ranking of the configurations for each job.

    Only complete values of the run of all jobs count.

    Args:
        values: the values of a subject; see `pantala.comparison.values.values_of`.
        axes: the axes without the seed.
        confidence: the confidence of the intervals.
        metrics: a job is ranked by the first of these metrics that it has. Not given: by
            communication time, and jobs without MPI by packet latency.
    """
    whole = values.filter(pl.col("whole"), pl.col("part") == TOGETHER)
    jobs = whole.filter(pl.col("job") != "")["job"].unique(maintain_order=True)
    found = []
    for job in jobs:
        of_job = whole.filter(pl.col("job") == job)
        known = set(of_job["metric"])
        if metric := next((name for name in metrics if name in known), None):
            found.append(_ranking(of_job, job, axes, confidence, metric))
    return found


def _ranking(
    of_job: pl.DataFrame, job: str, axes: Sequence[str], confidence: float, metric: str
) -> Ranking:
    rows = of_job.filter(pl.col("metric") == metric)
    samples: dict[tuple[str, ...], dict[int | None, Value]] = {}
    for *case, seed, value, result in rows.select(*axes, SEED, "value", "result").iter_rows():
        samples.setdefault(tuple(case), {})[seed] = Value(value, result)
    means = {
        case: mean_interval(numbers_of(sample), confidence) for case, sample in samples.items()
    }
    order = sorted(means, key=lambda case: means[case].mean)
    ranked = tuple(
        Ranked(
            case,
            means[case],
            difference_of(metric, samples[order[0]], samples[case], confidence)
            if case != order[0]
            else None,
        )
        for case in order
    )
    return Ranking(job, metric, label_of(metric), ranked)


def _named(ranked: Ranked, axes: Sequence[str]) -> str:
    return ", ".join(f"{axis} = {value}" for axis, value in zip(axes, ranked.case, strict=True))
