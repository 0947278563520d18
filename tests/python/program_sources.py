"""Wang's six applications on 64 ranks, from each source: built in, coNCePTuaL, Python.

The sizes are multiples of 4 B and the computing is whole microseconds, because coNCePTuaL's
reductions and delays need that.
"""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["APPLICATIONS", "Application", "call_counts"]


class Application(NamedTuple):
    """An application, and what its sources need to describe the same run.

    Attributes:
        name: name of the files of the coNCePTuaL and the Python program.
        built_in: the workload of a scenario.
        plan: keys of the plan's workload that no scenario can set, as exact sizes.
        arguments: arguments of the coNCePTuaL and of the Python program.
        waitalls: calls of Waitall per rank in the built-in workload and in coNCePTuaL, which waits
            for sends and for receives separately.
    """

    name: str
    built_in: dict[str, Any]
    plan: dict[str, Any]
    arguments: dict[str, int]
    waitalls: tuple[int, int]


_ROUNDED = {
    "ghost_bytes": [9_332, 18_980, 46_608],
    "border_bytes": [24_888, 50_608, 124_280],
    "migration_bytes": [968, 692, 732],
    "charge_bytes": [1_288, 1_988, 3_800],
    "field_bytes": [3_860, 5_956, 11_396],
    "remap_bytes": [608, 608],
}

APPLICATIONS = (
    Application(
        "cosmoflow",
        {
            "kind": "allreduce_loop",
            "message": "281516 B",
            "compute": {"time": "100 us"},
            "iterations": 2,
        },
        {},
        {"steps": 2, "gradient": 281_516, "usecs": 100},
        (0, 0),
    ),
    Application(
        "alexnet",
        {"kind": "alexnet", "compute": {"time": "50 us"}, "iterations": 2},
        {"parameter_bytes": [24_064] * 16, "gradient_bytes": [55_004] * 7},
        {"updates": 2, "tensor": 24_064, "gradient": 55_004, "usecs": 50},
        (0, 0),
    ),
    Application(
        "nearest_neighbor",
        {
            "kind": "halo3d",
            "message": "128 KiB",
            "periodic": True,
            "iterations": 3,
            "start_delay": "0 ns",
        },
        {},
        {"reps": 3},
        (3 * 3, 3 * 3),
    ),
    Application(
        "milc",
        {"kind": "milc_swm", "iterations": 2, "compute": {"time": "7 us"}},
        {},
        {"reps": 2, "usecs": 7},
        (2 * 2, 2 * 2 * 2),
    ),
    Application(
        "nekbone",
        {"kind": "nekbone", "iterations": 4},
        {},
        {"reps": 2},
        (4, 2 * 4),
    ),
    Application(
        "lammps",
        {"kind": "lammps", "iterations": 10},
        _ROUNDED,
        {"steps": 10},
        (0, 0),
    ),
)


def call_counts(communication: dict[str, Any]) -> list[dict[str, int]]:
    """Returns the number of sends and of each collective of every rank.

    A send is any call that sends one message, blocking or not, because the sources may differ in
    that where the simulated time is the same.
    """
    sends = ("send", "isend", "sendrecv", "ssend", "issend", "bsend", "rsend")
    counts = []
    for rank in communication["ranks"]:
        calls: dict[str, int] = rank["calls"]
        collectives = {name: number for name, number in calls.items() if name not in sends}
        counts.append({"send": sum(calls.get(name, 0) for name in sends), **collectives})
    return counts
