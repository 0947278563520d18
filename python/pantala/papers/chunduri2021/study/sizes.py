"""Ensembles of 32 jobs of 128 nodes, and HACC on eight times 512 (IPDPS 2021, V)."""

from __future__ import annotations

from pantala.papers.chunduri2021.study.platform import (
    KEEP,
    ensemble,
    mode_axis,
    placement_axis,
    scenario,
)

experiment = {
    "scenario": scenario("sizes", ensemble("milc", 128), routing="aries_ad0"),
    "axes": [
        {
            "name": "application",
            "cases": {
                "milc-128": {"jobs": ensemble("milc", 128)},
                "hacc-128": {"jobs": ensemble("hacc", 128)},
                "hacc-512": {"jobs": ensemble("hacc", 512)},
            },
        },
        mode_axis("AD0", "AD3"),
        placement_axis(),
    ],
    "seeds": 2,
    "keep": KEEP,
}
