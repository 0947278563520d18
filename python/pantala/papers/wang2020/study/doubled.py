"""Workload 3 twice as long, to see what the lengths of the jobs decide.

A key `skip` has its place here: nothing in this experiment is a maximum, a window or a count.
"""

from __future__ import annotations

from pantala.papers.wang2020.study.platform import (
    KEEP,
    NETWORKS,
    jobs,
    network_axis,
    placement_axis,
    scenario,
)

experiment = {
    "scenario": scenario("workload3", jobs=jobs("workload3", 2)),
    "axes": [network_axis(*NETWORKS), placement_axis("random_groups")],
    "seeds": 1,
    "keep": KEEP,
}
