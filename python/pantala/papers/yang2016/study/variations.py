"""Workload I with one thing varied at a time, to find out why claims do not hold.

The variations are readings of the paper that the text leaves open, and assumptions of the model.
"""

from __future__ import annotations

from pantala.papers.yang2016.study.platform import (
    KEEP,
    PLACEMENTS,
    ROUTINGS,
    placement_axis,
    scenario,
)

_SLOW = "0.25 GiB/s"

experiment = {
    "scenario": scenario("workload1"),
    "axes": [
        {
            "name": "variation",
            "cases": {
                "as in the study": {},
                "local and terminal links of 2 Gib/s": {
                    "machine.links.local.bandwidth": _SLOW,
                    "machine.links.terminal.bandwidth": _SLOW,
                },
                "no delay of links": {
                    "machine.links.local.latency": "1 ns",
                    "machine.links.terminal.latency": "1 ns",
                    "machine.links.global.latency": "1 ns",
                },
                "input buffers of 64 chunks": {"machine.router.input_buffer": "256 KiB"},
                "messages without rendezvous": {"mpi.eager_threshold": "1 GiB"},
                "router model pantala": {"machine.router.model": "pantala"},
                "global links as a palm tree": {
                    "machine.topology.global_arrangement": "palmtree",
                },
            },
        },
        placement_axis(*PLACEMENTS),
        {"routing.algorithm": list(ROUTINGS)},
    ],
    "seeds": 1,
    "keep": KEEP,
}
