"""Table VI with routings that take any link between two groups, as CODES' model of Cray XC does.

`codes_adp` takes a link with the fewest hops; `codes_custom_adp` draws among all, as
dragonfly-custom, the model in CODES with two-dimensional groups.
"""

from __future__ import annotations

from pantala.papers.wang2020.study.platform import (
    KEEP,
    NETWORKS,
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
        {
            "name": "routing.algorithm",
            "cases": {"codes_adp": {"routing.algorithm": "codes_custom_adp"}},
        },
    ],
    "seeds": 1,
    "keep": KEEP,
}
