"""The bars of the measured cases: the allowed error of each metric."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from validation.ember.cases import Case

__all__ = ["Comparison", "compare", "limit", "time_limit"]

#: Routings that choose a path by the state of the network.
_ADAPTIVE = {"ugal_n", "par", "q_adaptive"}
#: Motifs with at most one message per link at a time.
_ONE_MESSAGE = {"PingPong", "Allreduce", "Barrier"}

_EXACT = re.compile(r"(job\d+\.)?(packets|bytes)")
_TIME = re.compile(r"simulated_end|.*\.(one_way|printed_latency|total\.comm\.mean)")
_ITERATION = re.compile(r".*\.iter\d+\.comm\.mean")


@dataclass(frozen=True)
class Comparison:
    """The comparison of a metric.

    Attributes:
        metric: the name of the metric.
        unit: the unit of both values.
        theirs: SST's value.
        ours: Pantala's value.
        limit: the allowed error; None if the metric has no bar.
    """

    metric: str
    unit: str
    theirs: float
    ours: float
    limit: float | None = None

    @property
    def relative(self) -> bool:
        """Whether the error is a share of SST's value. The error of a share is the difference."""
        return self.unit != "fraction" and self.theirs != 0

    @property
    def error(self) -> float:
        """The error."""
        difference = self.ours - self.theirs
        return difference / self.theirs if self.relative else difference

    @property
    def met(self) -> bool:
        """Whether the error is within the bar, or there is no bar."""
        return self.limit is None or abs(self.error) <= self.limit


def compare(case: Case, ours: Mapping[str, float]) -> list[Comparison]:
    """Compares the metrics that SST and Pantala both report, in SST's order.

    SST does not count the packets of Valiant as non-minimal.
    """
    return [
        Comparison(name, theirs.unit, theirs.value, ours[name], limit(case, name))
        for name, theirs in case.theirs.items()
        if name in ours and (name, case.routing) != ("nonminimal_share", "valiant_node")
    ]


def limit(case: Case, metric: str) -> float | None:
    """Returns the allowed error of a metric of a case; None if the metric has no bar."""
    if _EXACT.fullmatch(metric):
        return 0.0
    motif = metric.split(".")[0].split("_")[0]
    if _TIME.fullmatch(metric):
        return time_limit(case, {motif} if metric.endswith("printed_latency") else None)
    one_message = _ITERATION.fullmatch(metric) and motif in _ONE_MESSAGE
    return time_limit(case) if one_message else None


def time_limit(case: Case, motifs: set[str] | None = None) -> float:
    """Returns the allowed error of the times of a case, or of some of its motifs."""
    if case.routing in _ADAPTIVE or len(case.jobs) > 1:
        return 0.10
    one_message = (motifs or set().union(*case.jobs)) <= _ONE_MESSAGE
    return 0.02 if one_message and case.routing == "minimal" else 0.05
