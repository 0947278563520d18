"""Benchmarks: named loads whose cost is measured the same way everywhere.

A benchmark is a point of `pantala curve`, or several, or a whole run. The plans lie ready in presets/benchmarks, so
that starting one costs next to nothing beside running it: neither the scenario's models nor the units are loaded. A
test holds the plans to what the models make; ``python -m pantala.benchmark`` writes them anew.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from pantala import native
from pantala.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from pantala.load_curve import CurveSetup

__all__ = ["BENCHMARKS", "BenchCase", "BenchResult", "Benchmark", "bench", "bench_case", "prepared_texts"]


class Benchmark(NamedTuple):
    """A benchmark: what it simulates, in words, and the names of its cases if it has several."""

    text: str
    cases: tuple[str, ...] = ()


#: Benchmarks by name.
BENCHMARKS = {
    "uniform-1056": Benchmark(
        "kang2022 (1,056 nodes), router model pantala, minimal routing, uniform random at load 0.5, 100 us simulated"
    ),
    "adaptive-1056": Benchmark(
        "the same under ugal_n, par and q_adaptive, each at load 0.7", ("ugal_n", "par", "q_adaptive")
    ),
    "saturated-1056": Benchmark("the same under ugal_n at load 1.0, more than the network takes"),
    "apps-1056": Benchmark(
        "FFT3D and Halo3D of examples/interference.toml side by side, with all tables, to their ends; shortened: "
        "Halo3D does one of its 9 iterations, FFT3D sends half as much and computes 25 us at a time, not 360 us"
    ),
    "uniform-8448": Benchmark(
        "wang2020_1d (8,448 nodes, 4 KiB packets) with the router model pantala, minimal routing, uniform random at "
        "load 0.12 (it saturates at 0.17), 400 us simulated"
    ),
    "uniform-40200": Benchmark(
        "a balanced Dragonfly, (p, a, h) = (10, 20, 10), 40,200 nodes, otherwise as uniform-1056, 8 us simulated"
    ),
    "million": Benchmark(
        "(p, a, h) = (22, 46, 22), 1,025,156 nodes, otherwise as uniform-1056, load 0.2, 5 us simulated: takes two "
        "minutes and 3 GB"
    ),
}

_PREPARED = f"{os.path.dirname(__file__)}/presets/benchmarks"  # noqa: PTH120 - pathlib would count into the start


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


class BenchCase(BenchResult):
    """One case of a benchmark that has several."""

    case: str


def bench(name: str = "uniform-1056", *, threads: int = 1) -> BenchResult | list[BenchCase]:
    """Runs a benchmark.

    Args:
        name: one of those that ``pantala bench --list`` names.
        threads: on how many threads to simulate.

    Returns:
        Counts, times (seconds) and sizes (bytes), in a list by ``case`` where a benchmark has several. packet_hops
        counts link traversals between routers and ejections, cpu_seconds sums over threads, neither time contains the
        setup, and peak_rss_bytes is the most that the process has ever held. Of a whole run, as apps-1056 is one,
        accepted is the mean over its time, and result_hash that of its run.json.

    Raises:
        UsageError: there is no such benchmark, or no such number of threads.
    """
    if name not in BENCHMARKS:
        raise UsageError(f"there is no benchmark '{name}'; choose one of {', '.join(BENCHMARKS)}")
    cases = BENCHMARKS[name].cases
    if cases:
        return [{"case": case, **bench_case(name, case, threads=threads)} for case in cases]
    return bench_case(name, threads=threads)


def bench_case(name: str, case: str = "", simulated_ps: int | None = None, *, threads: int = 1) -> BenchResult:
    """Runs a benchmark that has no cases, or one case of one that has.

    Args:
        name: one of `BENCHMARKS`.
        case: one of its cases.
        simulated_ps: end after this simulated time, in picoseconds, without a warm-up.
        threads: on how many threads to simulate.

    Returns:
        As `bench`.
    """
    with open(f"{_PREPARED}/{_stem(name, case)}.json", encoding="utf-8") as file:  # noqa: PTH123
        prepared: dict[str, Any] = json.load(file)
    plan = prepared["plan"]
    if "measure_ps" in prepared:
        warmup, measure = (prepared["warmup_ps"], prepared["measure_ps"]) if simulated_ps is None else (0, simulated_ps)
        measured = native.measure(plan, warmup, measure, 0, lambda _: None, threads=threads)
    else:
        if simulated_ps is not None:
            plan["stop"]["duration_ps"] = simulated_ps
        measured = native.cost(plan, lambda _: None, threads)
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


def _stem(name: str, case: str) -> str:
    return f"{name}-{case}" if case else name


def prepared_texts(demo: Path) -> dict[str, str]:
    """The files of presets/benchmarks by name: plans, and the times to measure if it is not a whole run, as JSON.

    Args:
        demo: examples/interference.toml.
    """
    from pantala.plan import plan_text
    from pantala.scenario import Scenario

    texts = {}
    for stem, (setup, load) in _points().items():
        times = {"warmup_ps": int(setup.warmup), "measure_ps": int(setup.measure)}
        texts[stem] = plan_text(times | {"plan": setup.at_load(load).plan()})
    shortened = {
        "interference": False,
        "jobs.0.workload.row_message": "25.84 kB",
        "jobs.0.workload.column_message": "25.84 kB",
        "jobs.0.workload.compute_forward": "25 us",
        "jobs.0.workload.compute_backward": "25 us",
        "jobs.1.workload.iterations": 1,
    }
    texts["apps-1056"] = plan_text({"plan": Scenario.from_toml(demo, changes=shortened).plan()})
    return {f"{stem}.json": f"{text}\n" for stem, text in texts.items()}


def _points() -> dict[str, tuple[CurveSetup, float]]:
    """The points of curves: what `curve` measures, and the load."""
    from pantala.load_curve import curve_setup

    def machine(p: int, a: int, h: int) -> dict[str, int]:
        sizes = {"p": p, "a": a, "h": h, "g": a * h + 1}
        return {f"machine.topology.{key}": value for key, value in sizes.items()}

    # Its own router has no crossbar and no output buffers: here four times the fastest link, and what inputs have.
    wang = {
        "machine.preset": "wang2020_1d",
        "machine.router.crossbar_bandwidth": "64 GiB/s",
        "machine.router.output_buffer": "16 KiB",
    }
    return {
        "uniform-1056": (curve_setup(), 0.5),
        **{
            _stem("adaptive-1056", case): (curve_setup(routing=case), 0.7) for case in BENCHMARKS["adaptive-1056"].cases
        },
        "saturated-1056": (curve_setup(routing="ugal_n"), 1.0),
        "uniform-8448": (curve_setup(warmup="100 us", measure="300 us", changes=wang), 0.12),
        "uniform-40200": (curve_setup(warmup="2 us", measure="6 us", changes=machine(10, 20, 10)), 0.5),
        "million": (curve_setup(warmup="2 us", measure="3 us", changes=machine(22, 46, 22)), 0.2),
    }


def _main() -> None:
    """``python -m pantala.benchmark DEMO DIRECTORY`` writes the files of presets/benchmarks anew."""
    import sys
    from pathlib import Path

    demo, directory = (Path(argument) for argument in sys.argv[1:])
    for name, text in prepared_texts(demo).items():
        (directory / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _main()
