"""The whole mix of Cori under AD0 and under AD3 (Chunduri et al., IPDPS 2021, V.D, Fig. 14).

A NIC's mean latency in a window of 5 us takes the place of its mean in a second.
"""

from __future__ import annotations

from pantala.papers.chunduri2021.study.platform import (
    KEEP,
    machine,
    mode_axis,
    production,
    target,
)

_base = production(
    "default-cori", [target("milc")], share=0.95, routing="aries_ad0", machine=machine("cori")
)

experiment = {
    "scenario": {
        **_base,
        "stop": {"duration": "500 us"},
        "record": {**_base["record"], "window": "50 us", "nic_windows": "5 us"},
    },
    "axes": [mode_axis("AD0", "AD3", detours=False)],
    "seeds": 3,
    "keep": [*KEEP, "nic_windows"],
}
