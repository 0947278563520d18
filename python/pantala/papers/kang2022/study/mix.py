"""The mix of six jobs of Table II, each alone and all together (Kang et al., SC 2022, VI)."""

from __future__ import annotations

from pantala.papers.kang2022.study.pairs import PLATFORM, ROUTING_AXIS

experiment = {
    "scenario": {
        **PLATFORM,
        "name": "kang2022-mix",
        "jobs": "kang2022.mixed",
        "interference": True,
        "record": {
            "window": "100 us",
            "latency_windows": "1 s",
            "routing_windows": "15 ms",
            "system": {},
            "sst_stalls": True,
        },
    },
    "axes": [ROUTING_AXIS],
    "seeds": 5,
    "keep": [
        "jobs",
        "ranks",
        "calls",
        "links",
        "link_jobs",
        "job_windows",
        "latency_windows",
        "routing_windows",
        "system_windows",
    ],
}
