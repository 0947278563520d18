"""One job has the whole machine for itself (Chunduri et al., IPDPS 2021, III.A and V.A.1)."""

from __future__ import annotations

from pantala.papers.chunduri2021.study.platform import (
    APPLICATIONS,
    KEEP,
    RAYLEIGH,
    ensemble,
    mode_axis,
    placement_axis,
    scenario,
)

_SIZES = {
    **{kind: (kind, 256) for kind in APPLICATIONS},
    "milc-128": ("milc", 128),
    "milc-512": ("milc", 512),
    "hacc-128": ("hacc", 128),
    "hacc-512": ("hacc", 512),
}

experiment = {
    "scenario": scenario("isolated", ensemble("milc", 256, 256), routing="aries_ad0"),
    "axes": [
        {
            "name": "application",
            "cases": {
                name: {
                    "jobs": ensemble(kind, nodes, nodes),
                    **(RAYLEIGH if kind == "rayleigh" else {}),
                }
                for name, (kind, nodes) in _SIZES.items()
            },
        },
        mode_axis("AD0", "AD3"),
        placement_axis(),
    ],
    "seeds": 3,
    "keep": [*KEEP, "links"],
}
