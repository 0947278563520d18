"""ValiantRestricted beyond 512 switches, at half and at double the latencies."""

from __future__ import annotations

from pantala.papers.prisacari2015.study.latencies import LATENCY_AXIS
from pantala.papers.prisacari2015.study.networks import (
    SIZES,
    configuration_axis,
    scenario,
    traffic_axis,
)
from pantala.papers.prisacari2015.study.throughput import UNTIL_PRECISE

experiment = {
    "scenario": scenario("latencies_large"),
    "axes": [
        traffic_axis((SIZES[5],), ("bit_complement", "shift")),
        configuration_axis(("valiant_group",)),
        LATENCY_AXIS,
    ],
    "until_precise": UNTIL_PRECISE,
    "keep": ["jobs", "links"],
}
