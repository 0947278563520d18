"""Table VI with routings that take any link between two groups, as CODES' model of Cray XC does.

`codes_adp` takes a link with the fewest hops; `codes_custom_adp` draws among all, as
dragonfly-custom, the model in CODES with two-dimensional groups.
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
        {"name": "variation", "cases": {"any link between groups": {}}},
        network_axis(*NETWORKS),
        placement_axis("random_groups"),
        # The claims look for the name of adaptive routing in the study.
        {
            "name": "routing.algorithm",
            "cases": {ROUTINGS[1]: {"routing.algorithm": "codes_custom_adp"}},
        },
    ],
    "seeds": 1,
    "keep": KEEP,
}
