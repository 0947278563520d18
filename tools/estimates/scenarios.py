"""The 30 scenarios that judge the estimates, as data; each runs for 1 to 30 CPU-seconds.

They cover all router models, minimal and adaptive routings, machines of 72 to 8,448 nodes, messages
below a packet, jobs that repeat, backgrounds, coarse packets, traces, programs and the records of
a run. They are no part of a study, and nothing is tuned to one of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["SCENARIOS", "write_trace"]

_72 = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
_342 = {"preset": "kang2022", "topology": {"p": 3, "a": 6, "h": 3, "g": 19}}
_1056 = {"preset": "kang2022"}


def _router(machine: dict[str, Any], model: str) -> dict[str, Any]:
    return {**machine, "router": {"model": model}}


def _job(name: str, ranks: int, kind: str, **keys: Any) -> dict[str, Any]:
    workload = {"kind": kind, **keys}
    return {"name": name, "ranks": ranks, "placement": "random", "workload": workload}


def _uniform(ranks: int, load: float, pattern: str = "uniform") -> dict[str, Any]:
    return _job(pattern, ranks, "pattern", pattern=pattern, load=load)


def _halo(grid: tuple[int, int, int], message: str, iterations: int, **keys: Any) -> dict[str, Any]:
    ranks = grid[0] * grid[1] * grid[2]
    given = {"message": message, "iterations": iterations, "start_delay": "0 ns", **keys}
    return _job("halo", ranks, "halo3d", grid=list(grid), **given)


def _random(ranks: int, message: str, iterations: int, **keys: Any) -> dict[str, Any]:
    given = {"message": message, "iterations": iterations, "start_delay": "0 ns", **keys}
    return _job("random", ranks, "uniform_random", **given)


def _of(machine: Any, routing: Any, *jobs: dict[str, Any], **tables: Any) -> dict[str, Any]:
    return {"machine": machine, "routing": routing, "jobs": list(jobs), **tables}


def _for(microseconds: int) -> dict[str, str]:
    return {"duration": f"{microseconds} us"}


_YANG = {"preset": "yang2016"}
_QUIET = {"packets": "off", "messages": False, "iterations": False, "link_windows": False}

#: Tables of a scenario by its name. `{trace}` stands for the path of a trace; see `write_trace`.
SCENARIOS: dict[str, dict[str, Any]] = {
    # patterns for a set time
    "uniform-1056": _of(_1056, "minimal", _uniform(1056, 0.5), stop=_for(60)),
    "uniform-1056-light": _of(_1056, "ugal_g", _uniform(1056, 0.1), stop=_for(300)),
    "adversarial-1056": _of(
        _1056, "ugal_n", _uniform(1056, 0.3, "next_group"), stop=_for(60), record=_QUIET
    ),
    "overload-342": _of(_342, "minimal", _uniform(342, 0.4, "next_group"), stop=_for(1500)),
    "booksim2-1056": _of(
        {"preset": "booksim2"},
        {"algorithm": "booksim_ugal", "vc_map": "booksim2"},
        _uniform(1056, 0.4),
        stop=_for(10),
    ),
    "caminos-1056": _of({"preset": "caminos"}, "valiant_node", _uniform(1056, 0.3), stop=_for(20)),
    "uniform-8448": _of({"preset": "wang2020_1d"}, "par", _uniform(8448, 0.12), stop=_for(60)),
    # programs to their end
    "halo-72": _of(_72, "minimal", _halo((4, 4, 4), "64 KiB", 60)),
    "halo-random-1056": _of(
        _1056, "ugal_g", _halo((8, 8, 8), "32 KiB", 6), _random(512, "8 KiB", 60)
    ),
    "fft-1056-sst": _of(
        _router(_1056, "sst_sc22"),
        "q_adaptive",
        _job("fft", 528, "fft3d", grid=[22, 24], points=200, iterations=2, start_delay="0 ns"),
        mpi="sst_sc22",
    ),
    "mixed-1056-sst": _of(
        _router(_1056, "sst_sc22"), "par", stop=_for(1000), mpi="sst_sc22", record=_QUIET
    )
    | {"jobs": "kang2022.mixed"},
    "small-messages-342": _of(_342, "minimal", _random(342, "64 B", 4000, compute="100 ns")),
    "tiny-allreduces-342": _of(
        _342,
        "ugal_n",
        _job("loop", 256, "allreduce_loop", message="8 B", compute="500 ns", iterations=800),
    ),
    "large-allreduces-342": _of(
        _342, "par", _job("loop", 256, "allreduce_loop", message="1 MiB", iterations=4)
    ),
    "compute-bound-72": _of(_72, "ugal_g", _halo((4, 4, 4), "2 KiB", 2500, compute="200 us")),
    "codes-dally-342": _of(
        _router(_342, "codes_dally"),
        "par",
        _halo((7, 7, 6), "48 KiB", 12),
        _random(40, "1 KiB", 900),
    ),
    "booksim2-router-72": _of(_router(_72, "booksim2"), "minimal", _halo((4, 4, 4), "16 KiB", 120)),
    "caminos-router-342": _of(
        _router(_342, "caminos"), "ugal_g", _halo((7, 7, 6), "24 KiB", 10, compute="5 us")
    ),
    "milc-2d": _of(
        {
            "preset": "theta",
            "topology": {"p": 4, "rows": 4, "columns": 4, "h": 4, "g": 8, "links_per_pair": 0},
        },
        "aries_ad3",
        _job("milc", 256, "milc", iterations=1),
    ),
    # Yang et al.: many small messages
    "yang-workload1": _of(_YANG, "minimal", record=_QUIET) | {"jobs": "yang2016.workload1"},
    "yang-workload2-short": _of(_YANG, "par", stop=_for(1500)) | {"jobs": "yang2016.workload2"},
    "yang-multigrid": _of(_YANG, "ugal_g", _job("multigrid", 125, "multigrid")),
    "yang-crystal-router": _of(_YANG, "ugal_n", _job("crystal", 100, "crystal_router")),
    # repetition, backgrounds, coarse packets
    "repeating-342": _of(
        _342,
        "ugal_g",
        _halo((6, 6, 4), "32 KiB", 40),
        {**_random(150, "4 KiB", 10), "repeat": True},
        stop={"target": "halo"},
    ),
    "background-72": _of(
        _72,
        "ugal_n",
        _job("milc", 16, "milc", scaling="weak", iterations=40),
        background={
            "share": 0.8,
            "applications": [
                {"workload": {"kind": "milc", "scaling": "weak"}},
                {"workload": {"kind": "nek5000", "scaling": "weak"}},
            ],
        },
    ),
    "coarse-1056": _of(
        _1056,
        "ugal_g",
        _halo((8, 8, 8), "256 KiB", 6),
        _random(512, "64 KiB", 40),
        detail={"coarsen": 4},
    ),
    # traces and programs
    "goal-trace-64": _of(
        _72, "par", {"name": "trace", "workload": {"kind": "trace", "path": "{trace}"}}
    ),
    "program-72": _of(
        _72,
        "ugal_g",
        _job("milc", 64, "ncptl", file="examples/programs/milc.ncptl", arguments={"reps": 4}),
        _random(8, "16 KiB", 300),
    ),
    "all-packets-342": _of(
        _342,
        "ugal_n",
        _random(342, "16 KiB", 60),
        record={"packets": "all", "packet_paths": True, "ports": {"windows": ["10 us"]}},
    ),
    "halo-8448": _of({"preset": "wang2020_1d"}, "ugal_g", _halo((16, 16, 16), "16 KiB", 2)),
}


def write_trace(path: Path, ranks: int = 64, steps: int = 400) -> None:
    """Writes a GOAL trace: a ring in which messages of several sizes follow short computations."""
    lines = [f"num_ranks {ranks}"]
    for rank in range(ranks):
        lines.append(f"rank {rank} {{")
        for step in range(steps):
            size = (64, 2048, 32768)[step % 3]
            after = (rank + 1 + step % 5) % ranks
            before = (rank - 1 - step % 5) % ranks
            lines.append(f"c{step}: calc 800")
            lines.append(f"s{step}: send {size}b to {after} tag {step}")
            lines.append(f"r{step}: recv {size}b from {before} tag {step}")
            lines.append(f"s{step} requires c{step}")
            if step:
                lines.append(f"c{step} requires r{step - 1}")
        lines.append("}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
