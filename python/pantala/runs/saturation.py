"""The saturation load: bracketed by bisection.

A load is saturated if the network accepts less than 0.97 of it, as mean over the seeds. The
saturation load lies between the largest load that is not saturated and the smallest load that is,
among the loads of a bisection from 0 to 1.

A network that has not settled (`pantala.runs.curve_states`) is measured again with a warm-up twice
as long, up to three times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

from pantala.core.extension import Threads
from pantala.errors import UsageError
from pantala.runs.curve_points import CurvePoint
from pantala.runs.curve_setup import curve_setup
from pantala.runs.curve_states import UNSETTLED
from pantala.runs.load_curve import LoadMeasurement
from pantala.text.units import Duration

__all__ = ["DOUBLINGS", "Saturation", "bracket", "saturation"]

#: How often the warm-up of a load doubles at most, until the network has settled.
DOUBLINGS = 3

#: The bisection ends at a load of this size: no load seems to be accepted.
_LEAST = 2.0**-12


class Saturation(TypedDict):
    """The saturation load of a network, as fractions of terminal bandwidth.

    Attributes:
        low: the largest measured load that is not saturated; 0 if all are.
        high: the smallest measured load that is saturated; None if load 1 is not.
        accepted: the accepted throughput at `low`; None for 0.
        resolution: the largest width of the bracket in relation to `high`.
        seeds: the number of seeds per load.
        unsettled: the loads at which the network had not settled after the longest warm-up.
        points: the measured points by rising load, each with its longest warm-up.
    """

    low: float
    high: float | None
    accepted: float | None
    resolution: float
    seeds: int
    unsettled: list[float]
    points: list[CurvePoint]


def bracket(
    saturated: Callable[[float], bool], resolution: float = 0.02
) -> tuple[float, float | None]:
    """Returns the largest load that is not saturated and the smallest that is, by bisection.

    The loads are 1, 1/2, and then the middle of the bracket, until its width is at most
    `resolution` of its upper end. They depend on the answers only.

    Args:
        saturated: says whether a load is saturated.
        resolution: the width of the bracket over its upper end.

    Returns:
        The two loads; 0 if no load was accepted, and None if load 1 is not saturated.
    """
    if not saturated(1.0):
        return 1.0, None
    low, high = 0.0, 1.0
    while high - low > resolution * high and high > _LEAST:
        middle = (low + high) / 2
        if saturated(middle):
            high = middle
        else:
            low = middle
    return low, high


def saturation(
    *,
    resolution: float = 0.02,
    seeds: int = 1,
    out: str | Path | None = None,
    threads: Threads = 1,
    workers: int | None = None,
    on_point: Callable[[CurvePoint], None] | None = None,
    **setup: Any,
) -> Saturation:
    """Brackets the load at which a network saturates under synthetic traffic.

    A load is saturated if the network accepts less than 0.97 of it, as mean over the seeds. The
    loads are those of a bisection from 0 to 1, so the answer does not depend on threads or workers.
    If the state of a point is learning, draining or filling, the load is measured again with a
    warm-up twice as long, up to three times.

    Args:
        resolution: the largest width of the bracket in relation to its upper end.
        seeds: the number of seeds per load, from ``seed`` on.
        out: a directory in which the measurements are kept, as in `curve`.
        threads: the number of threads per measurement, as in `curve`.
        workers: the number of measurements at a time: seeds of one load, as in `curve`.
        on_point: called with each point when it is measured.
        setup: the other arguments of `curve`, but `loads`: preset, machine, routing, pattern, ...

    Returns:
        A dictionary. ``low`` is the largest load that is not saturated (0 if all are), and
        ``high`` the smallest that is (None if load 1 is not), as fractions of the terminal
        bandwidth. ``accepted`` is the accepted throughput at ``low``, ``unsettled`` has the loads
        at which the network had not settled, and ``points`` the measured points, as of `curve`.

    Raises:
        UsageError: the resolution is not between 0.0001 and 1, or another argument is wrong.
        ScenarioError: a name or value is wrong, or the network cannot be built.
        SimulationError: the network stalled.
        RunDirectoryError: `out` cannot be written or holds something else.
    """
    if not 0.0001 <= resolution < 1:
        raise UsageError(
            f"resolution = {resolution}: must be from 0.0001 to less than 1; write e.g. 0.02"
        )
    first = curve_setup(**setup)
    measurements = [
        LoadMeasurement(
            replace(first, warmup=Duration(first.warmup * 2**doubled)),
            seeds=seeds,
            out=out,
            threads=threads,
            workers=workers,
        )
        for doubled in range(1 + DOUBLINGS)
    ]
    points: dict[float, CurvePoint] = {}

    def saturated(load: float) -> bool:
        for measurement in measurements:
            (points[load],) = measurement.points([load], on_point)
            if points[load]["state"] not in UNSETTLED:
                break
        return points[load]["saturated"]

    low, high = bracket(saturated, resolution)
    return {
        "low": low,
        "high": high,
        "accepted": points[low]["accepted"] if low else None,
        "resolution": resolution,
        "seeds": seeds,
        "unsettled": [load for load in sorted(points) if points[load]["state"] in UNSETTLED],
        "points": [points[load] for load in sorted(points)],
    }
