"""Workload I with non-minimal paths through a router instead of a group, as the paper says (2.2).

CODES' code, and so `codes_adp` and `codes_padp`, draws an intermediate group. `ugal_n` and `par`
draw an intermediate router.
"""

from __future__ import annotations

from pantala.papers.yang2016.study.platform import (
    KEEP,
    PLACEMENTS,
    ROUTINGS,
    placement_axis,
    scenario,
)

_THROUGH_A_ROUTER = {"minimal": "minimal", "codes_adp": "ugal_n", "codes_padp": "par"}

experiment = {
    "scenario": scenario("workload1"),
    "axes": [
        {"name": "variation", "cases": {"paths through a router": {}}},
        placement_axis(*PLACEMENTS),
        {
            "name": "routing.algorithm",
            "cases": {each: {"routing": _THROUGH_A_ROUTER[each]} for each in ROUTINGS},
        },
    ],
    "seeds": 1,
    "keep": KEEP,
}
