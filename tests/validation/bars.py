"""How close Pantala must be to a peer, and whether it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from validation.peers import Point, Series

__all__ = ["BARS", "FREE", "Bar", "Check", "check", "of_one"]

#: Up to this share of a series' saturation every bar holds; beyond, that of the accepted load only.
FREE = 0.8


@dataclass(frozen=True)
class Bar:
    """How far a quantity may be off.

    Attributes:
        limit: how far.
        relative: whether the limit is a share of theirs; else a difference.
        everywhere: whether it holds at every load.
    """

    limit: float
    relative: bool = True
    everywhere: bool = False


#: By the keys of a point of `pantala.curve`, and two of their own.
BARS: Mapping[str, Bar] = {
    "accepted": Bar(0.05, everywhere=True),
    "latency_mean_ns": Bar(0.05),
    "latency_p99_ns": Bar(0.10),
    "network_latency_p99_ns": Bar(0.10),
    "nonminimal_share": Bar(0.05, relative=False),
    "link_hops_mean": Bar(0.02),
    "learning": Bar(0.15, everywhere=True),
    "hot_link": Bar(0.02, everywhere=True),
}


@dataclass(frozen=True)
class Check:
    """A quantity, theirs and ours.

    Attributes:
        key: which, of `BARS`.
        error: how far ours is off, as the bar counts it.
        bound: whether the bar holds here.
    """

    key: str
    theirs: float
    ours: float
    error: float
    bound: bool

    @property
    def bar(self) -> Bar:
        """Its bar."""
        return BARS[self.key]

    @property
    def met(self) -> bool:
        """Whether the error is within the bar."""
        return abs(self.error) <= self.bar.limit


def of_one(
    key: str, theirs: float, ours: float, *, width: float = 0.0, steady: bool = True
) -> Check:
    """Compares a quantity; theirs may lie anywhere from `theirs` to `width` above it."""
    bar = BARS[key]
    error = ours - min(max(ours, theirs), theirs + width)
    return Check(
        key, theirs, ours, error / theirs if bar.relative else error, steady or bar.everywhere
    )


def check(series: Series, point: Point, ours: Mapping[str, float]) -> list[Check]:
    """Compares every quantity that the peer gave for a point."""
    steady = point.load <= FREE * series.saturation
    checks = []
    for key, theirs in point.theirs.items():
        percentile = "_p99_" in key
        if not (
            percentile and theirs >= series.peer.last
        ):  # else it stands at the end of the histogram
            width = series.peer.bin if percentile else 0.0
            checks.append(of_one(key, theirs, ours[key], width=width, steady=steady))
    return checks
