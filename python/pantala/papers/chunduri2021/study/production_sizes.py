"""MILC on 128 and on 512 nodes of a full machine (Chunduri et al., IPDPS 2021, IV.A, Fig. 3)."""

from __future__ import annotations

from pantala.papers.chunduri2021.study.platform import (
    KEEP,
    mode_axis,
    production,
    spread_axis,
    target,
    targets_axis,
)

experiment = {
    "scenario": production("production-sizes", [target("milc", 128)], routing="aries_ad0"),
    "axes": [
        targets_axis(["milc", "milcreorder"], (128, 512)),
        mode_axis("AD0", "AD3", jobs="jobs.target.", detours=False),
        spread_axis((2, 6, 12)),
    ],
    "seeds": 3,
    "keep": KEEP,
}
