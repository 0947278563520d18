"""Kernels bound by latency, bisection and injection on a full machine (IPDPS 2021, II.E)."""

from __future__ import annotations

from pantala.papers.chunduri2021.study.platform import (
    KEEP,
    MPI,
    WARM_UP,
    mode_axis,
    production,
)

_ITERATIONS = {"latency": 2, "bisection": 1, "injection": 8}


def _job(bound: str) -> dict[str, object]:
    kernel = {"kind": "network_kernel", "bound": bound, "iterations": _ITERATIONS[bound]}
    placement = {"kind": "dispersed", "groups": 12}
    return {
        "name": "target",
        "ranks": 256,
        "start": WARM_UP,
        "placement": placement,
        "workload": kernel,
    }


experiment = {
    # The gap limits the NIC to two million messages per second, for the kernel that this binds.
    "scenario": production(
        "kernels", [_job("latency")], routing="aries_ad0", mpi={**MPI, "gap": "500 ns"}
    ),
    "axes": [
        {"name": "application", "cases": {each: {"jobs": [_job(each)]} for each in _ITERATIONS}},
        mode_axis("AD0", "AD3", jobs="jobs.target.", detours=False),
    ],
    "seeds": 6,
    "keep": KEEP,
}
