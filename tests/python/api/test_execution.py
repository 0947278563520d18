"""The steps of `pantala run` and `pt.run` around the core: runs, directories, interruption.

A stand-in replaces the core.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from fake_core import FakeCore
from pantala.errors import PlanError, SimulationError
from pantala.store.identity import run_id
from support import SMALL, Ended

Cli = Callable[..., Ended]
BOTH = {"interference": True}


@pytest.fixture
def scenario(small: Path) -> pt.Scenario:
    return pt.Scenario.from_toml(small)


def test_a_run_writes_its_directory(
    fake_core: FakeCore, workdir: Path, scenario: pt.Scenario
) -> None:
    run = pt.run(scenario, report=False)
    assert isinstance(run, pt.Run)
    assert run.path == Path("runs/small")
    assert run.complete
    assert run.job_names == ["fft", "halo"]
    assert run.metric("communication_time_mean_ns", job="halo") == 1500.0
    assert sorted(path.name for path in (workdir / "runs").iterdir()) == ["small"]


def test_interference_runs_each_job_alone_then_all_together(
    fake_core: FakeCore, workdir: Path, scenario: pt.Scenario
) -> None:
    experiment = pt.run(scenario.replace(BOTH), out="experiment", report=False)
    assert isinstance(experiment, pt.Experiment)
    assert [plan["name"] for plan in fake_core.runs] == [
        "small/alone-fft",
        "small/alone-halo",
        "small/together",
    ]
    assert fake_core.resolved == ["small"], "the plans of the runs come from one resolved plan"
    alone_fft, alone_halo, together = fake_core.runs
    assert alone_fft["jobs"] + alone_halo["jobs"] == together["jobs"]
    assert {plan["seed"] for plan in fake_core.runs} == {1}
    assert list(experiment.alone) == ["fft", "halo"]
    assert experiment.complete
    row = experiment.slowdown.collect().to_dicts()[0]
    assert {key: value for key, value in row.items() if value is not None} == {
        "job": 0,
        "name": "fft",
        "compared": "run",
        "alone_iterations": 0,
        "together_iterations": 0,
        "compared_iterations": 0,
        "alone_communication_time_mean_ns": 1000.0,
        "alone_communication_time_std_ns": 10.0,
        "alone_communication_time_max_ns": 1100.0,
        "alone_run_time_ns": 1e6,
        "together_communication_time_mean_ns": 1500.0,
        "together_communication_time_std_ns": 10.0,
        "together_communication_time_max_ns": 1650.0,
        "together_run_time_ns": 1e6,
        "slowdown": 1.5,
        "run_time_slowdown": 1.0,
    }
    assert experiment.metric("slowdown", job="halo") == 1.5
    document = json.loads(Path("experiment/interference.json").read_text())
    part = document["parts"][0]
    assert part == {
        "part": "alone-fft",
        "directory": "alone-fft",
        "run": run_id(alone_fft),
        "jobs": ["fft"],
    }
    assert isinstance(pt.load("experiment"), pt.Experiment)


def test_a_pattern_runs_alone_as_long_as_together(
    fake_core: FakeCore, workdir: Path, scenario: pt.Scenario
) -> None:
    noise = {"kind": "pattern", "pattern": "uniform", "load": 0.5}
    experiment = pt.run(scenario.replace(BOTH | {"jobs.0.workload": noise}), report=False)
    assert isinstance(experiment, pt.Experiment)
    assert [plan["name"] for plan in fake_core.runs] == [
        "small/alone-halo",
        "small/together",
        "small/alone-fft",
    ]
    assert [plan["stop"]["duration_ps"] for plan in fake_core.runs] == [0, 0, 10**9]
    assert list(experiment.alone) == ["fft", "halo"]
    assert experiment.slowdown.select("name", "compared", "slowdown").collect().rows() == [
        ("fft", "duration", None),
        ("halo", "run", 1.5),
    ]


def test_an_experiment_with_a_truncated_job_is_incomplete(
    fake_core: FakeCore, workdir: Path, scenario: pt.Scenario
) -> None:
    fake_core.unfinished = True
    experiment = pt.run(scenario.replace(BOTH), report=False)
    assert isinstance(experiment, pt.Experiment)
    assert not experiment.complete
    assert experiment.slowdown.collect()["compared"].to_list() == ["nothing", "nothing"]


def test_a_directory_with_a_run_is_kept(
    fake_core: FakeCore, workdir: Path, scenario: pt.Scenario, cli: Cli, small: Path
) -> None:
    pt.run(scenario, out="here", report=False)
    before = Path("here/run.json").stat().st_mtime_ns
    ended = cli("run", small, "--out", "here", "--quiet", "--no-report")
    assert (ended.status, ended.out) == (2, "")
    assert (
        ended.err
        == "here: already holds a run; add --overwrite (overwrite=True) to replace it, or another"
        " --out, e.g. here-2\n"
    )
    assert Path("here/run.json").stat().st_mtime_ns == before
    assert len(fake_core.runs) == 1


def test_overwrite_replaces_a_run_and_nothing_else(
    fake_core: FakeCore, workdir: Path, scenario: pt.Scenario
) -> None:
    pt.run(scenario.replace(BOTH), out="here", report=False)
    pt.run(scenario, out="here", overwrite=True, report=False)
    assert not Path("here/together").exists()
    Path("mine").mkdir()
    Path("mine/thesis.tex").write_text("")
    Path("file").write_text("")
    for place, says in (("mine", "something else in it"), ("file", "is not a directory")):
        with pytest.raises(pt.RunDirectoryError, match=says):
            pt.run(scenario, out=place, overwrite=True)
    assert sorted(path.name for path in workdir.iterdir()) == ["file", "here", "mine"]


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("after", [False, True])
def test_overwrite_keeps_what_a_user_has_put_beside_a_run(
    fake_core: FakeCore, workdir: Path, scenario: pt.Scenario, before: bool, after: bool
) -> None:
    made = [scenario.replace(BOTH) if both else scenario for both in (before, after)]
    pt.run(made[0], out="here", report=False)
    Path("here/report.html").write_text("of the old run")
    Path("here/explorer").mkdir()
    Path("here/sub").mkdir()
    mine = [Path("here", name) for name in ("notes.txt", "own.parquet", "sub/a.svg", "runs.csv")]
    for file in mine:
        file.write_text("mine")
    pt.run(made[1], out="here", overwrite=True, report=False)
    assert [file.read_text() for file in mine] == ["mine"] * len(mine)
    assert not Path("here/report.html").exists()
    assert not Path("here/explorer").exists()
    pt.run(made[1], out="new", report=False)
    names = {path.name for path in Path("here").iterdir()}
    assert names - {"notes.txt", "own.parquet", "sub", "runs.csv"} == {
        path.name for path in Path("new").iterdir()
    }


def test_an_empty_directory_is_accepted(
    fake_core: FakeCore, workdir: Path, scenario: pt.Scenario
) -> None:
    Path("empty").mkdir()
    assert pt.run(scenario, out="empty", report=False).complete


def test_an_existing_directory_is_filled_and_not_replaced(
    fake_core: FakeCore, workdir: Path, scenario: pt.Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("place").mkdir()
    Path("link").symlink_to("place")
    assert pt.run(scenario, out="link", report=False).complete
    assert pt.run(scenario.replace(BOTH), out="link", overwrite=True, report=False).complete
    assert not Path("place/run.json").exists()
    assert sorted(path.name for path in workdir.iterdir()) == ["link", "place"]
    monkeypatch.chdir("place")
    assert pt.run(scenario, out=".", overwrite=True, report=False).complete
    assert sorted(path.name for path in workdir.iterdir()) == ["link", "place"]


def test_a_run_written_in_the_meantime_is_kept(
    fake_core: FakeCore, workdir: Path, scenario: pt.Scenario
) -> None:
    def meanwhile(plan: dict[str, Any]) -> None:
        Path("here").mkdir()
        Path("here/run.json").write_text("{}")

    fake_core.fail = meanwhile
    with pytest.raises(
        pt.RunDirectoryError, match=r"taken by another run meanwhile; this one is in .*partial"
    ):
        pt.run(scenario, out="here", report=False)
    assert Path("here/run.json").read_text() == "{}"


def test_an_impossible_directory_is_rejected(
    fake_core: FakeCore, workdir: Path, scenario: pt.Scenario
) -> None:
    Path("file").write_text("")
    with pytest.raises(pt.RunDirectoryError, match=r"cannot be written: .*; choose another --out"):
        pt.run(scenario, out="file/below")


def _raise_in(part: str, error: BaseException) -> Callable[[dict[str, Any]], None]:
    def fail(plan: dict[str, Any]) -> None:
        if plan["name"].endswith(part):
            raise error

    return fail


def test_ctrl_c_keeps_the_tables(fake_core: FakeCore, workdir: Path, small: Path, cli: Cli) -> None:
    fake_core.fail = _raise_in("small", KeyboardInterrupt())
    ended = cli("run", small, "--out", "here")
    assert ended.status == 130
    assert ended.err == "interrupted; the tables so far are in here, marked incomplete\n"
    run = pt.Run("here")
    assert not run.complete
    assert "interrupted" in repr(run)
    assert run.jobs.collect().height == 2
    assert cli("run", small, "--out", "here", "--quiet").status == 2, (
        "an incomplete run is also a run"
    )


def test_ctrl_c_keeps_the_runs_of_an_interference_experiment(
    fake_core: FakeCore, workdir: Path, scenario: pt.Scenario
) -> None:
    fake_core.fail = _raise_in("alone-halo", KeyboardInterrupt())
    with pytest.raises(pt.Interrupted) as stopped:
        pt.run(scenario.replace(BOTH), out="here")
    assert stopped.value.directory == Path("here")
    assert isinstance(stopped.value, KeyboardInterrupt)
    experiment = pt.Experiment("here")
    assert not experiment.complete
    assert [run.complete for run in experiment.alone.values()] == [True, False]
    assert not Path("here/slowdown.parquet").exists()
    with pytest.raises(pt.RunDirectoryError, match="interrupted before the jobs ran together"):
        _ = experiment.together


def test_a_stalled_run_is_kept_with_its_diagnosis(
    fake_core: FakeCore, workdir: Path, small: Path, cli: Cli
) -> None:
    fake_core.fail = _raise_in(
        "small", SimulationError("stalled at 12 us:\n  packet 3 waits for a credit")
    )
    ended = cli("run", small, "--out", "here")
    assert ended.status == 1
    assert "packet 3 waits for a credit" in ended.err
    assert "Traceback" not in ended.err
    assert pt.Run("here").document["reason"] == "stalled"


@pytest.mark.parametrize("error", [ValueError("surprise"), MemoryError()])
def test_an_internal_error_leaves_no_directory(
    fake_core: FakeCore, workdir: Path, small: Path, cli: Cli, error: Exception
) -> None:
    fake_core.fail = _raise_in("small", error)
    ended = cli("run", small, "--out", "here")
    assert ended.status == 1
    memory = isinstance(error, MemoryError)
    what, end = (
        ("there is too little memory", "job)") if memory else ("internal error", "traceback")
    )
    assert ended.err.startswith(f"pantala: {what}")
    assert ended.err.endswith(f"{end}\n")
    assert ended.err.count("\n") == 1
    assert not list(workdir.iterdir())
    assert "Traceback" in cli("run", small, "--out", "here", "--debug").err


def test_a_late_fault_of_the_plan_leaves_no_directory(
    fake_core: FakeCore, workdir: Path, scenario: pt.Scenario, small: Path
) -> None:
    fake_core.fail = _raise_in(
        "small", PlanError("jobs[1].workload.message_bytes", "1000", "is odd", "make it even")
    )
    with pytest.raises(pt.ScenarioError) as refused:
        pt.run(scenario, out="here")
    assert (
        str(refused.value)
        == f'{small}: key jobs[1].workload.message = "1 kB": is odd; make it even'
    )
    assert not list(workdir.iterdir())


def test_a_fault_of_the_plan_names_the_key_of_the_scenario(
    fake_core: FakeCore, tmp_path: Path, cli: Cli
) -> None:
    file = tmp_path / "many.toml"
    file.write_text(SMALL.replace("ranks = 8", "ranks = 80"))
    ended = cli("check", file)
    assert ended.status == 2
    assert ended.err == f"{file}: key jobs[1].ranks = 80: only 66 nodes are free; ask for fewer\n"


def test_run_prints_the_slowdown_and_the_paths(
    fake_core: FakeCore, workdir: Path, small: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "pantala.report.run_report.render_report", lambda run, places=None: "<html>"
    )
    monkeypatch.setattr("pantala.report.finding.finding_of", lambda run: "halo slows fft down.")
    ended = cli("run", small, "--set", "interference=true", "--seed", "3")
    assert ended.status == 0, ended.err
    assert "1.50" in ended.out
    assert "halo slows fft down.\ntables: runs/small\nreport: runs/small/report.html\n" in ended.out
    assert [line.split(":")[0] for line in ended.err.splitlines()] == [
        "1/3 alone-fft",
        "2/3 alone-halo",
        "3/3 together",
    ]
    assert {plan["seed"] for plan in fake_core.runs} == {3}
    assert Path("runs/small/report.html").read_text() == "<html>"
    assert cli("run", small, "--overwrite", "--quiet") == Ended(0, "", "")
    assert "communication" in cli("run", small, "--overwrite").out


def test_runs_use_the_requested_threads(
    fake_core: FakeCore, workdir: Path, small: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pantala.api.run.write_report", lambda _: None)
    assert cli("run", small, "--quiet").status == 0
    assert cli("run", small, "--quiet", "--overwrite", "--threads", "3").status == 0
    assert cli("curve", "--loads", "0.1", "-t", "2").status == 0
    assert fake_core.threads == [1, 3, 2]


def test_auto_uses_the_threads_of_the_core(
    fake_core: FakeCore, workdir: Path, small: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pantala.api.run.write_report", lambda _: None)
    monkeypatch.setattr("pantala.system.parallel.cores", lambda: 16)
    assert cli("run", small, "--quiet", "--threads", "auto").status == 0
    pt.run(pt.Scenario.from_toml(small), "here", threads="auto")
    assert cli("bench", "uniform-1056", "--threads", "auto").status == 0
    assert fake_core.processors == [16, 16, 16]
    assert fake_core.threads == [8, 8, 7]
    with pytest.raises(pt.UsageError, match=r"^threads = 'all': must be from 1 to 1024, or 'auto'"):
        pt.run(pt.Scenario.from_toml(small), "there", threads="all")  # type: ignore[arg-type]


@pytest.mark.parametrize(("cores", "share"), [(2, 1), (4, 1), (9, 3), (32, 7)])
def test_points_of_a_curve_divide_the_cores(
    fake_core: FakeCore, monkeypatch: pytest.MonkeyPatch, cores: int, share: int
) -> None:
    monkeypatch.setattr("pantala.runs.load_curve.cores", lambda: cores)
    loads = [0.1, 0.5, 0.3]
    seen: list[float] = []
    points = pt.curve(
        loads=loads, threads="auto", on_point=lambda point: seen.append(point["load"])
    )
    assert [point["load"] for point in points] == loads
    assert sorted(seen) == sorted(loads)
    assert fake_core.threads == [share] * 3


@pytest.mark.parametrize("threads", ["0", "-1", "1025", "two"])
def test_an_impossible_number_of_threads_is_rejected(
    fake_core: FakeCore, workdir: Path, small: Path, cli: Cli, threads: str
) -> None:
    for command in (["run", small], ["curve", "--loads", "0.1"]):
        ended = cli(*command, "--threads", threads)
        assert (ended.status, ended.err.count("\n")) == (2, 1)
        wanted = (
            "--threads two: is not a number"
            if threads == "two"
            else f"threads = {threads}: must be from"
        )
        assert wanted in ended.err
        assert fake_core.threads == []
    if threads != "two":
        with pytest.raises(
            pt.UsageError,
            match=rf"^threads = {threads}: must be from 1 to 1024, or 'auto'; write the",
        ):
            pt.run(pt.Scenario.from_toml(small), "here", threads=int(threads))
    assert not Path("runs").exists()
    assert not Path("here").exists()


def test_check_writes_or_prints_the_plan(
    fake_core: FakeCore, workdir: Path, small: Path, cli: Cli
) -> None:
    printed = cli("check", small, "--assumptions", "--json")
    assert printed.status == 0
    assert printed.err.startswith(f"{small}: valid; 2 jobs, 14 of 72 nodes; ")
    shown = cli("check", small)
    assert "36 in 9 groups" in shown.out
    assert re.search(r"\b8 .* 6, 7, 8, 9, 10, 11, ... \(8\)", shown.out), shown.out
    assert "{" not in shown.out
    listed = cli("check", small, "--assumptions").err
    assert "machine.links.terminal.latency, " in listed, "keys with the same reason share a line"
    assert cli("check", small, "--plan", "plan.json").out == ""
    plan = json.loads(Path("plan.json").read_text())
    assert plan == json.loads(printed.out)
    assert plan["derived"]["nodes"] == 72
    assert plan["jobs"][1]["nodes"] == list(range(6, 14))
    assert cli("check", small, "--plan", "absent/plan.json").status == 2
