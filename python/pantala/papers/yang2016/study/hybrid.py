"""Workload I with AMG placed contiguously, the others at random (Yang et al., SC 2016, 6)."""

from __future__ import annotations

from pantala.papers.yang2016.study.platform import KEEP, ROUTINGS, SEEDS, placement_axis, scenario

experiment = {
    "scenario": scenario("workload1"),
    "axes": [placement_axis("hybrid"), {"routing.algorithm": list(ROUTINGS)}],
    "seeds": SEEDS,
    "keep": KEEP,
}
