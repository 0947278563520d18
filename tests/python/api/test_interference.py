"""Interference experiments in the store of runs: continuation, shared runs, bad directories."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from pantala.core.plan import Plan
from pantala.scenario import Scenario
from pantala.store.run_store import RunStore
from support import Ended
from sweeps import SCENARIO, scenario

pytestmark = pytest.mark.native
Cli = Callable[..., Ended]
BOTH = {"interference": True}


class Core:
    """The core's `run`, which counts its plans and can fail in a part."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._real = Plan.run
        self.fails: dict[str, BaseException] = {}
        self.names: list[str] = []
        monkeypatch.setattr(Plan, "run", lambda plan, *more: self(plan, *more))

    def __call__(self, plan: Plan, *more: Any) -> dict[str, Any]:
        name = plan["name"].partition("/")[2]
        self.names.append(name)
        if name in self.fails:
            raise self.fails[name]
        return self._real(plan, *more)


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> Core:
    return Core(monkeypatch)


@pytest.fixture
def both() -> Scenario:
    return scenario().replace(BOTH)


def run(scenario: Scenario, out: Path, **options: Any) -> pt.Experiment:
    experiment = pt.run(scenario, out, report=False, **options)
    assert isinstance(experiment, pt.Experiment)
    return experiment


def test_an_interrupted_experiment_continues_with_the_missing_runs(
    tmp_path: Path, both: Scenario, core: Core
) -> None:
    core.fails["together"] = KeyboardInterrupt()
    with pytest.raises(pt.Interrupted, match=r"to continue, give the same command again$"):
        run(both, tmp_path / "out")
    assert pt.Experiment(tmp_path / "out").missing == ["together"]
    core.fails.clear()
    core.names.clear()
    continued = run(both, tmp_path / "out")
    assert core.names == ["together"]
    assert (continued.complete, continued.missing) == (True, [])
    whole = run(both, tmp_path / "whole")
    assert continued.slowdown.collect().equals(whole.slowdown.collect())
    assert continued.together.document["result_hash"] == whole.together.document["result_hash"]


def test_a_report_of_an_interrupted_experiment_says_what_is_missing(
    tmp_path: Path, both: Scenario, core: Core, cli: Cli
) -> None:
    core.fails["together"] = KeyboardInterrupt()
    with pytest.raises(pt.Interrupted):
        run(both, tmp_path / "out")
    ended = cli("report", tmp_path / "out")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == (
        f"{tmp_path / 'out'}: was interrupted before the jobs ran together; missing: together; to"
        " continue, give the same pantala run command again\n"
    )


@pytest.mark.native
def test_an_experiment_whose_run_failed_is_not_interrupted(tmp_path: Path, cli: Cli) -> None:
    """A run that has failed would fail again: no sentence asks to give the command again."""
    (tmp_path / "late.py").write_text(
        "def program(mpi):\n    if mpi.rank == 0:\n        mpi.recv(1, 8)\n    mpi.barrier()\n"
    )
    (tmp_path / "late.toml").write_text(
        """
        name = "late"
        interference = true
        routing = "minimal"
        [machine]
        preset = "kang2022"
        topology = { p = 2, a = 4, h = 2, g = 9 }
        [[jobs]]
        name = "a"
        ranks = 4
        workload = { kind = "python", file = "late.py", function = "program" }
        [[jobs]]
        name = "b"
        ranks = 4
        workload = { kind = "allreduce_loop", message = "8 B", iterations = 1 }
        """
    )
    out = tmp_path / "out"
    assert cli("run", tmp_path / "late.toml", "--out", out).status == 2
    ended = cli("report", out)
    assert ended.status == 2
    assert ended.err.startswith(
        f"{out}: alone-a failed, so the jobs did not run together: 4 ranks wait for one another"
    )
    assert ended.err.endswith("; mend the scenario and run it again\n")
    (told,) = json.loads(cli("status", out, "--json").out)
    assert (told["failed"], told["missing"], told["runs"]) == (1, 2, 3)
    assert told["parts_missing"] == ["alone-b", "together"]
    assert "4 ranks wait for one another" in told["failures"][0]["reason"]


def test_a_report_without_a_run_alone_says_so(
    tmp_path: Path, both: Scenario, core: Core, cli: Cli
) -> None:
    noise = {"kind": "pattern", "pattern": "uniform", "load": 0.1}
    core.fails["alone-noise"] = KeyboardInterrupt()
    with pytest.raises(pt.Interrupted):
        run(both.replace({"jobs.1.workload": noise}), tmp_path / "out")
    ended = cli("report", tmp_path / "out")
    assert ended.status == 0
    assert "was interrupted; missing: alone-noise; to continue" in ended.err
    page = (tmp_path / "out" / "report.html").read_text()
    assert "The experiment was interrupted; missing: alone-noise." in page


@pytest.mark.slow
def test_a_killed_experiment_continues(tmp_path: Path) -> None:
    file, out = tmp_path / "tiny.toml", tmp_path / "out"
    text = SCENARIO.replace('"1 KiB"', '"64 KiB"').replace("iterations = 4", "iterations = 40")
    file.write_text(f"interference = true\n{text}")
    command = [sys.executable, "-m", "pantala", "run", str(file), "--out", str(out), "-q"]
    store = RunStore(out)
    for wanted in (0, 1, 2):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        while process.poll() is None and not (
            len(list(store.stored())) == wanted and list((out / "partial").glob("*~*"))
        ):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.001)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert len(list(store.stored())) >= wanted
    before = {run: store.path(run).stat().st_mtime_ns for run in store.stored()}
    assert "is missing" not in str(pt.load(out))
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    kept = {run: store.path(run).stat().st_mtime_ns for run in before}
    assert kept == before, "finished runs are not repeated"
    assert list((out / "partial").iterdir()) == list((out / "leases").iterdir()) == []
    killed = pt.Experiment(out)
    whole = run(pt.Scenario.from_toml(file), tmp_path / "whole")
    assert killed.slowdown.collect().equals(whole.slowdown.collect())
    for name in ("jobs", "ranks", "links"):
        one, other = (getattr(each.together, name).collect() for each in (killed, whole))
        assert one.equals(other)


def test_a_whole_experiment_is_kept(tmp_path: Path, both: Scenario, core: Core) -> None:
    run(both, tmp_path)
    with pytest.raises(pt.RunDirectoryError, match=r"already holds a run; add --overwrite"):
        run(both, tmp_path)
    with pytest.raises(pt.RunDirectoryError, match=r"already holds another experiment \(tiny\)"):
        run(both.replace({"seed": 2}), tmp_path)
    assert len(core.names) == 3
    assert run(both.replace({"name": "label"}), tmp_path, overwrite=True).name == "label"
    assert len(core.names) == 6, "--overwrite simulates again"


def test_runs_are_shared_with_sweeps(tmp_path: Path, both: Scenario, core: Core) -> None:
    keep = ["jobs", "packets", "iterations", "link_windows", "messages"]
    recorded = both.replace({"record": {"packets": "all", "messages": True}})
    run(recorded, tmp_path)
    core.names.clear()
    made = pt.sweep(recorded, tmp_path, keep=keep, workers=1)
    assert core.names == []
    assert made.table("jobs").collect().height == 4
    assert made.table("messages").collect().height > 0
    with pytest.raises(pt.RunDirectoryError, match="also holds experiments of pantala sweep"):
        pt.run(scenario(), tmp_path, overwrite=True)
    run(recorded, tmp_path, overwrite=True)
    assert made.runs["state"].to_list() == ["done"] * 3


def test_a_sweep_keeps_its_directory(tmp_path: Path, both: Scenario, core: Core) -> None:
    made = pt.sweep(both, tmp_path, workers=1)
    with pytest.raises(pt.RunDirectoryError, match="something else in it"):
        pt.run(scenario(), tmp_path)
    with pytest.raises(pt.RunDirectoryError, match="holds the sweep"):
        run(both, tmp_path)
    assert made.runs["state"].to_list() == ["done"] * 3


def test_a_stalled_part_keeps_its_tables_and_the_other_runs(
    tmp_path: Path, both: Scenario, core: Core
) -> None:
    core.fails["alone-noise"] = pt.SimulationError("stalled: ranks 0 and 1 wait for each other")
    with pytest.raises(pt.SimulationError, match="stalled") as stalled:
        run(both, tmp_path)
    assert stalled.value.directory == tmp_path
    assert list(pt.Experiment(tmp_path).alone) == ["halo"]
    assert pt.Experiment(tmp_path).missing == ["alone-noise", "together"]


def test_a_full_disk_keeps_the_finished_runs(tmp_path: Path, both: Scenario, core: Core) -> None:
    core.fails["together"] = OSError(28, "No space left on device")
    with pytest.raises(pt.RunDirectoryError, match=r"No space left on device; finished runs are"):
        run(both, tmp_path)
    core.fails.clear()
    assert run(both, tmp_path).complete
    assert core.names[-1] == "together"


def test_an_error_before_the_first_run_restores_the_directory(
    tmp_path: Path, both: Scenario, core: Core
) -> None:
    pt.run(scenario(), tmp_path / "old", report=False)
    core.fails["alone-halo"] = ValueError("surprise")
    with pytest.raises(ValueError, match="surprise"):
        run(both, tmp_path / "old", overwrite=True)
    with pytest.raises(ValueError, match="surprise"):
        run(both, tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert pt.Run(tmp_path / "old").complete


def test_a_file_system_without_links_has_the_runs(
    tmp_path: Path, both: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    def symlink(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "symlink_to", symlink)
    experiment = run(both, tmp_path)
    assert experiment.complete
    assert experiment.together.path.is_relative_to(tmp_path / "runs")


def test_an_experiment_of_an_earlier_version_is_opened_and_kept(
    tmp_path: Path, both: Scenario
) -> None:
    run(both, tmp_path)
    file = tmp_path / "interference.json"
    document = json.loads(file.read_text())
    for key in ("plan", "missing"):
        del document[key]
    for part in document["parts"]:
        del part["run"]
    file.write_text(json.dumps(document))
    assert pt.Experiment(tmp_path).missing == []
    with pytest.raises(pt.RunDirectoryError, match="already holds"):
        run(both, tmp_path)
