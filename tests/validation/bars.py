"""The bars: the allowed errors of Pantala's results against a peer's, and their check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from validation.peers import Point, Series

__all__ = ["BARS", "FREE", "Bar", "Check", "check", "of_one"]

#: All bars apply up to this share of a series' saturation. Above it, only `everywhere` bars apply.
FREE = 0.8


@dataclass(frozen=True)
class Bar:
    """The allowed error of a quantity.

    Attributes:
        limit: the largest allowed error.
        relative: whether the error is a share of the peer's value; otherwise a difference.
        everywhere: whether the bar applies at every load.
    """

    limit: float
    relative: bool = True
    everywhere: bool = False


#: The bars by the keys of a point of `pantala.curve`, and two further ones.
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
    """The comparison of one quantity.

    Attributes:
        key: the quantity, a key of `BARS`.
        theirs: the peer's value.
        ours: Pantala's value.
        error: the error, as the bar counts it.
        bound: whether the bar applies here.
    """

    key: str
    theirs: float
    ours: float
    error: float
    bound: bool

    @property
    def bar(self) -> Bar:
        """The bar of the quantity."""
        return BARS[self.key]

    @property
    def met(self) -> bool:
        """Whether the error is within the bar."""
        return abs(self.error) <= self.bar.limit


def of_one(
    key: str, theirs: float, ours: float, *, width: float = 0.0, steady: bool = True
) -> Check:
    """Compares one quantity; the peer's value can lie between `theirs` and `theirs` + `width`."""
    bar = BARS[key]
    error = ours - min(max(ours, theirs), theirs + width)
    return Check(
        key, theirs, ours, error / theirs if bar.relative else error, steady or bar.everywhere
    )


def check(series: Series, point: Point, ours: Mapping[str, float]) -> list[Check]:
    """Compares every quantity that the peer reports for a point."""
    steady = point.load <= FREE * series.saturation
    checks = []
    for key, theirs in point.theirs.items():
        percentile = "_p99_" in key
        if not (percentile and theirs >= series.peer.last):  # not at the end of the histogram
            width = series.peer.bin if percentile else 0.0
            checks.append(of_one(key, theirs, ours[key], width=width, steady=steady))
    return checks
