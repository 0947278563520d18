"""Copies of jobs, their ends, their repetition, and the target that ends a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pantala as pt
from support import ROOT

SMALL = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
HALO = {"kind": "allreduce_loop", "message": "4 KiB", "iterations": 2, "compute": "1 us"}
UNIFORM = {"kind": "pattern", "pattern": "uniform", "load": 0.2}


def scenario(jobs: list[dict[str, Any]], **keys: Any) -> pt.Scenario:
    named = [{"name": f"job{n}", "ranks": 8, "workload": HALO, **job} for n, job in enumerate(jobs)]
    data = {"name": "s", "machine": SMALL, "routing": "ugal_g", "jobs": named, **keys}
    return pt.Scenario.from_dict(data)


def run(made: pt.Scenario, out: Path, threads: int = 1) -> pt.Run:
    ran = pt.run(made, out=out, report=False, progress=False, threads=threads)
    assert isinstance(ran, pt.Run)
    return ran


def table(made: pt.Run, name: str) -> pl.DataFrame:
    frame: pl.LazyFrame = getattr(made, name)
    return frame.collect()


def test_copies_have_numbers_and_nodes_of_their_own() -> None:
    made = scenario([{"name": "milc", "count": 10, "ranks": 4}, {"name": "other"}])
    names = [job["name"] for job in made.resolve()["jobs"]]
    assert names == [*(f"milc-{number:02}" for number in range(1, 11)), "other"]
    nodes = [node for job in made.resolve()["jobs"] for node in job["nodes"]]
    assert len(set(nodes)) == 48
    assert [job.name for job in made.jobs] == ["milc", "other"]
    assert '"count"' not in json.dumps(made.resolve())


def test_one_copy_is_the_job_itself() -> None:
    assert scenario([{"count": 1}]).plan() == scenario([{}]).plan()


def test_names_of_jobs_mean_all_copies() -> None:
    made = scenario(
        [{"name": "milc", "count": 2}, {"name": "other"}],
        stop={"target": "milc"},
        record={"packet_jobs": ["milc", "other"], "ports": {"split": ["job"], "jobs": ["milc"]}},
    )
    plan = made.plan()
    assert plan["stop"]["target"] == ["milc-1", "milc-2"]
    assert plan["record"]["packet_jobs"] == ["milc-1", "milc-2", "other"]
    assert plan["record"]["ports"]["jobs"] == ["milc-1", "milc-2"]


def test_each_copy_runs_alone_and_together(tmp_path: Path) -> None:
    made = scenario([{"name": "halo", "count": 2, "placement": "compact"}], interference=True)
    ran = pt.run(made, out=tmp_path / "out", report=False, progress=False)
    assert isinstance(ran, pt.Experiment)
    parts = ("alone-halo-1", "alone-halo-2", "together")
    assert all((tmp_path / "out" / part / "run.json").is_file() for part in parts)


@pytest.mark.native
def test_a_job_repeats_until_the_others_end(tmp_path: Path) -> None:
    made = scenario(
        [
            {"workload": {**HALO, "iterations": 10}},
            {"name": "again", "repeat": True, "workload": {**HALO, "iterations": 1}},
        ]
    )
    one = run(made, tmp_path / "one")
    jobs = table(one, "jobs").to_dicts()
    assert one.complete
    assert [job["complete"] for job in jobs] == [True, False]
    assert jobs[1]["end_ns"] is None
    alone = run(scenario([{"name": "again", "workload": HALO}]), tmp_path / "alone")
    passes = jobs[1]["mpi_bytes"] / (table(alone, "jobs")["mpi_bytes"].item() / 2)
    assert passes > 4, "one pass of one iteration after another"
    two = run(made, tmp_path / "two", threads=2)
    assert one.document["counters"] == two.document["counters"]
    assert table(one, "jobs").equals(table(two, "jobs"))


@pytest.mark.native
def test_a_repeated_job_does_as_the_job_itself_in_its_first_pass(tmp_path: Path) -> None:
    target = {"name": "target", "workload": {**HALO, "iterations": 1}}
    long = {"name": "again", "workload": {**HALO, "iterations": 50}}
    found = [
        run(scenario([target, {**long, "repeat": repeat}], stop={"target": "target"}), tmp_path / n)
        for n, repeat in (("once", False), ("repeated", True))
    ]
    assert table(found[0], "ranks").equals(table(found[1], "ranks"))


@pytest.mark.native
def test_a_program_without_time_repeats_too(tmp_path: Path) -> None:
    still = {"kind": "allreduce_loop", "message": "8 B", "iterations": 1, "compute": "0 ns"}
    made = scenario(
        [{}, {"name": "still", "ranks": 1, "repeat": True, "workload": still}],
        stop={"duration": "100 us"},
    )
    assert run(made, tmp_path / "out").complete


COLOURS = """
def program(comm, rounds):
    half = comm.split(comm.rank % 2)
    for _ in range(rounds):
        comm.compute("1 us")
        half.allreduce("1 kB")
    comm.dup().barrier()
"""


@pytest.mark.native
@pytest.mark.parametrize(
    ("ranks", "workload"),
    [
        (None, {"kind": "trace", "path": "examples/traces/binomial_tree.goal"}),
        (None, {"kind": "trace", "path": "examples/traces/ring"}),
        (None, {"kind": "trace", "path": "examples/traces/training_step"}),
        (2, {"kind": "ncptl", "file": "examples/programs/ping_pong.ncptl"}),
        (8, {"kind": "python", "function": "program", "arguments": {"rounds": 3}}),
    ],
    ids=["goal", "dumpi", "chakra", "ncptl", "python"],
)
def test_traces_and_programs_repeat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ranks: int | None, workload: dict[str, Any]
) -> None:
    monkeypatch.chdir(ROOT)
    if workload["kind"] == "python":
        (tmp_path / "colours.py").write_text(COLOURS)
        workload = {**workload, "file": str(tmp_path / "colours.py")}
    job = {"name": "again", "workload": workload, "ranks": ranks}
    if ranks is None:
        del job["ranks"]
    data = {"name": "s", "machine": SMALL, "routing": "ugal_g"}
    once = run(pt.Scenario.from_dict({**data, "jobs": [job]}), tmp_path / "once")
    end, sent = table(once, "jobs").select("end_ns", "mpi_bytes").row(0)
    made = pt.Scenario.from_dict(
        {**data, "jobs": [{**job, "repeat": True}], "stop": {"duration": f"{10 * end:.0f} ns"}}
    )
    one, two = run(made, tmp_path / "one"), run(made, tmp_path / "two", threads=2)
    passes = table(one, "jobs")["mpi_bytes"].item() / sent
    assert 4 < passes <= 10.5, "barriers between passes take time"
    assert table(one, "ranks").equals(table(two, "ranks"))
    assert one.document["reason"] == "duration"


@pytest.mark.native
def test_a_target_ends_the_run(tmp_path: Path) -> None:
    jobs = [
        {"name": "short", "workload": {**HALO, "iterations": 1}},
        {"name": "long", "workload": {**HALO, "iterations": 400}},
    ]
    ran = run(scenario(jobs, stop={"target": ["short"]}), tmp_path / "out")
    rows = {row["name"]: row for row in table(ran, "jobs").to_dicts()}
    assert ran.complete
    assert ran.document["reason"] == "finished"
    assert rows["short"]["complete"]
    assert not rows["long"]["complete"]
    window = ran.document["plan"]["record"]["window_ps"] / 1000
    assert rows["short"]["end_ns"] <= ran.document["simulated_ns"]
    assert ran.document["simulated_ns"] <= rows["short"]["end_ns"] + window


@pytest.mark.native
@pytest.mark.parametrize("workload", [{**HALO, "iterations": 400}, UNIFORM])
def test_a_job_ends_at_its_end(tmp_path: Path, workload: dict[str, Any]) -> None:
    made = scenario(
        [{"name": "ended", "end": "20 us", "start": "5 us", "workload": workload}],
        stop={"duration": "60 us"},
        record={"packets": "all"},
    )
    ran = run(made, tmp_path / "out")
    created = table(ran, "packets")["created_ns"]
    assert 5_000 <= created.min() < created.max()  # type: ignore[operator]
    assert created.max() < 25_000, "messages that began before the end still arrive"  # type: ignore[operator]
    assert not table(ran, "jobs")["complete"].item()
    assert ran.document["counters"]["packets_in_flight"] == 0


@pytest.mark.native
def test_jobs_that_do_not_end_run_alone_as_long_as_together(tmp_path: Path) -> None:
    made = scenario(
        [
            {"name": "target", "workload": HALO},
            {"name": "again", "repeat": True, "workload": {**HALO, "iterations": 1}},
            {"name": "long", "workload": {**HALO, "iterations": 300}},
        ],
        interference=True,
        stop={"target": "target"},
    )
    ran = pt.run(made, out=tmp_path / "out", report=False, progress=False)
    assert isinstance(ran, pt.Experiment)
    length = {
        part: json.loads((tmp_path / "out" / part / "run.json").read_text())["simulated_ns"]
        for part in ("together", "alone-again", "alone-long", "alone-target")
    }
    assert length["alone-again"] == length["alone-long"] == length["together"]
    assert length["alone-target"] <= length["together"]


@pytest.mark.parametrize(
    ("jobs", "keys", "message"),
    [
        ([{"count": 0}], {}, "jobs[0].count = 0: must be at least 1"),
        (
            [{"count": 2, "placement": {"kind": "nodes", "nodes": list(range(8))}}],
            {},
            "jobs[0].placement: names nodes, but the job has 2 copies; write a [[jobs]] table",
        ),
        (
            [{"count": 2, "placement": {"kind": "contiguous", "first_node": 3}}],
            {},
            "names nodes, but the job has 2 copies",
        ),
        ([{"count": 1000, "name": "n" * 62}], {}, "is too long for 1,000 copies with numbers"),
        ([{}, {"count": 9}], {}, "jobs = 80 ranks: more ranks than the machine's 72 nodes"),
        (
            [{"count": 65_536}],
            {},
            "jobs[0].count = 65536: needs 524,288 nodes, 8 for each copy, and the machine has 72"
            " nodes for jobs; give at most 9",
        ),
        (
            [{"end": "2 us", "start": "3 us"}, {}],
            {},
            'jobs[0].end = "2 us": is not after the start',
        ),
        ([{"end": "0 ns"}], {}, 'jobs[0].end = "0 ns": must be more than zero'),
        ([{"repeat": True}], {}, "stop.duration: is missing, and no job ends by itself"),
        ([{"end": "1 us"}], {}, "stop.duration: is missing, and no job ends by itself"),
        ([{"repeat": True, "workload": UNIFORM}, {}], {}, "repeat = true: a pattern never ends"),
        ([{"repeat": 1}, {}], {}, "jobs[0].repeat = 1: is neither true nor false"),
        (
            [{}],
            {"stop": {"target": "jbo0"}},
            'stop.target = "jbo0": is not a job of the scenario; did',
        ),
        (
            [{}, {"repeat": True}],
            {"stop": {"target": ["job0", "job1"]}},
            'stop.target[1] = "job1": is a job that does not end by itself',
        ),
        (
            [{"name": "a", "count": 3}, {"name": "a-2"}],
            {},
            'jobs[1].name = "a-2": another job has this name',
        ),
        (
            [{"count": 3}, {"placement": {"kind": "nodes", "nodes": [*range(7), 99]}}],
            {},
            "jobs[1].placement.nodes",
        ),
    ],
)
def test_bad_input_is_refused(
    jobs: list[dict[str, Any]], keys: dict[str, Any], message: str
) -> None:
    with pytest.raises(pt.ScenarioError) as raised:
        scenario(jobs, **keys).resolve()
    assert message in str(raised.value)


def test_a_run_of_days_warns_with_its_cost(tmp_path: Path) -> None:
    alexnet = {"name": "alexnet", "ranks": 16, "workload": {"kind": "alexnet"}}
    from pantala.planning.cost import from_traffic, warn_of_cost
    from pantala.planning.run_cost import traffic

    def warn(made: pt.Scenario) -> None:
        sent = traffic(plan := made.resolved_plan())
        warn_of_cost(plan, sent, from_traffic(plan, sent), "s.toml")

    made = scenario([alexnet])
    with pytest.warns(
        pt.ScenarioWarning, match=r"about .* hours .*jobs.alexnet, which sends .* TB"
    ):
        warn(made)
    for changes in ({"stop.duration": "1 ms"}, {"jobs.alexnet.workload.iterations": 1}):
        warn(made.replace(changes))  # a warning would be an error
