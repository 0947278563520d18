"""`pantala sweep`: expansion of axes, the store of runs, status, tables, bad input."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pantala as pt
from pantala.experiments import session
from pantala.experiments.axes import parse_axis
from pantala.experiments.description import describe
from pantala.experiments.expand import Expansion
from pantala.experiments.pool import check_pool
from pantala.experiments.runner import Sweep
from pantala.experiments.status import status
from pantala.store.lease import STALE_SECONDS, claim, is_stale, now_at
from pantala.store.run_store import RunStore
from pantala.system.process_marks import this_machine
from support import Ended
from sweeps import SCENARIO, scenario

pytestmark = pytest.mark.native
Cli = Callable[..., Ended]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(SCENARIO)
    return path


def expand(**axes: Any) -> Expansion:
    return Expansion(describe(scenario(), **axes))


def test_axes_are_crossed_and_the_last_one_varies_fastest() -> None:
    cases = expand(axes={"routing.algorithm": ["minimal", "par"]}, seeds=2)
    assert [cases.shown(number) for number in range(len(cases))] == [
        {"routing.algorithm": "minimal", "seed": 1},
        {"routing.algorithm": "minimal", "seed": 2},
        {"routing.algorithm": "par", "seed": 1},
        {"routing.algorithm": "par", "seed": 2},
    ]
    (part,) = cases.parts(3)
    assert part.plan["seed"] == 2
    assert part.plan["routing"]["algorithm"] == "par"


def test_keys_of_one_axis_are_zipped() -> None:
    cases = expand(axes=[{"jobs.halo.workload.iterations": [1, 2], "seed": [5, 6]}])
    assert [cases.parts(n)[0].plan["seed"] for n in range(len(cases))] == [5, 6]


def test_named_cases_set_different_keys() -> None:
    near = {"jobs.*.placement": "contiguous"}
    cases = expand(axes=[{"name": "where", "cases": {"near": near, "as given": {}}}])
    assert [cases.shown(n) for n in range(2)] == [{"where": "near"}, {"where": "as given"}]
    placed = [[job["placement"]["kind"] for job in cases.parts(n)[0].plan["jobs"]] for n in (0, 1)]
    assert placed == [["contiguous", "contiguous"], ["random", "random"]]


def test_a_job_keeps_its_nodes_whatever_jobs_are_present() -> None:
    cases = expand(axes={"jobs": ["noise", "halo+noise"]})
    alone, both = (cases.parts(n)[0].plan["jobs"] for n in (0, 1))
    assert [job["name"] for job in alone] == ["noise"]
    assert alone[0]["nodes"] == both[1]["nodes"]


def test_the_same_run_is_simulated_once(tmp_path: Path) -> None:
    together = scenario().replace({"interference": True, "name": "pairs"})
    pt.sweep(together, tmp_path / "out", workers=1)
    cases = pt.sweep(scenario(), tmp_path / "out", axes={"jobs": ["halo", "noise"]}, workers=1)
    stored = list(RunStore(tmp_path / "out").stored())
    assert len(stored) == 3  # halo, noise, both
    assert set(cases.cases["run"]) < set(stored)
    with pytest.raises(pt.UsageError, match=r"needs the name.*pairs, tiny"):
        pt.Experiment(tmp_path / "out")


def test_labels_do_not_change_a_run() -> None:
    (one,) = Expansion(describe(scenario())).listed(0)
    (other,) = Expansion(describe(scenario().replace({"name": "label"}))).listed(0)
    (seeded,) = Expansion(describe(scenario().replace({"seed": 2}))).listed(0)
    assert one[1] == other[1] != seeded[1]


def test_tables_have_the_axes_as_columns(tmp_path: Path) -> None:
    axes = {"routing.algorithm": ["minimal", "par"]}
    made = pt.sweep(scenario(), tmp_path, axes=axes, seeds=3, workers=1)
    jobs = made.table("jobs")
    assert isinstance(jobs, pl.LazyFrame)
    rows = jobs.collect()
    assert rows.columns[:4] == ["case", "routing.algorithm", "seed", "part"]
    assert rows["name"].to_list() == ["halo", "noise"] * 6
    assert made.table("ranks").collect().height == 6 * 48
    first = made.run(rows["run"][0])
    value = first.metric("communication_time_mean_ns", job="halo")
    assert rows["communication_time_mean_ns"][0] == value
    medians = made.medians("communication_time_mean_ns").filter(name="halo")
    assert medians["runs"].to_list() == [3, 3]
    of_minimal = rows.filter(pl.col("name") == "halo")["communication_time_mean_ns"][:3]
    assert medians["communication_time_mean_ns"][0] == of_minimal.median()
    chosen = made.representative(job="halo")
    assert chosen["communication_time_mean_ns"][0] == of_minimal.median()
    across = made.pivot("communication_time_mean_ns", rows="name", columns="routing.algorithm")
    assert across.columns == ["name", "minimal", "par"]


def test_a_run_has_at_most_three_files(tmp_path: Path) -> None:
    made = pt.sweep(scenario(), tmp_path, keep=["jobs", "ranks", "links", "calls"], workers=1)
    files = [path.name for path in made.run(made.cases["run"][0]).path.iterdir()]
    assert sorted(files) == ["run.json", "tables.zip"]
    assert made.run(made.cases["run"][0]).calls.collect().height > 0


def test_a_pattern_runs_alone_as_long_as_together(tmp_path: Path) -> None:
    endless = scenario().replace(
        {
            "interference": True,
            "jobs.1.workload": {"kind": "pattern", "pattern": "uniform", "load": 0.1},
        }
    )
    made = pt.sweep(endless, tmp_path, workers=1)
    times = dict(made.runs.select("part", "simulated_ns").iter_rows())
    assert times["alone-noise"] == times["together"] != times["alone-halo"]


def test_more_tables_mean_that_runs_are_simulated_again(tmp_path: Path) -> None:
    pt.sweep(scenario(), tmp_path, workers=1)
    made = Sweep(describe(scenario(), keep=["calls"]), tmp_path)
    assert len(made.missing) == 1
    made.run(workers=1)
    assert pt.Experiment(tmp_path).table("calls").collect().height > 0


def test_a_second_sweep_simulates_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = pt.sweep(scenario(), tmp_path, seeds=2, workers=1).table("jobs").collect()
    monkeypatch.setattr(session, "perform", None)
    assert pt.sweep(scenario(), tmp_path, seeds=2, workers=1).table("jobs").collect().equals(first)


def test_any_executor_does_the_runs(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as executor:
        made = pt.sweep(scenario(), tmp_path / "threads", seeds=4, executor=executor)
    alone = pt.sweep(scenario(), tmp_path / "alone", seeds=4, workers=1)
    assert made.table("jobs").collect().equals(alone.table("jobs").collect())


def test_forked_processes_are_refused_because_they_would_wait_for_ever(tmp_path: Path) -> None:
    """A fork copies the locks of Polars' threads, and no thread that would release them."""
    forked = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork"))
    with pytest.raises(pt.UsageError, match=r"executor.*fork.*get_context\('spawn'\)"):
        pt.sweep(scenario(), tmp_path, seeds=2, executor=forked)
    assert not list(tmp_path.iterdir())
    for method in ("spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        check_pool(None, ProcessPoolExecutor(2, mp_context=context))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"experiment": 3}, "3 is not a Scenario"),
        ({"experiment": None}, "null is not a Scenario"),
        ({"experiment": "sweep.toml"}, '"sweep.toml" is not a Scenario.*from_toml'),
        ({"workers": "2"}, "workers = '2'"),
        ({"workers": 1.5}, r"workers = 1\.5"),
        ({"workers": True}, "workers = True"),
        ({"executor": 3}, "executor = 3"),
        ({"axes": 3}, "axes"),
        ({"axes": "seed"}, "axes"),
    ],
)
def test_a_wrong_argument_is_named(tmp_path: Path, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(pt.UsageError, match=said):
        pt.sweep(**{"experiment": scenario(), "out": tmp_path, **arguments})
    assert not list(tmp_path.iterdir())


def test_processes_do_the_runs(tmp_path: Path) -> None:
    made = pt.sweep(scenario(), tmp_path, seeds=4, workers=2)
    assert made.runs["state"].to_list() == ["done"] * 4


def test_failed_runs_are_listed_and_stop_nothing(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pantala.core.plan import Plan

    file = tmp_path.with_suffix(".toml")
    file.write_text(SCENARIO)

    real = Plan.run

    def run(plan: Plan, *more: Any) -> dict[str, Any]:
        if plan["seed"] == 2:
            raise pt.SimulationError("stalled:\n  rank 0 waits\n  rank 1 waits\n")
        return real(plan, *more)

    monkeypatch.setattr(Plan, "run", run)
    made = pt.sweep(scenario(), tmp_path, seeds=3, workers=1)
    assert made.runs["state"].to_list() == ["done", "failed", "done"]
    ended = cli("status", tmp_path, "--json")
    (text,) = json.loads(ended.out)
    assert (text["done"], text["failed"], text["missing"]) == (2, 1, 0)
    (failure,) = text["failures"]
    assert failure["seed"] == 2
    assert failure["reason"] == "stalled: rank 0 waits; rank 1 waits"
    assert "stalled" in cli("status", tmp_path).out
    command = ("sweep", file, "--seeds", "3", "--out", tmp_path, "--dry-run")
    assert "3 of 3 runs, 1 failed run among them; --retry repeats them" in cli(*command).out
    assert "there already: 2 of 3 runs\n" in cli(*command, "--retry").out
    precise = cli(*command[:-1], "--precision", "90%", "--workers", "1")
    assert re.search(r"3 of 3 seeds: .* \(tiny, \w+\); 1 failed run left out", precise.out)
    monkeypatch.setattr(Plan, "run", real)
    assert Sweep(describe(scenario(), seeds=3), tmp_path).missing == []
    again = pt.sweep(scenario(), tmp_path, seeds=3, workers=1, retry=True)
    assert again.runs["state"].to_list() == ["done"] * 3


def test_damaged_runs_are_simulated_again(tmp_path: Path) -> None:
    made = pt.sweep(scenario(), tmp_path, seeds=3, workers=1)
    before = made.table("jobs").collect()
    cut, empty, _ = (made.run(run).path for run in made.cases["run"])
    archive = cut / "tables.zip"
    archive.write_bytes(archive.read_bytes()[:1000])
    (empty / "run.json").write_text("")
    with pytest.warns(pt.ScenarioWarning, match="2 stored runs removed to be simulated again; .*"):
        again = pt.sweep(scenario(), tmp_path, seeds=3, workers=1)
    assert again.table("jobs").collect().equals(before)
    assert len(list(archive.parent.iterdir())) == 2


def test_files_of_others_in_the_store_are_left_alone(tmp_path: Path) -> None:
    first = pt.sweep(scenario(), tmp_path, workers=1)
    (run,) = first.runs["run"]
    strange = [tmp_path / "runs" / ".DS_Store", tmp_path / "runs" / run[:2] / ".nfs0000"]
    for path in strange:
        path.touch()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = pt.sweep(scenario(), tmp_path, workers=1)
    assert again.runs.equals(first.runs)
    assert all(path.exists() for path in strange)
    assert [each["done"] for each in status(tmp_path)] == [1]


def test_leftovers_of_killed_processes_are_removed(tmp_path: Path) -> None:
    made = pt.sweep(scenario(), tmp_path, workers=1)
    run = made.cases["run"][0]
    (tmp_path / "partial" / f"{run}~{_host()}~{2**22 + 1}").mkdir()
    lease = {"host": _host(), "process": 2**22 + 1}
    (tmp_path / "leases" / run).write_text(json.dumps(lease))
    pt.sweep(scenario(), tmp_path, workers=1)
    assert list((tmp_path / "partial").iterdir()) == []
    assert list((tmp_path / "leases").iterdir()) == []


def test_everything_but_the_runs_can_be_rebuilt(tmp_path: Path) -> None:
    import shutil

    before = pt.sweep(scenario(), tmp_path, seeds=2, workers=1).table("jobs").collect()
    for folder in ("index", "tables", "leases", "partial", "experiments"):
        shutil.rmtree(tmp_path / folder)
    made = Sweep(describe(scenario(), seeds=2), tmp_path)
    made.run(workers=1)
    assert pt.Experiment(tmp_path).table("jobs").collect().equals(before)


def test_a_full_disk_keeps_the_finished_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pantala.core.plan import Plan

    real = Plan.run

    def run(plan: Plan, *more: Any) -> dict[str, Any]:
        if plan["seed"] == 3:
            raise OSError(28, "No space left on device")
        return real(plan, *more)

    monkeypatch.setattr(Plan, "run", run)
    with pytest.raises(pt.RunDirectoryError, match=r"No space left on device; finished runs are"):
        pt.sweep(scenario(), tmp_path, seeds=4, workers=1)
    assert pt.Experiment(tmp_path).runs["state"].to_list()[:2] == ["done", "done"]
    monkeypatch.setattr(Plan, "run", real)
    assert pt.sweep(scenario(), tmp_path, seeds=4, workers=1).runs["state"].eq("done").all()


def test_a_run_of_another_process_is_not_simulated_twice(tmp_path: Path) -> None:
    """The executor does each run while another process seems to hold its lease."""
    asked = []

    class Elsewhere(ThreadPoolExecutor):
        def submit(self, work: Any, task: Any, /) -> Future[Any]:  # type: ignore[override]
            asked.append(task.run)
            store = RunStore(tmp_path)
            future: Future[Any] = Future()
            if len(asked) == 1:
                with claim(store.lease(task.run)) as mine:
                    assert mine
                    future.set_result(work(task))
            else:
                future.set_result(work(task))
            return future

    with Elsewhere(1) as executor:
        made = pt.sweep(scenario(), tmp_path, executor=executor)
    assert len(asked) == 2
    assert made.runs["state"].to_list() == ["done"]


def test_a_lease_is_exclusive_until_its_heartbeat_stops(tmp_path: Path) -> None:
    import os

    lease = tmp_path / "lease"
    with claim(lease) as mine, claim(lease) as other:
        assert (mine, other) == (True, False)
        assert not is_stale(lease, now_at(tmp_path))
        os.utime(lease, (1, 1))
        assert is_stale(lease, now_at(tmp_path))
        with claim(lease) as taken_over:
            assert taken_over
    assert list(tmp_path.iterdir()) == []


def test_a_changed_experiment_keeps_the_runs_that_it_still_needs(
    tmp_path: Path, cli: Cli, file: Path
) -> None:
    out = tmp_path / "out"
    axis = "routing.algorithm=minimal,par"
    ended = cli("sweep", file, "--axis", axis, "--seeds", "2", "--out", out, "-w", "1")
    assert ended.status == 0, ended.err
    ended = cli(
        "sweep", file, "--axis", f"{axis},ugal_g", "--seeds", "1", "--out", out, "--dry-run"
    )
    assert "axis routing.algorithm: 1 added, 0 removed; axis seed: 0 added, 1 removed" in ended.out
    assert "there already: 2 of 3 runs" in ended.out
    assert "to simulate: 1 run;" in ended.out


def test_an_experiment_file(tmp_path: Path, cli: Cli, file: Path) -> None:
    experiment = tmp_path / "experiment.toml"
    experiment.write_text(
        f"""
        name = "placements"
        scenario = "{file.name}"
        seeds = 2
        keep = ["jobs"]

        [set]
        "jobs.halo.workload.iterations" = 2

        [[axes]]
        name = "placement"
        "jobs.*.placement" = ["random", "contiguous"]
        """
    )
    ended = cli("sweep", experiment, "--out", tmp_path / "out", "-w", "1")
    assert ended.status == 0, ended.err
    assert "placements: 2 x 2 = 4 cases, 4 runs" in ended.out
    made = pt.Experiment(tmp_path / "out")
    assert made.axes == ["placement", "seed"]
    assert made.table("jobs").collect().height == 8
    with pytest.raises(pt.UsageError, match=r"table 'ranks': is not kept.*add 'ranks' to keep"):
        made.table("ranks")


def test_an_experiment_in_python(tmp_path: Path, cli: Cli) -> None:
    experiment = tmp_path / "experiment.py"
    experiment.write_text(
        "import pantala as pt\n"
        f"scenario = pt.Scenario.from_dict(__import__('tomllib').loads('''{SCENARIO}'''))\n"
        "experiment = {'scenario': scenario, 'axes': {'routing.algorithm': ['minimal', 'par']}}\n"
    )
    ended = cli("sweep", experiment, "--out", tmp_path / "out", "--dry-run")
    assert ended.status == 0, ended.err
    assert "tiny: 2 cases, 2 runs" in ended.out
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["routing.algoritm=par"], "did you mean 'algorithm'?"),
        (["routing.algorithm=parr"], "did you mean 'par'?"),
        (["routing.algorithm="], "routing.algorithm: has no values"),
        (["seeds=1,2"], "seeds: is no axis; write seeds = [1, 2] at the top of the file"),
        (["routing.algorithm=par,minimal;seed=1"], "routing.algorithm has 2, seed has 1"),
        (["jobs=halo,hallo"], "there is no such job; did you mean 'halo'?"),
        (["routing.algorithm=par", "routing.algorithm=minimal"], "appears twice"),
        (["routing.algorithm"], "is not KEY=VALUE,VALUE"),
    ],
)
def test_bad_axes(tmp_path: Path, cli: Cli, file: Path, options: list[str], said: str) -> None:
    given = [word for option in options for word in ("--axis", option)]
    ended = cli("sweep", file, *given, "--out", tmp_path / "out")
    assert ended.status == 2
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_arguments_of_another_type_are_refused_in_one_line(tmp_path: Path) -> None:
    numbers = np.arange(1, 3)
    given: list[Any] = [2, [1, 2], range(1, 3), numbers, numbers[1]]
    for count in given:
        (axis,) = describe(scenario(), seeds=count).axes
        assert [point.shown["seed"] for point in axis.points] == [1, 2]
    for wrong in (2.0, True, "2", {1, 2}):
        with pytest.raises(pt.UsageError, match="neither a number of seeds nor a list of them"):
            describe(scenario(), seeds=wrong)  # type: ignore[arg-type]
    for paths in ([tmp_path], {"a": None}):
        with pytest.raises(pt.UsageError, match="the directories have no titles; write"):
            pt.compare(paths)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "scenario = 'missing.toml'",
            'experiment.toml: scenario = "missing.toml": there is no file ',
        ),
        ("axes = []", "scenario: is missing"),
        ("scenario = 'tiny.toml'\naxis = []", "key axis: an experiment has no such key"),
        ("scenario = 'tiny.toml'\nkeep = ['job']", "did you mean 'jobs'?"),
        ("scenario = 'tiny.toml'\nseeds = 0", "seeds = 0: must be at least 1"),
        ("scenario = 'tiny.toml'\n[[axes]]\ncases = {}", "axes[0].cases: has no case"),
        ("scenario = 'tiny.toml'\n[[axes]]\nseed = 3", "seed: is not a list"),
        ("scenario = 'tiny.toml'\n[[axes]]", "axes[0]: is empty"),
        (
            "scenario = 'tiny.toml'\n[[axes]]\nname = 'rank'\nseed = [1]",
            "axis 'rank': tables and results have a column of this name",
        ),
    ],
)
def test_bad_experiment_files(tmp_path: Path, cli: Cli, file: Path, text: str, said: str) -> None:
    experiment = file.with_name("experiment.toml")
    experiment.write_text(text)
    ended = cli("sweep", experiment, "--out", tmp_path / "out")
    assert ended.status == 2
    assert said in ended.err


def test_a_directory_with_something_else_is_kept(tmp_path: Path, cli: Cli, file: Path) -> None:
    ended = cli("sweep", file, "--out", tmp_path)
    assert ended.status == 2
    assert "is a directory with something else in it" in ended.err
    ended = cli("status", tmp_path)
    assert ended.status == 2
    assert "holds no experiment" in ended.err


def test_commas_in_brackets_separate_no_values() -> None:
    assert parse_axis("jobs.0.workload.grid=[2,2],[4,1]") == {
        "jobs.0.workload.grid": [[2, 2], [4, 1]]
    }


def _host() -> str:

    return this_machine()


def test_the_command_prints_medians_of_patterns(tmp_path: Path) -> None:
    """Patterns have no communication time; their seeds count."""
    from typer.testing import CliRunner

    from pantala.cli import app

    file = tmp_path / "tiny.toml"
    file.write_text(
        """
        name = "pattern"
        routing = "minimal"
        machine = { preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 9 } }
        stop = { duration = "5 us" }
        [[jobs]]
        name = "u"
        ranks = 72
        workload = { kind = "pattern", pattern = "uniform", load = 0.2 }
        """
    )
    words = ["sweep", str(file), "--axis", "routing=minimal,par", "--seeds", "2"]
    done = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "out"), "--workers", "1"])
    assert done.exit_code == 0, done.output
    assert "2 x 2 = 4 cases, 4 runs" in done.output
    assert "Medians over 2 seeds" in done.output


def test_scenarios_and_experiments_show_themselves_in_a_notebook(tmp_path: Path) -> None:
    shown = scenario()._repr_html_()
    assert ">halo</td>" in shown
    assert ">uniform_random</td>" in shown
    assert "72 nodes in 9 groups" in shown
    axes = {"routing.algorithm": ["minimal", "par"]}
    experiment = pt.sweep(scenario(), tmp_path / "out", axes=axes, seeds=2)
    shown = experiment._repr_html_()
    assert "runs: 4 of 4" in shown
    assert shown.count("<tr>") == 1 + 2 * 2
    assert ">par</td>" in shown


def test_a_lease_whose_writer_was_killed_is_stale(tmp_path: Path) -> None:
    """The writer was killed before it wrote the text."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for process, stale in ((ended.pid, True), (os.getpid(), False)):
        lease = tmp_path / f".run.{process}@{this_machine()}.0123456789ab"
        lease.touch()
        assert is_stale(lease, now_at(tmp_path)) is stale
    other = tmp_path / f".run.{ended.pid}@elsewhere.0123456789ab"
    other.touch()
    assert not is_stale(other, now_at(tmp_path))


def test_a_lease_from_the_future_ages_from_the_first_look_on(tmp_path: Path) -> None:
    lease = tmp_path / "lease"
    lease.write_text(json.dumps({"host": "elsewhere", "process": 1}))
    now = now_at(tmp_path)
    os.utime(lease, (now + 7200, now + 7200))
    assert not is_stale(lease, now)
    assert is_stale(lease, now_at(tmp_path) + STALE_SECONDS + 1)


def test_a_partial_run_of_another_machine_stays_while_its_lease_lives(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    store.begin()
    partial = tmp_path / "partial" / "abc~elsewhere~1"
    partial.mkdir()
    os.utime(partial, (1, 1))
    store.lease("abc").write_text(json.dumps({"host": "elsewhere", "process": 1}))
    store.begin()
    assert partial.is_dir()
    os.utime(store.lease("abc"), (1, 1))
    store.begin()
    assert not partial.exists()


def test_a_sweep_waits_for_the_holder_of_a_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pantala.experiments.session import Progress
    from pantala.store.lease import holder

    listed = Expansion(describe(scenario(), axes=[]))
    (part,) = listed.listed(0)
    store = RunStore(tmp_path)
    store.begin()
    lease = store.lease(str(part.run))
    with claim(lease) as mine:
        assert mine
        text = holder(lease)
        assert text.startswith(f"process {os.getpid()} on {this_machine()}, since 20")
        lease.unlink()
    lease.write_text(json.dumps({"host": "elsewhere", "process": 7, "since": 0.0}))
    seen: list[str] = []

    def look(state: Progress) -> None:
        if state.waits:
            seen.append(state.waits)
            lease.unlink()  # the other process gives up

    monkeypatch.setattr(session, "_LOOK_SECONDS", 0.01)
    with ThreadPoolExecutor(1) as pool:
        Sweep(describe(scenario(), axes=[]), tmp_path).run(executor=pool, on_progress=look)
    assert [each.split(", since")[0] for each in seen] == [
        f"run {part.run} (process 7 on elsewhere"
    ]
