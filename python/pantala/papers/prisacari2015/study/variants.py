"""Variants: each changes one thing that the paper leaves open, at 1,056 nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pantala.papers.prisacari2015.study.networks import (
    PATTERNS,
    SIZES,
    changes_of,
    configuration,
    scenario,
)

SIZE = SIZES[3]
VALIANT = ("valiant_group", "valiant_node")
#: A variant is only compared, so it ends early.
UNTIL_PRECISE: dict[str, Any] = {
    "precision": "1%",
    "longest": "800 us",
    "most_packets": 30_000_000,
}


def outside_the_middle() -> list[int]:
    """Returns the nodes of all groups but the middle one."""
    first = SIZE.groups // 2 * SIZE.group_nodes
    return [node for node in range(SIZE.nodes) if not first <= node < first + SIZE.group_nodes]


def variants() -> Iterator[tuple[str, str, tuple[str, ...], dict[str, Any]]]:
    """Yields the name of each variant, its pattern, its configurations, and its changes."""
    for pattern in PATTERNS:
        # A crossbar twice as fast as a link; and one that serves the oldest packet first.
        yield "speedup", pattern, VALIANT, {"machine.router.crossbar_bandwidth": "80 Gb/s"}
        yield "oldest_first", pattern, VALIANT, {"machine.router.arbiter": "age"}
    yield "open_grid", "neighbor_3d", VALIANT, {"jobs.0.workload.periodic": False}
    # 256 KiB to one neighbour, then 256 KiB to the other.
    yield "messages", "neighbor_3d", VALIANT, {"jobs.0.workload.message": "256 KiB"}
    # The middle group sends to itself, as the number of groups is odd.
    nodes = outside_the_middle()
    there = {"jobs.0.ranks": len(nodes), "jobs.0.placement": {"kind": "nodes", "nodes": nodes}}
    yield "no_middle", "bit_complement", ("minimal", *VALIANT), there
    groups = SIZE.h + SIZE.h // 2
    split = changes_of("shift", SIZE, groups=groups)
    yield "split_shift", "shift", ("valiant_group",), split


experiment = {
    "scenario": scenario("variants"),
    "axes": [
        {
            "name": "variant",
            "cases": {
                f"{name}: {pattern}, {each}": changes_of(pattern, SIZE)
                | configuration(each)
                | changes
                for name, pattern, configurations, changes in variants()
                for each in configurations
            },
        }
    ],
    "until_precise": UNTIL_PRECISE,
    "keep": ["jobs"],
}
