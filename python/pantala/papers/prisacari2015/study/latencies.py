"""The runs of Figure 3 at half and at double the latencies, which the paper does not give."""

from __future__ import annotations

from typing import Any

from pantala.papers.prisacari2015.study.networks import (
    SIZES,
    configuration_axis,
    scenario,
    traffic_axis,
)
from pantala.papers.prisacari2015.study.throughput import UNTIL_PRECISE


def latencies(factor: float) -> dict[str, Any]:
    """Returns the latencies of links and routers times a factor."""
    return {
        f"machine.{key}": f"{factor * time:g} ns"
        for key, time in {
            "links.terminal.latency": 10,
            "links.local.latency": 10,
            "links.global.latency": 100,
            "router.input_latency": 20,
            "router.output_latency": 20,
        }.items()
    }


LATENCY_AXIS = {
    "name": "variation",
    "cases": {"half the latencies": latencies(0.5), "double the latencies": latencies(2.0)},
}

experiment = {
    "scenario": scenario("latencies"),
    "axes": [
        traffic_axis((SIZES[1], SIZES[3], SIZES[4])),
        configuration_axis(),
        LATENCY_AXIS,
    ],
    "until_precise": UNTIL_PRECISE,
    "keep": ["jobs", "links"],
}
