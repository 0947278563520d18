"""The runs of Figure 3, and uniform traffic, with faster crossbars; no part of the study.

``pantala sweep`` makes the runs.
"""

from __future__ import annotations

from pantala.papers.prisacari2015.study.networks import (
    PATTERNS,
    SIZES,
    configuration_axis,
    scenario,
    traffic_axis,
)

#: Speed-ups over a link, whose bandwidth is 40 Gb/s.
SPEEDUPS = (1, 1.25, 2)

experiment = {
    "scenario": scenario("speedup"),
    "axes": [
        traffic_axis(SIZES[:4], (*PATTERNS, "uniform")),
        configuration_axis(),
        {
            "name": "speedup",
            "cases": {
                f"{each:g}": {"machine.router.crossbar_bandwidth": f"{40 * each:g} Gb/s"}
                for each in SPEEDUPS
            },
        },
    ],
    "until_precise": {"precision": "1%", "longest": "800 us", "most_packets": 2_000_000},
    "keep": ["jobs"],
}
