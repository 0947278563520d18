"""The ensemble of eight jobs of MILC on 512 nodes, with one thing varied at a time."""

from __future__ import annotations

from pantala.papers.chunduri2021.study.platform import (
    KEEP,
    application_axis,
    ensemble,
    minimal_inside,
    mode_axis,
    placement_axis,
    scenario,
)

experiment = {
    "scenario": scenario("large", ensemble("milc", 512), routing="aries_ad0"),
    "axes": [
        {
            "name": "variation",
            "cases": {
                "as in the study": {},
                "packets of 64 B": {
                    "machine.packet": "64 B",
                    "machine.nic.response": "16 B",
                },
                "minimal paths inside groups": minimal_inside(),
                "64 load levels": {"routing.aries.levels": 64},
                "buffers of 16 KiB": {
                    "machine.router.input_buffer": "16 KiB",
                    "machine.router.output_buffer": "16 KiB",
                },
            },
        },
        application_axis(("milc",), 512),
        mode_axis("AD0", "AD3"),
        placement_axis(),
    ],
    "seeds": 1,
    "keep": [*KEEP, "links"],
}
