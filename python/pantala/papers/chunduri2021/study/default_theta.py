"""The whole mix of Theta under AD0 and under AD3 (Chunduri et al., IPDPS 2021, V.C, Fig. 13).

The counters of link classes have about 100 windows, as the paper has about 100 samples of a week.
"""

from __future__ import annotations

from typing import Any

from pantala.papers.chunduri2021.study.platform import KEEP, mode_axis, production, target

_base = production("default-theta", [target("milc")], share=0.95, routing="aries_ad0")

experiment: dict[str, Any] = {
    "scenario": {
        **_base,
        "stop": {"duration": "500 us"},
        "record": {**_base["record"], "window": "50 us", "system": {"windows": ["5 us"]}},
    },
    "axes": [mode_axis("AD0", "AD3")],
    "seeds": 6,
    "keep": KEEP,
}
