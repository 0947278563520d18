"""A comparison: rows of metrics of runs and experiments, the first of them as the base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from pantala.analysis.statistics import Method
from pantala.caveats import Caveat
from pantala.comparison.differences import Difference
from pantala.comparison.left_out import LeftOut
from pantala.comparison.plans import PlanChange
from pantala.comparison.subject import Subject

__all__ = ["HEADLINES", "Comparison", "Row"]

#: The metrics that a short table shows.
HEADLINES = (
    "communication_time_mean_ns",
    "execution_time_ns",
    "packet_latency_mean_ns",
    "packet_latency_p99_ns",
    "accepted_throughput",
    "slowdown",
    "packet_latency_slowdown",
)


@dataclass(frozen=True)
class Row:
    """One metric of one job in one case, in the base and in another subject.

    Attributes:
        case: the values of the common axes, in their order.
        part: the simulation of an interference experiment; ``together`` if there is only one.
        job: the job; empty for a metric of the whole run.
        other: the title of the other subject.
        difference: the numbers and the words.
        truncated: whether a value is of a run or a job that did not end.
    """

    case: tuple[str, ...]
    part: str
    job: str
    other: str
    difference: Difference
    truncated: bool

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.difference.metric

    @property
    def words(self) -> str:
        """The difference in words, with a mark of truncated values."""
        mark = "; truncated: the values do not cover all of the work" if self.truncated else ""
        return self.difference.words + mark


@dataclass(frozen=True)
class Comparison:
    """A base and one or several other subjects.

    Attributes:
        subjects: the subjects in order; the first is the base.
        axes: the common axes, whose values tell the cases apart.
        plans: the differences of the plans.
        rows: the metrics.
        left_out: what is not compared, and why.
        confidence: the probability that an interval covers the true difference.
        method: student or bootstrap.
        note: what the comparison leaves out because it has many cases; empty otherwise.
        caveats: what makes the results approximate or partial.
        values: the values that the rows are made of, of each subject; see `values_of`.
    """

    subjects: tuple[Subject, ...]
    axes: tuple[str, ...]
    plans: tuple[PlanChange, ...]
    rows: tuple[Row, ...]
    left_out: tuple[LeftOut, ...]
    confidence: float
    method: Method
    note: str = ""
    caveats: tuple[Caveat, ...] = ()
    values: tuple[pl.DataFrame, ...] = field(default=(), repr=False, compare=False)

    @property
    def titles(self) -> list[str]:
        """The titles of the subjects."""
        return [subject.title for subject in self.subjects]

    @cached_property
    def has_parts(self) -> bool:
        """Whether the rows are of several parts."""
        return len({row.part for row in self.rows}) > 1

    def case_text(self, case: Sequence[str]) -> str:
        """Returns a case as text: ``routing.algorithm = par, ...``; empty without axes."""
        return ", ".join(f"{axis} = {value}" for axis, value in zip(self.axes, case, strict=True))

    def document(self) -> dict[str, Any]:
        """Returns the comparison as JSON."""
        return {
            "caveats": [caveat.to_dict() for caveat in self.caveats],
            "subjects": [
                {
                    "title": subject.title,
                    "directory": str(subject.path),
                    "experiment": None if subject.experiment is None else subject.experiment.name,
                    "runs": dict(subject.runs.group_by("state").len().sort("state").iter_rows()),
                }
                for subject in self.subjects
            ],
            "confidence": self.confidence,
            "method": self.method,
            "plan": [
                {
                    "key": change.key,
                    "values": dict(zip(self.titles, change.values, strict=True)),
                    "cases": change.cases,
                    "of_cases": change.all_cases,
                }
                for change in self.plans
            ],
            "metrics": [
                {
                    "case": dict(zip(self.axes, row.case, strict=True)),
                    "part": row.part,
                    "job": row.job or None,
                    "metric": row.metric,
                    "title": row.other,
                    "truncated": row.truncated,
                    **row.difference.document(),
                }
                for row in self.rows
            ],
            "left_out": [each.document() for each in self.left_out],
            **({"note": self.note} if self.note else {}),
        }
