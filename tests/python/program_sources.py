"""Wang's six applications on 64 ranks, each from three sources: built in, coNCePTuaL, Python.

The sizes are multiples of 4 B and the computing is whole microseconds, because reductions and
delays in coNCePTuaL need that.
"""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["APPLICATIONS", "RANKS", "Application"]

RANKS = 64


class Application(NamedTuple):
    """What the sources of an application need to describe the same run.

    Attributes:
        built_in: the workload of a scenario.
        exact: keys of the plan's workload that a scenario computes with odd sizes.
        ncptl: arguments of the coNCePTuaL program.
        python: arguments of the Python program.
        waitalls: calls of Waitall per rank: built in, in coNCePTuaL, in Python. coNCePTuaL waits
            for the sends and for the receives separately. The built-in halo exchange has a Wait for
            each receive.
    """

    built_in: dict[str, Any]
    exact: dict[str, Any]
    ncptl: dict[str, int]
    python: dict[str, Any]
    waitalls: tuple[int, int, int]


#: By the name of the files in examples/programs. A step of LAMMPS has 4 x 6 exchanges of a send and
#: a receive and 13 remaps; the step that chooses new ghosts has 6 more exchanges and, in
#: coNCePTuaL, 12 exchanges of lengths with two waits each, which are Sendrecvs elsewhere.
APPLICATIONS = {
    "cosmoflow": Application(
        {
            "kind": "allreduce_loop",
            "message": "281516 B",
            "compute": "100 us",
            "iterations": 2,
        },
        {},
        {"steps": 2, "gradient": 281_516, "usecs": 100},
        {"steps": 2, "gradient": 281_516, "compute": "100 us"},
        (0, 0, 0),
    ),
    "alexnet": Application(
        {"kind": "alexnet", "compute": "50 us", "iterations": 2},
        {"parameter_bytes": [24_064] * 16, "gradient_bytes": [55_004] * 7},
        {"updates": 2, "tensor": 24_064, "gradient": 55_004, "usecs": 50},
        {"updates": 2, "tensor": 24_064, "gradient": 55_004, "compute": "50 us"},
        (0, 0, 0),
    ),
    "nearest_neighbor": Application(
        {
            "kind": "halo3d",
            "grid": [4, 4, 4],
            "message": "128 KiB",
            "periodic": True,
            "iterations": 3,
            "start_delay": "0 s",
        },
        {},
        {"reps": 3},
        {"iterations": 3},
        (0, 3 * 3, 3 * 3),
    ),
    "milc": Application(
        {"kind": "milc_swm", "iterations": 2, "compute": "7 us"},
        {},
        {"reps": 2, "usecs": 7},
        {"iterations": 2, "compute": "7 us"},
        (2 * 2, 2 * 2 * 2, 2 * 2),
    ),
    "nekbone": Application(
        {"kind": "nekbone", "iterations": 4},
        {},
        {"reps": 2},
        {"iterations": 2},
        (4, 2 * 4, 4),
    ),
    "lammps": Application(
        {"kind": "lammps", "grid": [4, 4, 4], "iterations": 10},
        {
            "ghost_bytes": [9_332, 18_980, 46_608],
            "border_bytes": [24_888, 50_608, 124_280],
            "migration_bytes": [968, 692, 732],
            "charge_bytes": [1_288, 1_988, 3_800],
            "field_bytes": [3_860, 5_956, 11_396],
            "remap_bytes": [608, 608],
        },
        {"steps": 10},
        {"steps": 10},
        (10 * (5 * 6 + 13) + 6, 10 * (5 * 6 + 13) + 6 + 2 * 12, 10 * (5 * 6 + 13) + 6),
    ),
}
