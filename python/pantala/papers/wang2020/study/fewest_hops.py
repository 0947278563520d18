"""Table VI with the adaptive routing of today's dragonfly-dally in CODES.

`codes_adp` goes through a random group and takes a link with the fewest hops; `codes_custom_adp`,
of the study, goes through a random router and draws among all links between two groups.
"""

from __future__ import annotations

from pantala.papers.wang2020.study.platform import (
    KEEP,
    NETWORKS,
    ROUTINGS,
    network_axis,
    placement_axis,
    scenario,
)

experiment = {
    "scenario": scenario("workload3", interference=False),
    "axes": [
        {"name": "variation", "cases": {"fewest hops between groups": {}}},
        network_axis(*NETWORKS),
        placement_axis("random_groups"),
        # The claims look for the name of adaptive routing in the study.
        {
            "name": "routing.algorithm",
            "cases": {ROUTINGS[1]: {"routing.algorithm": "codes_adp"}},
        },
    ],
    "seeds": 1,
    "keep": KEEP,
}
