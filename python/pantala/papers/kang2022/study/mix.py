"""The mix of six jobs of Table II, each alone and all together (Kang et al., SC 2022, VI)."""

from __future__ import annotations

experiment = {
    "scenario": {
        "name": "kang2022-mix",
        "machine": {"preset": "kang2022", "router": {"model": "sst_sc22"}},
        "mpi": "sst_sc22",
        "routing": {"algorithm": "par"},
        "jobs": "kang2022.mixed",
        "interference": True,
        "record": {
            "window": "100 us",
            "latency_windows": "1 s",
            "routing_windows": "15 ms",
            "system": {},
        },
    },
    "axes": [{"routing.algorithm": ["ugal_g", "ugal_n", "par", "q_adaptive"]}],
    "seeds": 5,
    "keep": [
        "jobs",
        "ranks",
        "links",
        "link_jobs",
        "job_windows",
        "latency_windows",
        "routing_windows",
        "system_windows",
    ],
}
