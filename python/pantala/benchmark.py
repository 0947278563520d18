"""Benchmarks: named loads whose cost is measured the same way everywhere.

A benchmark is a point of `pantala curve`. Its plan lies ready in presets/benchmarks, so that starting one costs next to
nothing beside running it: neither the scenario's models nor the units are loaded. A test holds the plan to what the
curve simulates; ``python -m pantala.benchmark`` prints it anew.
"""

from __future__ import annotations

import json
import os
from typing import Any, TypedDict

from pantala import native
from pantala.errors import UsageError

__all__ = ["BENCHMARKS", "BenchResult", "bench", "prepared_text"]

#: Benchmark name to what it does.
BENCHMARKS = {
    "uniform-1056": (
        "kang2022 (1,056 nodes), router model pantala, minimal routing, uniform random at load 0.5, 100 us simulated"
    ),
}

_PREPARED = f"{os.path.dirname(__file__)}/presets/benchmarks"  # noqa: PTH120 - pathlib would count into the start
_LOAD = 0.5


class BenchResult(TypedDict):
    """What a benchmark measures; latency and accepted load are those that `curve` gives at this load."""

    packets: int
    packet_hops: int
    events: int
    events_per_packet_hop: float
    cpu_seconds: float
    wall_seconds: float
    setup_seconds: float
    packet_hops_per_cpu_second: float
    bytes_per_node: float
    peak_rss_bytes: int
    latency_mean_ns: float
    accepted: float
    result_hash: str


def bench(name: str = "uniform-1056") -> BenchResult:
    """Runs a benchmark.

    Args:
        name: one of `BENCHMARKS`.

    Returns:
        Counts, times (seconds) and sizes (bytes); packet_hops counts link traversals between routers and ejections,
        cpu_seconds sums over threads, and neither time contains the setup.

    Raises:
        UsageError: there is no such benchmark.
    """
    if name not in BENCHMARKS:
        raise UsageError(f"there is no benchmark '{name}'; choose one of {', '.join(BENCHMARKS)}")
    with open(f"{_PREPARED}/{name}.json", encoding="utf-8") as file:  # noqa: PTH123
        prepared: dict[str, Any] = json.load(file)
    measured = native.measure(prepared["plan"], prepared["warmup_ps"], prepared["measure_ps"], 0, lambda _: None)
    cost = measured["bench"]
    hops, seconds = cost["packet_hops"], cost["cpu_seconds"]
    return {
        "packets": cost["packets"],
        "packet_hops": hops,
        "events": cost["events"],
        "events_per_packet_hop": cost["events"] / hops if hops else 0.0,
        "cpu_seconds": seconds,
        "wall_seconds": cost["wall_seconds"],
        "setup_seconds": cost["setup_seconds"],
        "packet_hops_per_cpu_second": hops / seconds if seconds else 0.0,
        "bytes_per_node": cost["bytes_per_node"],
        "peak_rss_bytes": cost["peak_rss_bytes"],
        "latency_mean_ns": measured["latency_mean_ns"],
        "accepted": measured["accepted"],
        "result_hash": cost["result_hash"],
    }


def prepared_text() -> str:
    """The prepared plan of uniform-1056, as `pantala curve` makes it, and the times to measure, as JSON."""
    from pantala.load_curve import curve_setup
    from pantala.plan import plan_text

    setup = curve_setup(preset="pantala", routing="minimal", pattern="uniform")
    times = {"warmup_ps": int(setup.warmup), "measure_ps": int(setup.measure)}
    return plan_text(times | {"plan": setup.at_load(_LOAD).plan()}) + "\n"


if __name__ == "__main__":
    print(prepared_text(), end="")
