"""Workload 3 with the bytes of each job at every router in 0.5 ms (Wang et al., IV.D, Fig. 8)."""

from __future__ import annotations

from pantala.papers.wang2020.study.platform import NO_DETAIL, SEEDS, placement_axis, scenario

_record = {**NO_DETAIL, "routers": {"windows": ["0.5 ms"]}}

experiment = {
    "scenario": scenario("workload3", interference=False, record=_record),
    "axes": [placement_axis("random_groups", "random_routers")],
    "seeds": SEEDS,
    "keep": ["jobs", "ranks", "router_windows"],
}
