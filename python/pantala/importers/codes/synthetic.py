"""Synthetic workloads of CODES, ``synthetic1`` to ``synthetic6``, as patterns of a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pantala.importers.place import Place

__all__ = ["REFUSED", "synthetic_workload"]

_PROGRAM = "write it as a Python or coNCePTuaL program"
#: Reason and remedy of the synthetic workloads that Pantala does not run, by their numbers.
REFUSED: Mapping[str, tuple[str, str]] = {
    "3": ("every rank sends to all others in turn, and Pantala has no such pattern", _PROGRAM),
    "4": ("it is a stencil in two dimensions, and Pantala has no such pattern", _PROGRAM),
    "5": ("every rank changes its partner after some data", "use synthetic1 or synthetic6"),
}


def synthetic_workload(
    number: str, ranks: int, interval: float, payload: int, bandwidth: int, place: Place
) -> dict[str, Any]:
    """Returns a synthetic workload as a pattern.

    Args:
        number: the number after ``synthetic``.
        ranks: the job's number of ranks.
        interval: nanoseconds between two messages of a rank.
        payload: bytes of a message.
        bandwidth: bytes per second of a node's link.
        place: the line of the workload file.

    Raises:
        ScenarioError: Pantala has no such pattern, or the link cannot carry the load.
    """
    if number in REFUSED:
        reason, remedy = REFUSED[number]
        raise place.error(f"Pantala does not run synthetic{number}: {reason}", remedy)
    if number not in {"1", "2", "6"}:
        message = f"synthetic{number[:20]} is not a synthetic workload of CODES"
        raise place.error(message, "write synthetic1 to synthetic6")
    if number == "6" and ranks % 2:
        message = f"synthetic6 pairs the halves of a job, but the job has {ranks} ranks"
        raise place.error(message, "write an even number of ranks")
    if interval == 0:
        message = f"synthetic{number} has mean_interval 0"
        raise place.error(message, "write the nanoseconds between two messages of a rank")
    load = round(payload * 1e9 / (interval * bandwidth), 9)
    if not 0 < load <= 1:
        least = payload * 1e9 / bandwidth
        message = (
            f"{payload} B every {interval:g} ns are {load:.3g} times the bandwidth of a node's link"
        )
        raise place.error(message, f"write a mean_interval from {least:.6g} ns on")
    table: dict[str, Any] = {"kind": "pattern", "pattern": "uniform", "load": load}
    if number != "1":
        table |= {"pattern": "shift", "offset": 1 if number == "2" else ranks // 2}
    return table | {"injection": "periodic"}
