"""Benchmarks: sizes of their plans, agreement with the core, output as an object or a list."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import pantala as pt
from fake_core import FakeCore
from pantala.core.plan import Plan
from pantala.runs import benchmark
from pantala.runs.benchmark import BENCHMARKS, BenchPlan, bench_case, bench_plan, run_bench_plan
from support import ROOT, Ended

Cli = Callable[..., Ended]
US = 1_000_000
KEYS = set(benchmark.BenchResult.__annotations__)


def cases(name: str) -> tuple[str, ...]:
    return BENCHMARKS[name].cases or ("",)


def test_apps_1056_has_the_jobs_of_the_example() -> None:
    """Both jobs of the example on the same machine, without host costs, once each."""
    example = pt.Scenario.from_toml(ROOT / "examples" / "interference.toml").plan()
    plan = bench_plan("apps-1056").plan
    for key in ("topology", "links", "router", "nic", "packet_bytes", "routing"):
        assert plan[key] == example[key]
    for mine, theirs in zip(plan["jobs"], example["jobs"], strict=True):
        for key in ("name", "application", "ranks", "placement"):
            assert mine[key] == theirs[key]
        assert mine["workload"]["iterations"] == 1


@pytest.mark.parametrize("name", BENCHMARKS)
def test_plans_have_the_sizes_in_their_names(name: str) -> None:
    for case in cases(name):
        plan = bench_plan(name, case).plan
        shape = plan["topology"]
        nodes = shape["p"] * shape["a"] * shape["g"]
        ranks = sum(job["ranks"] for job in plan["jobs"])
        assert ranks == (1024 if name == "study-1056" else nodes)
        assert not any(job["nodes"] for job in plan["jobs"]), "the core assigns the nodes"
        assert f"-{nodes}" in name or (name == "million" and nodes == 1_025_156)
        assert plan["router"]["model"] == (case if name == "study-1056" else "pantala")
        assert plan["router"]["output_buffer_flits"] > 0


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_runs(fake_core: FakeCore, cli: Cli, name: str) -> None:
    ended = cli("bench", name, "--json")
    assert ended.status == 0, ended.err
    result, several = json.loads(ended.out), BENCHMARKS[name].cases
    if several:
        assert [case["case"] for case in result] == list(several)
        assert all(set(case) == {"case", *KEYS} for case in result)
        if BENCHMARKS[name].points:
            routings = [plan["routing"]["algorithm"] for plan, *_ in fake_core.measured]
            assert routings == list(several)
    else:
        assert set(result) == KEYS
    assert len(fake_core.measured) + len(fake_core.runs) == max(1, len(several))
    assert result == pt.bench(name)


def test_bench_prints_its_tables(fake_core: FakeCore, cli: Cli) -> None:
    shown = cli("bench", "adaptive-1056")
    assert shown.status == 0, shown.err
    (headings,) = (line.split() for line in shown.out.splitlines() if "par" in line.split())
    assert headings == ["ugal_n", "par", "q_adaptive"]
    (hops,) = (
        line.split() for line in shown.out.splitlines() if line.split()[:1] == ["packet_hops"]
    )
    assert hops == ["packet_hops", "400", "400", "400"]
    listed = cli("bench", "--list")
    assert listed.status == 0
    text = cli("bench", "--help").out
    assert all(name in listed.out and name in text for name in BENCHMARKS)
    assert len(fake_core.measured) == 3


def test_a_benchmark_runs_on_the_requested_threads(fake_core: FakeCore, cli: Cli) -> None:
    assert cli("bench", "uniform-1056", "--threads", "2").status == 0
    assert cli("bench", "apps-1056", "-t", "3").status == 0
    assert fake_core.threads == [2, 3]
    assert "threads = 0: must be from 1" in cli("bench", "--threads", "0").err


def test_a_shorter_benchmark_simulates_less_time(fake_core: FakeCore) -> None:
    bench_case("adaptive-1056", "par", 3 * US)
    bench_case("apps-1056", "", 3 * US)
    assert [times for _plan, *times in fake_core.measured] == [[0, 3 * US, 0]]
    assert [plan["stop"]["duration_ps"] for plan in fake_core.runs] == [3 * US]


@pytest.mark.slow
@pytest.mark.native
@pytest.mark.parametrize("name", [name for name in BENCHMARKS if name != "million"])
def test_every_benchmark_runs_in_the_core(name: str) -> None:
    for case in cases(name):
        begun = bench_case(name, case, 30 * US if name == "apps-1056" else 2 * US)
        assert begun["packets"] > 0
        assert begun["events_per_packet_hop"] < 10
        assert begun["bytes_per_node"] < 40_000


@pytest.mark.native
def test_costs_agree_with_a_run(small: Path, workdir: Path) -> None:
    scenario = pt.Scenario.from_toml(small)
    run = pt.run(scenario, report=False)
    assert isinstance(run, pt.Run)
    cost = scenario.resolved_plan().cost(None)
    assert cost["bench"]["result_hash"] == run.document["result_hash"]
    assert cost["bench"]["packet_hops"] == run.document["counters"]["packet_hops"]
    flit, terminal = scenario.plan()["flit_bytes"], 25e9
    carried = (
        run.document["simulated_ns"]
        * 1e-9
        * terminal
        * sum(job["ranks"] for job in run.plan["jobs"])
    )
    delivered = run.document["counters"]["flits_delivered"] * flit
    assert cost["accepted"] == pytest.approx(delivered / carried)


@pytest.mark.native
def test_a_run_that_does_not_end_has_no_costs(small: Path) -> None:
    def interrupt(progress: object) -> None:
        raise KeyboardInterrupt

    plan = bench_plan("apps-1056").plan
    with pytest.raises(KeyboardInterrupt):
        Plan(plan).cost(interrupt)
    plan["topology"]["g"] = 2
    with pytest.raises(pt.errors.PlanError):
        Plan(plan).cost(None)


@pytest.mark.native
def test_a_benchmark_is_a_point_of_a_curve() -> None:
    result = run_bench_plan(BenchPlan(bench_plan("uniform-1056").plan, (US, 3 * US)))
    (point,) = pt.curve(
        preset="pantala", routing="minimal", loads=[0.5], warmup="1 us", measure="3 us"
    )
    assert (result["latency_mean_ns"], result["accepted"]) == (
        point["latency_mean_ns"],
        point["accepted"],
    )
    assert result["events_per_packet_hop"] == result["events"] / result["packet_hops"]
    assert result["packet_hops_per_cpu_second"] == pytest.approx(
        result["packet_hops"] / result["cpu_seconds"]
    )
