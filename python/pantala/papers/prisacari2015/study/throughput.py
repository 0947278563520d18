"""Figure 3: the throughput of each pattern under each configuration, on eight machines."""

from __future__ import annotations

from typing import Any

from pantala.papers.prisacari2015.study.networks import (
    SIZES,
    configuration_axis,
    scenario,
    traffic_axis,
)

#: The paper's 10 ms; 30 million packets are some minutes of one core: 0.4 ms of 16,512 nodes that
#: send 6 % of their injection bandwidth.
UNTIL_PRECISE: dict[str, Any] = {
    "precision": "1%",
    "longest": "10 ms",
    "most_packets": 30_000_000,
}

experiment = {
    "scenario": scenario("throughput"),
    "axes": [traffic_axis(SIZES), configuration_axis()],
    "until_precise": UNTIL_PRECISE,
    "keep": ["jobs", "links"],
}
