"""Workload I under adaptive routing with three measures of congestion (Yang et al., 4.3, note 1).

Ten seeds: the rule of the claim leaves much room.
"""

from __future__ import annotations

from pantala.papers.yang2016.study.platform import (
    KEEP,
    PLACEMENTS,
    QUEUES,
    placement_axis,
    scenario,
)

experiment = {
    "scenario": scenario("workload1"),
    "axes": [placement_axis(*PLACEMENTS), {"routing.queue": list(QUEUES)}],
    "seeds": 10,
    "keep": KEEP,
}
