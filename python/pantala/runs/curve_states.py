"""What a point of a load curve shows: a steady network, or one that saturates, drains or learns.

A measurement counts its packets in eight equal spans of the warm-up and in eight of the window.
The state of a point follows from these counts, the offered load and whether the routing learns.
Pairs of spans are quarters of the window. The first rule that holds gives the state:

1. draining: the network accepts more than 1.03 of the offered load: a queue empties.
2. learning: the routing learns, and from the first half of the window to the second the accepted
   load changes by more than 5 %, the non-minimal share by more than 0.02, or (if the network
   accepts the load) the mean latency by more than 5 %.
3. draining: the network accepts the load, and the mean latency of the last quarter is below 2/3 of
   that of the first.
4. collapsing: the point is saturated, and the last quarter accepts less than 0.9 of the best
   quarter of warm-up and window: throughput has fallen after the start.
5. saturated: the network accepts less than 0.97 of the offered load.
6. filling: the mean latency of the last quarter is above 1.5 times that of the first: queues grow.
7. steady: nothing of this.

Bounds on the accepted throughput are wider for few packets: by 4 standard deviations of a number of
packets that is drawn at random, 4 / sqrt(packets).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any, Literal

__all__ = [
    "ACCEPTED",
    "MEANINGS",
    "STATES",
    "UNSETTLED",
    "State",
    "common_state",
    "deviation",
    "is_saturated",
    "state_of",
]

State = Literal["learning", "draining", "collapsing", "saturated", "filling", "steady"]

#: A point that accepts less than this share of the offered load is saturated, if the number of its
#: packets can tell. The core applies the same rule to each measurement.
ACCEPTED = 0.97

#: The states, the first to be excluded first, and each in a sentence.
MEANINGS: Mapping[State, str] = {
    "learning": "the routing still changed its estimates in the window; a longer warm-up changes"
    " the point",
    "draining": "a queue from before emptied in the window; a longer warm-up changes the point",
    "collapsing": "throughput fell after the start; the network accepted more before",
    "saturated": f"the network accepted less than {ACCEPTED} of the offered load",
    "filling": "the network accepted the load, but queues grew; a longer window changes the point",
    "steady": "nothing changed in the window",
}
STATES: tuple[State, ...] = tuple(MEANINGS)
#: The states in which a longer warm-up can give another answer to whether a load is accepted.
UNSETTLED: frozenset[State] = frozenset({"learning", "draining", "filling"})

#: Larger changes from half to half show that a routing learns: relative, and of a share.
_LEARNS, _LEARNS_SHARE = 0.05, 0.02
#: The network accepts more than it is offered.
_DRAINS = 0.03
#: The part of the best quarter that a network keeps unless it collapses.
_KEEPS = 0.9
#: The growth of latency over the window that shows a growing queue; the inverse a shrinking one.
_GROWS = 1.5
_DEVIATIONS = 4.0

Span = Mapping[str, Any]


def state_of(
    load: float,
    spans: Sequence[Span],
    warmup_spans: Sequence[Span] = (),
    *,
    saturated: bool,
    learns: bool = False,
) -> State:
    """Returns the state that a measurement shows, by the rules of this module.

    Args:
        load: the offered load.
        spans: the window in equal spans: `accepted`, `nonminimal_share` and `latency_mean_ns` (None
            without packets), and `packets`.
        warmup_spans: the warm-up in equal spans.
        saturated: whether the core calls the window saturated.
        learns: whether the routing learns, and began without learned estimates.
    """
    whole = _joined(spans)
    if whole["accepted"] > load * (1 + max(_DRAINS, _noise(whole))):
        return "draining"
    if learns and _changes(_parts(spans, 2), saturated):
        return "learning"
    quarters = _parts(spans, 4)
    growth = _growth(quarters)
    if not saturated and growth is not None and growth < 1 / _GROWS:
        return "draining"
    best = max([*quarters, *_parts(warmup_spans, 4)], key=lambda part: float(part["accepted"]))
    kept = min(_KEEPS, 1 - _noise(best))
    if saturated and quarters[-1]["accepted"] < kept * best["accepted"]:
        return "collapsing"
    if saturated:
        return "saturated"
    return "filling" if growth is not None and growth > _GROWS else "steady"


def is_saturated(load: float, accepted: float, packets: int) -> bool:
    """Returns whether a network is saturated that accepts so much of a load.

    Args:
        load: the offered load.
        accepted: the accepted throughput, in the same unit.
        packets: the packets behind it, more than none.
    """
    offered = packets * load / accepted
    return accepted < load * (1 - max(1 - ACCEPTED, deviation(offered)))


def deviation(packets: float) -> float:
    """Returns four relative standard deviations of a number of packets that is drawn at random."""
    return _DEVIATIONS / sqrt(packets) if packets else 1.0


def common_state(states: Sequence[State], *, saturated: bool) -> State:
    """Returns the state of several seeds: the most frequent one, and of equals the least settled.

    Args:
        states: the states of the seeds.
        saturated: whether the mean over the seeds is saturated; then the state is not steady.
    """
    counted = Counter(states)
    found = max(STATES, key=lambda state: (counted[state], -STATES.index(state)))
    if saturated and found in ("steady", "filling"):
        return "saturated"
    return "steady" if found in ("saturated", "collapsing") and not saturated else found


def _parts(spans: Sequence[Span], number: int) -> list[dict[str, Any]]:
    """Returns consecutive spans joined to so many parts; none without spans."""
    size = len(spans) // number
    return [_joined(spans[at : at + size]) for at in range(0, size * number, size)] if size else []


def _joined(spans: Sequence[Span]) -> dict[str, Any]:
    packets = sum(span["packets"] for span in spans)

    def mean(key: str) -> float | None:
        known = [(span[key], span["packets"]) for span in spans if span[key] is not None]
        weight = sum(count for _, count in known)
        return sum(value * count for value, count in known) / weight if weight else None

    return {
        "accepted": sum(span["accepted"] for span in spans) / len(spans),
        "nonminimal_share": mean("nonminimal_share"),
        "latency_mean_ns": mean("latency_mean_ns"),
        "packets": packets,
    }


def _changes(halves: Sequence[Span], saturated: bool) -> bool:
    first, second = halves
    bound = max(_LEARNS, _noise(first) + _noise(second))
    if abs(second["accepted"] - first["accepted"]) > bound * first["accepted"]:
        return True
    shares = first["nonminimal_share"], second["nonminimal_share"]
    if None not in shares and abs(shares[1] - shares[0]) > max(_LEARNS_SHARE, _noise(first) / 2):
        return True
    before, after = first["latency_mean_ns"], second["latency_mean_ns"]
    # In a saturated network packets wait ever longer at their source.
    return bool(
        not saturated and before and after is not None and abs(after - before) > bound * before
    )


def _growth(quarters: Sequence[Span]) -> float | None:
    """Returns the mean latency of the last quarter over that of the first."""
    first, last = quarters[0]["latency_mean_ns"], quarters[-1]["latency_mean_ns"]
    return last / first if first and last else None


def _noise(part: Span) -> float:
    return deviation(part["packets"])
