"""Odd scenarios, small and quick: what users' runs come to at the edges.

Kinds take turns, and within a kind the routings and the topologies.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

__all__ = ["KINDS", "odd"]

Tables = dict[str, Any]

_ONE: Tables = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
_FEW: Tables = {
    "preset": "kang2022",
    "topology": {"p": 3, "a": 3, "h": 2, "g": 4, "links_per_pair": 2},
}
_GRID: Tables = {
    "preset": "theta",
    "topology": {"p": 2, "rows": 2, "columns": 3, "h": 2, "g": 4, "links_per_pair": 0},
}
_OWN: Tables = {"router": {"model": "pantala"}}
_MACHINES = (_ONE | _OWN, _FEW, _GRID, _ONE, _FEW | _OWN)
_ROUTINGS = ("ugal_n", "minimal", "aries_ad0", "valiant_node", "ugal_g", "par")
_GRIDS = {2: [2, 1, 1], 8: [2, 2, 2], 12: [3, 2, 2]}
#: Names that look like numbers, columns, parts of a run or of a path.
_NAMES = ("5", "1e9", "nan", "0.3", "together", "null", "7..j", "job_0_share", "alone-together")


def _halo(name: str, ranks: int, draws: random.Random, **keys: Any) -> Tables:
    workload = {
        "kind": "halo3d",
        "grid": _GRIDS[ranks],
        "message": f"{draws.choice((1, 6, 20, 60))} kB",
        "iterations": draws.choice((2, 3, 5)),
        "compute": f"{draws.choice((0, 1, 3))} us",
        "start_delay": "0 ns",
    }
    workload |= keys.pop("workload", {})
    placement = keys.pop("placement", "random")
    return {"name": name, "ranks": ranks, "placement": placement, "workload": workload, **keys}


def _noise(name: str, ranks: int, load: float, pattern: str = "uniform", **keys: Any) -> Tables:
    workload = {"kind": "pattern", "pattern": pattern, "load": load}
    return {"name": name, "ranks": ranks, "placement": "random", "workload": workload, **keys}


def _cut_off(draws: random.Random) -> Tables:
    long = {"workload": {"iterations": 50}}
    return {
        "jobs": [_halo("cut", 12, draws, **long), _noise("noise", 6, 0.3)],
        "stop": {"duration": f"{draws.randint(10_100, 39_000)} ns"},
    }


def _one_rank(draws: random.Random) -> Tables:
    alone = _halo("alone", 2, draws)
    alone |= {"ranks": 1}
    alone["workload"] |= {"grid": [1, 1, 1], "compute": "2 us"}
    return {"jobs": [alone, _halo("pair", 2, draws)]}


def _no_traffic(draws: random.Random) -> Tables:
    alone = _one_rank(draws)["jobs"][0]
    return {"jobs": [alone | {"name": f"still-{place}"} for place in range(draws.choice((1, 2)))]}


def _late(draws: random.Random) -> Tables:
    start = f"{draws.choice((1, 33, 70))} us"
    return {"jobs": [_halo("early", 8, draws), _halo("late", 12, draws, start=start)]}


def _failed(draws: random.Random) -> Tables:
    return {
        "failed": draws.choice((0.05, 0.1)),
        "jobs": [_halo("halo", 8, draws), _noise("noise", 12, 0.4)],
        "stop": {"duration": "25 us"},
    }


def _saturated(draws: random.Random) -> Tables:
    pattern = draws.choice(("next_group", "uniform"))
    return {
        "jobs": [_noise("flood", 24, 1.0, pattern), _halo("small", 8, draws)],
        "stop": {"duration": "30 us"},
    }


def _skipped(draws: random.Random) -> Tables:
    long = {"workload": {"iterations": draws.choice((200, 400)), "compute": "1 us"}}
    jobs = [_halo("long", 8, draws, **long)]
    if draws.random() < 0.5:
        jobs.append(_halo("other", 2, draws, **long))
    for job in jobs:
        job["workload"]["message"] = "2 kB"
    return {"jobs": jobs, "skip": {"tolerance": "10 %", "minimum": 4}}


def _coarse(draws: random.Random) -> Tables:
    jobs = [_halo("halo", 12, draws, workload={"message": "60 kB"}), _noise("noise", 6, 0.4)]
    return {
        "detail": {"coarsen": draws.choice((2, 4))},
        "jobs": jobs,
        "stop": {"duration": "40 us"},
    }


def _many(draws: random.Random) -> Tables:
    return {"jobs": [_halo("small", 2, draws, count=draws.choice((9, 16)))]}


def _hostile(draws: random.Random) -> Tables:
    names = draws.sample(_NAMES, 3)
    jobs = [_halo(names[0], 8, draws), _halo(names[1], 2, draws), _noise(names[2], 6, 0.2)]
    return {"jobs": jobs, "stop": {"duration": "30 us"}}


def _together(draws: random.Random) -> Tables:
    jobs = [_halo("a", 8, draws), _halo("b", 12, draws), _noise("noise", 6, 0.3)]
    return {
        "jobs": jobs[: draws.choice((2, 3))],
        "interference": True,
        "stop": {"duration": "90 us"},
    }


def _repeats(draws: random.Random) -> Tables:
    jobs = [_halo("again", 8, draws, repeat=True, end="21 us"), _halo("once", 12, draws)]
    return {"jobs": jobs, "stop": {"duration": "60 us"}}


KINDS: dict[str, Callable[[random.Random], Tables]] = {
    "cut off": _cut_off,
    "one rank": _one_rank,
    "no traffic": _no_traffic,
    "late job": _late,
    "failed links": _failed,
    "saturated": _saturated,
    "skipped time": _skipped,
    "coarse": _coarse,
    "many small jobs": _many,
    "hostile names": _hostile,
    "interference": _together,
    "repeats, ends": _repeats,
}


def odd(seed: int, case: int) -> tuple[str, Tables]:
    """Returns the kind of a case and its scenario's tables, with every packet's path recorded."""
    kind = list(KINDS)[case % len(KINDS)]
    turn = case // len(KINDS)
    draws = random.Random(f"{seed} {case}")
    tables = KINDS[kind](draws)
    machine = _MACHINES[(turn + case) % len(_MACHINES)]
    if failed := tables.pop("failed", None):
        # Two links between each two groups, so that every routing finds a path.
        machine = _FEW | {"topology": _FEW["topology"] | {"failed_links": {"share": failed}}}
    if "detail" in tables:
        machine = machine | {"nic": {"responses": False}}
    record: Tables = {"window": draws.choice(("5 us", "10 us"))}
    # A run that records every packet skips no time.
    packets = "sampled" if kind == "skipped time" else "all"
    record |= {"packets": packets, "packet_paths": True, "rank_calls": True}
    record |= {"blame": {"window": "10 us"}}
    if draws.random() < 0.5:
        record |= {"latency_windows": "10 us", "routing_windows": "10 us", "rank_messages": True}
    return kind, {
        "name": f"odd-{case}",
        "seed": draws.randint(1, 99),
        "machine": machine,
        "routing": {"algorithm": _ROUTINGS[(turn + case) % len(_ROUTINGS)]},
        "record": record,
        **tables,
    }
