"""Scenarios that once gave other results on several threads, found by the campaign."""

from __future__ import annotations

from typing import Any

import pytest

from scenarios.record import results

pytestmark = pytest.mark.native

THETA = {
    "preset": "theta",
    "topology": {"p": 2, "rows": 2, "columns": 3, "h": 2, "g": 4, "links_per_pair": 0},
}
UNIFORM = {"kind": "pattern", "pattern": "uniform", "load": 0.3}
COMPLEMENT = {"kind": "pattern", "pattern": "bit_complement", "load": 0.3}
SCENARIOS: dict[str, dict[str, Any]] = {
    # A link that waits for a flit before it decides took the first packet if that was sent ahead,
    # and any if they had queued.
    "ready within the flit before a decision": {
        "machine": THETA
        | {"router": {"model": "sst_merlin_2021", "output_latency_at": "crossbar"}},
        "stop": {"duration": "5 us"},
        "seed": 5,
        "jobs": [
            {
                "name": "job",
                "ranks": 16,
                "workload": UNIFORM,
                "placement": {"kind": "compact", "groups": 2},
            }
        ],
    },
    # A packet that was sent ahead counted when it was granted, one that had queued when it started.
    "sent ahead past the end": {
        "machine": THETA | {"router": {"model": "booksim2", "flow_control": "virtual_cut_through"}},
        "stop": {"duration": "40 us"},
        "seed": 2,
        "jobs": [{"name": "job", "ranks": 27, "workload": COMPLEMENT}],
    },
    # A window without events did not count what starts in it.
    "sent ahead into an empty window": {
        "machine": {
            "preset": "prisacari2015(2,4,2)",
            "router": {
                "model": "sst_merlin_2021",
                "crossbar_clock": "flit",
                "input_latency": "15 us",
            },
        },
        "routing": "aries_ad2",
        "stop": {"duration": "40 us"},
        "seed": 8,
        "jobs": [
            {
                "name": "job",
                "ranks": 24,
                "workload": {"kind": "pattern", "pattern": "bit_complement", "load": 0.1},
                "placement": "compact",
                "end": "300 ns",
            }
        ],
    },
    # Rows of the messages that one rank sends to another of its node at one time had no order.
    "messages inside a node": {
        "machine": {
            "preset": "wang2020_2d",
            "topology": {"p": 2, "rows": 2, "columns": 2, "h": 2, "g": 5, "links_per_pair": 0},
            "router": {"model": "sst_sc22", "arbiter": "round_robin"},
            "links": {"terminal": {"bandwidth": "25 GB/s"}},
        },
        "routing": "merlin_ugal",
        "stop": {"duration": "40 us"},
        "seed": 2,
        "mpi": {"control": "1 KiB"},
        "jobs": [
            {
                "name": "lu",
                "ranks": 16,
                "ranks_per_node": 2,
                "start": "1 us",
                "workload": {
                    "kind": "lu",
                    "iterations": 2,
                    "start_delay": "0 ns",
                    "message": "40 KiB",
                },
            },
            {
                "name": "stop",
                "ranks": 4,
                "workload": {"kind": "ember.Stop", "iterations": 2},
                "placement": {"kind": "contiguous", "numbering": "random_groups"},
                "compute_noise": "exponential",
            },
            {
                "name": "bcast",
                "ranks": 16,
                "workload": {"kind": "ember.Bcast", "iterations": 1},
                "placement": "random_routers",
            },
        ],
    },
    # Phases of no length that start at one time had no order.
    "phases without length": {
        "machine": {
            "preset": "kang2022",
            "topology": {"p": 3, "a": 3, "h": 2, "g": 4, "links_per_pair": 2},
            "router": {"model": "sst_sc22", "input_vc_gap": 3},
        },
        "stop": {"duration": "40 us"},
        "jobs": [
            {
                "name": "scatterv",
                "ranks": 6,
                "workload": {"kind": "ember.Scatterv", "iterations": 3},
                "placement": "hybrid",
            },
            {
                "name": "lulesh",
                "ranks": 27,
                "workload": {
                    "kind": "lulesh",
                    "iterations": 1,
                    "start_delay": "0 ns",
                    "compute": {},
                },
            },
        ],
    },
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_two_and_three_threads_give_the_results_of_one(name: str) -> None:
    tables = {"name": "threads", "routing": "minimal", **SCENARIOS[name]}
    one = results(tables, 1)
    assert results(tables, 2) == one
    assert results(tables, 3) == one
