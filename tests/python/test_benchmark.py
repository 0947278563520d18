"""Benchmarks: their plans are what the models make, their results what the core says; one object or a list."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import pantala as pt
from fake_core import FakeCore
from pantala import benchmark, native
from pantala.benchmark import BENCHMARKS, bench_case
from support import ROOT, Ended

Cli = Callable[..., Ended]
PREPARED = ROOT / "python" / "pantala" / "presets" / "benchmarks"
US = 1_000_000
KEYS = set(benchmark.BenchResult.__annotations__)


def test_the_prepared_plans_are_those_of_the_models() -> None:
    made = benchmark.prepared_texts(ROOT / "examples" / "interference.toml")
    assert {path.name for path in PREPARED.iterdir()} == set(made)
    for name, text in made.items():
        assert (PREPARED / name).read_text(encoding="utf-8") == text, "make schema writes it anew"
    assert all(len(text) < 10_000 for text in made.values()), "no lists of nodes"


def test_the_sizes_are_those_of_the_names() -> None:
    for name in BENCHMARKS:
        for case in BENCHMARKS[name].cases or ("",):
            stem = f"{name}-{case}" if case else name
            plan = json.loads((PREPARED / f"{stem}.json").read_text(encoding="utf-8"))["plan"]
            shape = plan["topology"]
            nodes = shape["p"] * shape["a"] * shape["g"]
            assert nodes == sum(job["ranks"] for job in plan["jobs"])
            assert f"-{nodes}" in name or (name == "million" and nodes == 1_025_156)
            assert plan["router"]["model"] == "pantala"
            assert plan["router"]["output_buffer_flits"] > 0


@pytest.mark.parametrize("name", BENCHMARKS)
def test_each_can_be_run(fake_core: FakeCore, cli: Cli, name: str) -> None:
    ended = cli("bench", name, "--json")
    assert ended.status == 0, ended.err
    result, cases = json.loads(ended.out), BENCHMARKS[name].cases
    if cases:
        assert [case["case"] for case in result] == list(cases)
        assert all(set(case) == {"case", *KEYS} for case in result)
        assert [plan["routing"]["algorithm"] for plan, *_ in fake_core.measured] == list(cases)
    else:
        assert set(result) == KEYS
    assert len(fake_core.measured) + len(fake_core.runs) == max(1, len(cases))
    assert result == pt.bench(name)


def test_the_shown_tables(fake_core: FakeCore, cli: Cli) -> None:
    shown = cli("bench", "adaptive-1056")
    assert shown.status == 0, shown.err
    (headings,) = (line.split() for line in shown.out.splitlines() if "par" in line.split())
    assert headings == ["ugal_n", "par", "q_adaptive"]
    (hops,) = (line.split() for line in shown.out.splitlines() if line.split()[:1] == ["packet_hops"])
    assert hops == ["packet_hops", "400", "400", "400"]
    listed = cli("bench", "--list")
    assert listed.status == 0
    told = cli("bench", "--help").out
    assert all(name in listed.out and name in told for name in BENCHMARKS)
    assert len(fake_core.measured) == 3


def test_threads_are_those_asked_for(fake_core: FakeCore, cli: Cli) -> None:
    assert cli("bench", "uniform-1056", "--threads", "2").status == 0
    assert cli("bench", "apps-1056", "-t", "3").status == 0
    assert fake_core.threads == [2, 3]
    assert "threads = 0: must be from 1" in cli("bench", "--threads", "0").err


def test_a_shorter_one_ends_earlier(fake_core: FakeCore) -> None:
    bench_case("adaptive-1056", "par", 3 * US)
    bench_case("apps-1056", "", 3 * US)
    assert [times for _plan, *times in fake_core.measured] == [[0, 3 * US, 0]]
    assert [plan["stop"]["duration_ps"] for plan in fake_core.runs] == [3 * US]


@pytest.mark.native
@pytest.mark.parametrize("name", [name for name in BENCHMARKS if name != "million"])
def test_each_begins_on_the_core(name: str) -> None:
    for case in BENCHMARKS[name].cases or ("",):
        begun = bench_case(name, case, 30 * US if name == "apps-1056" else 2 * US)
        assert begun["packets"] > 0
        assert begun["events_per_packet_hop"] < 10
        assert begun["bytes_per_node"] < 40_000


@pytest.mark.native
def test_what_a_run_costs_is_of_that_run(small: Path, workdir: Path) -> None:
    scenario = pt.Scenario.from_toml(small)
    run = pt.run(scenario, report=False)
    assert isinstance(run, pt.Run)
    cost = native.cost(scenario.plan(), None)
    assert cost["bench"]["result_hash"] == run.document["result_hash"]
    assert cost["bench"]["packet_hops"] == run.document["counters"]["packet_hops"]
    flit, terminal = scenario.plan()["flit_bytes"], 25e9
    carried = run.document["simulated_ns"] * 1e-9 * terminal * sum(job["ranks"] for job in run.plan["jobs"])
    delivered = run.document["counters"]["flits_delivered"] * flit
    assert cost["accepted"] == pytest.approx(delivered / carried)


@pytest.mark.native
def test_a_run_that_does_not_end_has_no_cost(small: Path) -> None:
    def interrupt(progress: object) -> None:
        raise KeyboardInterrupt

    plan = json.loads((PREPARED / "apps-1056.json").read_text(encoding="utf-8"))["plan"]
    with pytest.raises(KeyboardInterrupt):
        native.cost(plan, interrupt)
    plan["topology"]["g"] = 2
    with pytest.raises(pt.errors.PlanError):
        native.cost(plan, None)
