"""Sixteen jobs of 256 nodes of Rayleigh start together (Chunduri et al., IPDPS 2021, V).

An iteration sends 11 GB, so it has an experiment of its own with fewer seeds.
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
    "scenario": scenario("rayleigh", ensemble("rayleigh", 256), routing="aries_ad0"),
    "axes": [application_axis(("rayleigh",), 256), mode_axis(detours=False), placement_axis()],
    "seeds": 2,
    "keep": KEEP,
}
