"""Shift by one group, m < h, under ValiantRestricted."""

from __future__ import annotations

from pantala.papers.prisacari2015.study.networks import (
    SIZES,
    changes_of,
    configuration_axis,
    scenario,
    traffic,
)
from pantala.papers.prisacari2015.study.variants import UNTIL_PRECISE

experiment = {
    "scenario": scenario("near_shift"),
    "axes": [
        {
            "name": "traffic",
            "cases": {
                traffic("shift", size): changes_of("shift", size, groups=1)
                for size in (SIZES[1], SIZES[3])
            },
        },
        configuration_axis(("valiant_group",)),
    ],
    "until_precise": UNTIL_PRECISE,
    "keep": ["jobs"],
}
