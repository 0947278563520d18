"""The points of a load curve, and the mean point of several seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from pantala.runs.curve_states import ACCEPTED, State, common_state, is_saturated

__all__ = ["ACCEPTED", "POINT_KEYS", "CurvePoint", "TimelineWindow", "mean_point"]

#: The keys of a point, in order, as `pantala curve --json` prints them.
POINT_KEYS = (
    "load",
    "accepted",
    "saturated",
    "state",
    "latency_mean_ns",
    "latency_p50_ns",
    "latency_p95_ns",
    "latency_p99_ns",
    "network_latency_mean_ns",
    "network_latency_p50_ns",
    "network_latency_p99_ns",
    "link_hops_mean",
    "nonminimal_share",
    "packets",
)
_NO_MEAN = ("load", "saturated", "state", "packets")


class TimelineWindow(TypedDict):
    """Accepted throughput and non-minimal share in one window of time."""

    window_start_ns: float
    accepted: float
    nonminimal_share: float | None


class _Point(TypedDict):
    load: float
    accepted: float
    saturated: bool
    state: State
    latency_mean_ns: float | None
    latency_p50_ns: float | None
    latency_p95_ns: float | None
    latency_p99_ns: float | None
    network_latency_mean_ns: float | None
    network_latency_p50_ns: float | None
    network_latency_p99_ns: float | None
    link_hops_mean: float | None
    nonminimal_share: float | None
    packets: int


class CurvePoint(_Point, total=False):
    """One offered load: load and accepted as fractions of terminal bandwidth, latencies in ns.

    ``state`` says what the measured window shows: steady, saturated, draining, collapsing, filling
    or learning. `pantala.runs.curve_states` has the rules.

    A point of several seeds has ``seeds``, the number of seeds with different results, and
    ``intervals``, the ends of the 95 % interval of each mean; null if fewer than two seeds have
    the value.
    """

    timeline: list[TimelineWindow]
    seeds: int
    intervals: dict[str, list[float] | None]


def mean_point(points: Sequence[CurvePoint]) -> CurvePoint:
    """Returns the point of several seeds at one load; the point itself if there is one seed.

    Values are means over seeds, and ``packets`` is a sum. The point is saturated if the mean
    accepted throughput is less than 0.97 of the offered load. Its state is the most frequent one.
    Seeds with equal results count as one: their interval would be zero, whatever another seed
    gives.
    """
    if len(points) == 1:
        return points[0]
    points = [point for number, point in enumerate(points) if point not in points[:number]]
    from pantala.analysis.statistics import mean_interval  # a bench does not wait for it

    first = points[0]
    mean: dict[str, Any] = {"load": first["load"]}
    intervals: dict[str, list[float] | None] = {}
    for key in POINT_KEYS:
        if key in _NO_MEAN:
            continue
        values = _known(points, key)
        found = mean_interval(values) if values else None
        mean[key] = None if found is None else found.mean
        several = found is not None and found.count > 1
        intervals[key] = [found.low, found.high] if found is not None and several else None
    mean["packets"] = sum(point["packets"] for point in points)
    mean["saturated"] = (
        is_saturated(first["load"], mean["accepted"], mean["packets"])
        if mean["packets"]
        else all(point["saturated"] for point in points)
    )
    states = [point["state"] for point in points]
    mean["state"] = common_state(states, saturated=mean["saturated"])
    made: Any = {key: mean[key] for key in POINT_KEYS}
    if "timeline" in first:
        made["timeline"] = [
            _mean_window(windows)
            for windows in zip(*(point["timeline"] for point in points), strict=True)
        ]
    return made | {"seeds": len(points), "intervals": intervals}  # type: ignore[no-any-return]


def _mean_window(windows: Sequence[TimelineWindow]) -> TimelineWindow:
    shares = _known(windows, "nonminimal_share")
    return {
        "window_start_ns": windows[0]["window_start_ns"],
        "accepted": sum(window["accepted"] for window in windows) / len(windows),
        "nonminimal_share": sum(shares) / len(shares) if shares else None,
    }


def _known(rows: Sequence[Mapping[str, Any]], key: str) -> list[float]:
    return [row[key] for row in rows if row[key] is not None]
