"""MILC on 256 nodes of a full machine, with the counters of every tile (IPDPS 2021, IV.A)."""

from __future__ import annotations

from typing import Any

from pantala.papers.chunduri2021.study.platform import (
    KEEP,
    mode_axis,
    production,
    spread_axis,
    target,
    targets_axis,
)

_base = production("production-milc", [target("milc")], routing="aries_ad0")

experiment: dict[str, Any] = {
    "scenario": {
        **_base,
        "record": {
            **_base["record"],
            "ports": {"split": ["kind"], "classes": ["injection", "ejection"]},
        },
    },
    "axes": [
        targets_axis(["milc"]),
        mode_axis("AD0", "AD3", jobs="jobs.target."),
        spread_axis(),
    ],
    "seeds": 6,
    "keep": [*KEEP, "links", "port_windows"],
}
