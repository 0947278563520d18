"""Sixteen jobs of MILC or HACC, with the counters of every tile (IPDPS 2021, V.A.1 and V.B)."""

from __future__ import annotations

from typing import Any

from pantala.papers.chunduri2021.study.platform import (
    KEEP,
    application_axis,
    ensemble,
    mode_axis,
    placement_axis,
    scenario,
)

experiment: dict[str, Any] = {
    "scenario": scenario("tiles", ensemble("milc", 256), routing="aries_ad0"),
    "axes": [application_axis(("milc", "hacc"), 256), mode_axis(), placement_axis()],
    "seeds": 3,
    "keep": [*KEEP, "links"],
}
