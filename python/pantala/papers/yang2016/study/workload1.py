"""Workload I, each job alone and all together, in six configurations (Yang et al., SC 2016, 4)."""

from __future__ import annotations

from pantala.papers.yang2016.study.platform import (
    KEEP,
    PLACEMENTS,
    ROUTINGS,
    SEEDS,
    placement_axis,
    scenario,
)

experiment = {
    "scenario": scenario("workload1", interference=True),
    "axes": [placement_axis(*PLACEMENTS), {"routing.algorithm": list(ROUTINGS)}],
    "seeds": SEEDS,
    "keep": KEEP,
}
