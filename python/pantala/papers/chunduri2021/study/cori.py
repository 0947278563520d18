"""MILC on 128, 256 and 512 nodes of Cori (Chunduri et al., IPDPS 2021, IV.A, Fig. 4)."""

from __future__ import annotations

from pantala.papers.chunduri2021.study.platform import (
    KEEP,
    machine,
    mode_axis,
    production,
    spread_axis,
    target,
    targets_axis,
)

experiment = {
    "scenario": production("cori", [target("milc")], routing="aries_ad0", machine=machine("cori")),
    "axes": [
        targets_axis(["milc"], (128, 256, 512)),
        mode_axis("AD0", "AD3", jobs="jobs.target.", detours=False),
        spread_axis((2, 8, 24)),
    ],
    "seeds": 3,
    "keep": KEEP,
}
