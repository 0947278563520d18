"""Benchmarks: named loads whose cost is measured the same way everywhere.

A benchmark is one point of `pantala curve`, or several points, or a whole run. When it starts, its
plan is made from the arguments below or from a scenario in presets/benchmarks. The core's clocks
start after that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from pantala.core.extension import Threads
from pantala.core.plan import Plan
from pantala.errors import UsageError

if TYPE_CHECKING:
    from pantala.scenario import Scenario

__all__ = [
    "BENCHMARKS",
    "BenchCase",
    "BenchPlan",
    "BenchResult",
    "Benchmark",
    "Point",
    "bench",
    "bench_case",
    "bench_plan",
    "bench_scenario",
    "run_bench_plan",
]


@dataclass(frozen=True)
class Point:
    """One point of a load curve.

    Attributes:
        load: the offered load.
        curve: the arguments of `pantala.runs.curve_setup.curve_setup`.
    """

    load: float
    curve: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Benchmark:
    """A benchmark.

    Attributes:
        text: the load in words.
        points: the points by case; a benchmark with one point has the single case "".
            Empty if the benchmark is a whole run of the scenario in presets/benchmarks.
        runs: the changes of that scenario by case; a benchmark with one run has none.
    """

    text: str
    points: Mapping[str, Point] = field(default_factory=dict)
    runs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def cases(self) -> tuple[str, ...]:
        """The names of the cases; empty if there is only one."""
        return tuple(case for case in (*self.points, *self.runs) if case)


class BenchPlan(NamedTuple):
    """A plan, and the measured window in ps; without a window, the plan runs to its end."""

    plan: dict[str, Any]
    window: tuple[int, int] | None


def _balanced(p: int, a: int, h: int) -> dict[str, int]:
    """Returns the changes of a curve for the largest Dragonfly of these routers."""
    return {
        f"machine.topology.{key}": value
        for key, value in {"p": p, "a": a, "h": h, "g": a * h + 1}.items()
    }


# The paper's router has no crossbar and no output buffers. Here the crossbar has four times the
# bandwidth of the fastest link, and an output buffer has the size of an input buffer. Credits take
# as long as their link, so the preset's delay of credits has no effect. Flits and latencies are
# those of the first benchmarks, so that all can be compared.
_WANG = {
    "machine.preset": "wang2020_1d",
    "machine.flit": "64 B",
    "machine.links.terminal.latency": "238419 ps",
    "machine.links.local.latency": "813368 ps",
    "machine.links.global.latency": "726609 ps",
    "machine.router.crossbar_bandwidth": "64 GiB/s",
    "machine.router.output_buffer": "16 KiB",
    "machine.router.credit_delay": "0 ps",
}

#: Benchmarks by name.
BENCHMARKS = {
    "uniform-1056": Benchmark(
        "kang2022 (1,056 nodes), router model pantala, minimal routing, uniform random at load 0.5,"
        " 100 us simulated",
        {"": Point(0.5)},
    ),
    "uniform-72": Benchmark(
        "like uniform-1056 on a balanced Dragonfly with (p, a, h) = (2, 4, 2) and 72 nodes, 2 ms"
        " simulated",
        {"": Point(0.5, {"warmup": "20 us", "measure": "1980 us", "changes": _balanced(2, 4, 2)})},
    ),
    "adaptive-1056": Benchmark(
        "like uniform-1056 with the routings ugal_n, par and q_adaptive, each at load 0.7",
        {routing: Point(0.7, {"routing": routing}) for routing in ("ugal_n", "par", "q_adaptive")},
    ),
    "saturated-1056": Benchmark(
        "like uniform-1056 with ugal_n routing at load 1.0, beyond saturation",
        {"": Point(1.0, {"routing": "ugal_n"})},
    ),
    "apps-1056": Benchmark(
        "FFT3D and Halo3D together on kang2022, to their ends, with all tables. Each runs one"
        " iteration: messages of 25.84 kB and 50 us of computing; messages of 192 kB and 25 us of"
        " computing"
    ),
    "study-1056": Benchmark(
        "what studies run: Halo3D of Ember beside random traffic on kang2022, 512 random nodes"
        " each, to their ends, with the MPI layer sst_sc22 and the default tables; by router model,"
        " with a routing of that simulator",
        runs={
            model: {"machine.router.model": model, "routing": routing}
            for model, routing in {
                "pantala": "q_adaptive",
                "sst_sc22": "q_adaptive",
                "codes_dally": "codes_padp",
                "booksim2": "booksim_ugal",
                "caminos": "booksim_ugal",
            }.items()
        },
    ),
    "uniform-8448": Benchmark(
        "wang2020_1d (8,448 nodes, 4 KiB packets) with the router model pantala, minimal routing,"
        " uniform random at load 0.12 (it saturates at 0.17), 400 us simulated",
        {"": Point(0.12, {"warmup": "100 us", "measure": "300 us", "changes": _WANG})},
    ),
    "uniform-40200": Benchmark(
        "like uniform-1056 on a balanced Dragonfly with (p, a, h) = (10, 20, 10) and 40,200 nodes,"
        " 8 us simulated",
        {"": Point(0.5, {"warmup": "2 us", "measure": "6 us", "changes": _balanced(10, 20, 10)})},
    ),
    "million": Benchmark(
        "like uniform-1056 on a Dragonfly with (p, a, h) = (22, 46, 22) and 1,025,156 nodes, at"
        " load 0.2, 5 us simulated. It takes two minutes and 3 GB",
        {"": Point(0.2, {"warmup": "2 us", "measure": "3 us", "changes": _balanced(22, 46, 22)})},
    ),
}


class BenchResult(TypedDict):
    """The result of a benchmark; its load, latency and throughput equal a point of `curve`."""

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


def bench(name: str = "uniform-1056", *, threads: Threads = 1) -> BenchResult | list[BenchCase]:
    """Runs a benchmark.

    Args:
        name: a name that ``pantala bench --list`` prints.
        threads: the number of threads, or "auto" for the number that pays.

    Returns:
        Counts, times (seconds) and sizes (bytes); a list by ``case`` if a benchmark has several.
        packet_hops counts link traversals between routers and ejections. cpu_seconds sums over
        threads. Neither time contains the setup. peak_rss_bytes is the maximum that the process has
        ever held. For a whole run, such as apps-1056, accepted is the mean over its time, and
        result_hash is the hash in its run.json.

    Raises:
        UsageError: there is no such benchmark, or no such number of threads.
    """
    if name not in BENCHMARKS:
        raise UsageError(f"there is no benchmark '{name}'; choose one of {', '.join(BENCHMARKS)}")
    cases = BENCHMARKS[name].cases
    if cases:
        return [{"case": case, **bench_case(name, case, threads=threads)} for case in cases]
    return bench_case(name, threads=threads)


def bench_case(
    name: str, case: str = "", simulated_ps: int | None = None, *, threads: Threads = 1
) -> BenchResult:
    """Runs a benchmark that has no cases, or one case of a benchmark that has several.

    Args:
        name: one of `BENCHMARKS`.
        case: one of its cases.
        simulated_ps: the simulated time, in picoseconds, of a run without a warm-up.
        threads: the number of threads, or "auto" for the number that pays.

    Returns:
        The result, as from `bench`.
    """
    return run_bench_plan(bench_plan(name, case, simulated_ps), threads=threads)


def bench_plan(name: str, case: str = "", simulated_ps: int | None = None) -> BenchPlan:
    """Returns the plan of a benchmark or one of its cases; arguments as of `bench_case`."""
    benchmark = BENCHMARKS[name]
    if benchmark.points:
        from pantala.runs.curve_setup import curve_setup

        point = benchmark.points[case]
        setup = curve_setup(**point.curve)
        window = (
            (int(setup.warmup), int(setup.measure)) if simulated_ps is None else (0, simulated_ps)
        )
        return BenchPlan(setup.at_load(point.load).plan(), window)
    plan = bench_scenario(name, case).plan()
    if simulated_ps is not None:
        plan["stop"]["duration_ps"] = simulated_ps
    return BenchPlan(plan, None)


def bench_scenario(name: str, case: str = "") -> Scenario:
    """Returns the scenario of a benchmark that is a whole run, or of one of its cases."""
    from pantala.scenario import Scenario

    scenario = Scenario.from_toml(
        Path(__file__).parent.parent / "presets" / "benchmarks" / f"{name}.toml"
    )
    return scenario.replace(BENCHMARKS[name].runs.get(case, {}))


def run_bench_plan(prepared: BenchPlan, *, threads: Threads = 1) -> BenchResult:
    """Runs the plan of a benchmark; returns its counts, times and sizes as `bench`."""
    plan, window = prepared
    if window is None:
        measured = Plan(plan).cost(lambda _: None, threads)
    else:
        measured = Plan(plan).measure(*window, 0, lambda _: None, threads=threads)
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
