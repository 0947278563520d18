"""Scenarios that once gave other results on several threads, found by the campaign."""

from __future__ import annotations

from typing import Any

import pytest

from scenarios.record import results

pytestmark = pytest.mark.native

SCENARIOS: dict[str, dict[str, Any]] = {
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
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_two_and_three_threads_give_the_results_of_one(name: str) -> None:
    tables = {"name": "threads", "routing": "minimal", **SCENARIOS[name]}
    one = results(tables, 1)
    assert results(tables, 2) == one
    assert results(tables, 3) == one
