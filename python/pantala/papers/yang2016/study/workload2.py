"""Workload II, in six configurations (Yang et al., SC 2016, 5)."""

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
    "scenario": scenario("workload2"),
    "axes": [placement_axis(*PLACEMENTS), {"routing.algorithm": list(ROUTINGS)}],
    "seeds": SEEDS,
    "keep": KEEP,
}
