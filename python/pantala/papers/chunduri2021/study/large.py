"""Eight jobs of MILC on 512 nodes each, with the counters of every tile (IPDPS 2021, V.A)."""

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
    "scenario": scenario("large", ensemble("milc", 512), routing="aries_ad0"),
    "axes": [application_axis(("milc",), 512), mode_axis("AD0", "AD3"), placement_axis()],
    "seeds": 3,
    "keep": [*KEEP, "links"],
}
