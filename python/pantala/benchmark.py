"""Benchmarks: named loads whose cost is measured the same way everywhere."""

from __future__ import annotations

from typing import TypedDict

from pantala.errors import UsageError
from pantala.load_curve import curve_setup, measure_point

__all__ = ["BENCHMARKS", "BenchResult", "bench"]

#: Benchmark name to what it does.
BENCHMARKS = {
    "uniform-1056": (
        "kang2022 (1,056 nodes), router model pantala, minimal routing, uniform random at load 0.5, 100 us simulated"
    ),
}

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
    setup = curve_setup(preset="pantala", routing="minimal", pattern="uniform")
    measured = measure_point(setup, setup.at_load(_LOAD))
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
