"""Sixteen jobs of 256 nodes of one application start together (Chunduri et al., IPDPS 2021, V).

MILC and HACC are in `tiles`, whose figures need every link.
"""

from __future__ import annotations

from pantala.papers.chunduri2021.study.platform import (
    KEEP,
    application_axis,
    ensemble,
    mode_axis,
    placement_axis,
    scenario,
)

experiment = {
    "scenario": scenario("ensembles", ensemble("nek5000", 256), routing="aries_ad0"),
    "axes": [
        application_axis(("milcreorder", "nek5000", "qbox"), 256),
        mode_axis(),
        placement_axis(),
    ],
    "seeds": 3,
    "keep": KEEP,
}
