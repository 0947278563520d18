"""How long a job takes at least: what its ranks compute, and its bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from pantala.core.plan import Plan
from pantala.planning import job_length
from pantala.planning.communication import communication
from pantala.planning.job_length import compute_ps, length_ns, pass_ps, run_length_ns
from pantala.planning.run_cost import packets_of, traffic

pytestmark = pytest.mark.native

MACHINE: dict[str, Any] = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
HALO: dict[str, Any] = {
    "kind": "halo3d",
    "grid": [2, 2, 2],
    "message": "4 KiB",
    "start_delay": "0 ns",
}


@pytest.fixture(autouse=True)
def _afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_length, "_KNOWN", {})


def scenario(*jobs: dict[str, Any], **tables: Any) -> pt.Scenario:
    data = {"name": "s", "machine": MACHINE, "routing": "minimal", "jobs": list(jobs), **tables}
    return pt.Scenario.from_dict(data)


def job(ranks: int, kind: str, **keys: Any) -> dict[str, Any]:
    return {"name": "a", "ranks": ranks, "workload": {"kind": kind, **keys}}


def computed(plan: Plan) -> float:
    found = compute_ps(plan, plan["jobs"][0], traffic(plan).get("a"))
    assert found is not None
    return found / 1000


#: Jobs, and what a rank computes, in ns.
KNOWN: dict[str, tuple[dict[str, Any], float]] = {
    "iterations": (job(8, **HALO, iterations=7, compute="3 us"), 21e3),
    "a start": (job(8, **{**HALO, "start_delay": "50 us"}, iterations=7, compute="3 us"), 71e3),
    "exchanges": (job(16, "ember.Halo2D", iterations=2, computenano=10**6), 2e6),
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_computing_of_a_job_is_that_of_its_keys(name: str) -> None:
    given, expected = KNOWN[name]
    assert computed(scenario(given).resolved_plan()) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("kind", "ranks"),
    [("hacc", 8), ("milc", 16), ("rayleigh", 8), ("nek5000", 8), ("qbox", 16), ("cosmoflow", 8)],
)
def test_phases_compute_as_long_as_their_programs(kind: str, ranks: int) -> None:
    made = scenario(job(ranks, kind, iterations=2))
    (found,) = communication(made)
    assert computed(made.resolved_plan()) == pytest.approx(found.compute_ns.max())
    assert found.compute_ns.max() > 0


@pytest.mark.parametrize("kind", ["hacc", "milc", "halo3d", "uniform_random", "lqcd"])
def test_fewer_iterations_say_how_long_many_compute(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = scenario(job(16, kind, iterations=40)).resolved_plan()
    executed = computed(plan)
    monkeypatch.setattr(job_length, "_CALLS", 100)
    monkeypatch.setattr(job_length, "_KNOWN", {})
    assert computed(plan) == pytest.approx(executed, rel=0.05)


def test_programs_and_traces_compute_what_their_operations_say(tmp_path: Path) -> None:
    (tmp_path / "p.ncptl").write_text("FOR 3 REPETITIONS ALL TASKS COMPUTE FOR 2 MILLISECONDS\n")
    (tmp_path / "p.goal").write_text(
        "num_ranks 2\nrank 0 {\nc: calc 800\ns: send 8b to 1 tag 0\n}\n"
        "rank 1 {\nc: calc 300\nd: calc 600\nr: recv 8b from 0 tag 0\n}\n"
    )
    ncptl = scenario(job(4, "ncptl", file=str(tmp_path / "p.ncptl"))).resolved_plan()
    assert computed(ncptl) == pytest.approx(6e6)
    for keys, expected in (({}, 900.0), ({"compute_scale": 0.5}, 450.0), ({"compute": "none"}, 0)):
        trace = {"kind": "trace", "path": str(tmp_path / "p.goal"), **keys}
        assert computed(scenario({"name": "a", "workload": trace}).resolved_plan()) == expected


def test_a_job_lasts_as_long_as_it_computes_and_sends_after_its_start() -> None:
    given = {**job(8, **HALO, iterations=10, compute="3 us"), "start": "5 us"}
    plan = scenario(given).resolved_plan()
    sent = traffic(plan)
    sending = sent["a"]["bytes"] / 8 / 25  # 25 bytes per ns
    (planned,) = plan["jobs"]
    assert pass_ps(plan, planned, sent["a"]) == pytest.approx(1000 * (30e3 + sending))
    assert length_ns(plan, planned, sent["a"]) == pytest.approx(35e3 + sending)
    assert run_length_ns(plan, sent) == pytest.approx(35e3 + sending)
    assert length_ns(plan, planned, None) is None
    short = scenario(given, stop={"duration": "8 us"}).resolved_plan()
    assert run_length_ns(short, sent) == 8e3


def test_jobs_that_repeat_and_patterns_send_until_the_run_ends() -> None:
    """Ten times as much if the job that the run waits for takes ten times as long."""
    again = {**job(8, **HALO, iterations=1, compute="1 us"), "name": "again", "repeat": True}
    uniform = {**job(8, "pattern", pattern="uniform", load=0.1), "name": "uniform"}
    found = []
    for iterations in (100, 1000):
        long = job(8, **HALO, iterations=iterations, compute="30 us")
        plan = scenario(long, again, uniform).resolved_plan()
        found.append(packets_of(plan, traffic(plan)))
    few, many = found
    for name in ("a", "again", "uniform"):
        assert many[name] == pytest.approx(10 * few[name])
    assert few["again"] > 10 * few["a"]
