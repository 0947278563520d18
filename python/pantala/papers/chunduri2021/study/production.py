"""One job of 256 nodes under AD0 and AD3 on a full machine under AD0 (IPDPS 2021, IV).

Each span of groups has six seeds, so that an application has 30 samples under each mode.
"""

from __future__ import annotations

from pantala.papers.chunduri2021.study.platform import (
    KEEP,
    PRODUCTION,
    mode_axis,
    production,
    spread_axis,
    target,
    targets_axis,
)

experiment = {
    "scenario": production("production", [target("milc")], routing="aries_ad0"),
    "axes": [
        targets_axis([kind for kind in PRODUCTION if kind != "milc"]),
        mode_axis("AD0", "AD3", jobs="jobs.target.", detours=False),
        spread_axis(),
    ],
    "seeds": 6,
    "keep": KEEP,
}
