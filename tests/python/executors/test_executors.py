"""Sweeps on executors: Slurm by stand-ins and for real, Dask, and faults of executors."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
import slurm_cluster
from pantala.executors import dask, slurm_task
from pantala.executors.slurm_commands import submit
from pantala.executors.slurm_options import SlurmOptions
from pantala.store.run_store import RunStore
from pantala.store.worker import perform
from pantala.system.parallel import WorkerDied
from slurm_stand_in import slurm, stand_in
from support import Ended
from sweeps import SCENARIO, a_task, scenario, start_sweep

__all__ = ["stand_in"]

pytestmark = pytest.mark.native
Cli = Callable[..., Ended]


def test_slurm_tasks_simulate_several_runs_each(tmp_path: Path, stand_in: Path) -> None:
    root = tmp_path / "out"
    with slurm(root, runs_per_task=3, partition="debug", options=("--account=a",)) as executor:
        made = pt.sweep(scenario(), root, seeds=7, executor=executor)
    assert made.runs["state"].to_list() == ["done"] * 7
    here = pt.sweep(scenario(), tmp_path / "here", seeds=7, workers=1)
    assert made.runs["result_hash"].equals(here.runs["result_hash"])
    options = (stand_in / "options").read_text()
    assert "--array=0-2 --requeue" in options
    assert "--cpus-per-task=1 --partition=debug --account=a" in options
    assert not (root / "slurm").exists()


def test_a_command_gives_runs_to_slurm(tmp_path: Path, stand_in: Path, cli: Cli) -> None:
    (tmp_path / "tiny.toml").write_text(SCENARIO)
    command = ("sweep", tmp_path / "tiny.toml", "--out", tmp_path / "out", "--executor", "slurm")
    options = ("--time-limit", "10", "--runs-per-task", "2", "--threads", "2")
    ended = cli(*command, "--seeds", "3", *options)
    assert ended.status == 0, ended.err
    assert "Slurm job 1: 2 tasks with 3 runs" in ended.err
    assert "of simulation" in ended.out
    given = (stand_in / "options").read_text()
    assert re.search(r"--cpus-per-task=2 --mem=[34]00M --time=10 ", given)
    refused = cli(*command, "--seeds", "5", "--partition", "none")
    assert refused.status == 2
    assert refused.err.count("\n") == 1
    assert "Slurm refuses the job: invalid partition specified: none; correct" in refused.err
    assert "fewer" not in refused.err
    refused = cli(*command, "--seeds", "7", "--partition", "none", "--runs-per-task", "2")
    assert "for fewer than 2 tasks, give a --runs-per-task larger than 2" in refused.err
    assert pt.Experiment(tmp_path / "out").runs["state"].to_list().count("done") == 3


@pytest.mark.parametrize(
    "words",
    [
        "sbatch: fatal: Could not establish a configuration source",
        "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect"
        " failure)",
        "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation",
        "sbatch: error: Batch job submission failed: Zero Bytes were transmitted or received",
    ],
)
def test_a_slurm_that_does_not_answer_is_told_apart_from_one_that_refuses(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pantala.executors import slurm_commands

    ended = subprocess.CompletedProcess([], 1, stdout="", stderr=words)
    monkeypatch.setattr(slurm_commands, "_run", lambda _: ended)
    with pytest.raises(pt.UsageError, match=r"Slurm does not answer: .*; give this comman"):
        slurm_commands.submit(tmp_path, 1, "x", SlurmOptions())


def test_a_killed_slurm_task_costs_its_run_only(tmp_path: Path, stand_in: Path) -> None:
    root = tmp_path / "out"
    long = scenario().replace({"jobs.halo.workload.iterations": 2000})
    killed: list[int] = []
    with slurm(root, runs_per_task=4) as executor, ThreadPoolExecutor(1) as beside:
        swept = beside.submit(pt.sweep, long, root, seeds=4, executor=executor)
        while not swept.done() and not killed:
            if list((root / "partial").glob("*~*")):
                (task,) = (stand_in / "jobs" / "1").read_text().split()
                os.kill(int(task), signal.SIGKILL)
                killed.append(int(task))
        made = swept.result()
    assert killed
    assert made.runs["state"].to_list() == ["done"] * 4
    assert len(list((stand_in / "jobs").iterdir())) == 2
    assert list(root.glob("slurm/*/*/0.died")), "the log of the killed task remains"


def test_a_run_that_kills_its_tasks_fails_and_stops_nothing(
    tmp_path: Path, stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The run of the task that begins first kills its tasks.
    task, deadly = stand_in / "python", stand_in / "deadly"
    task.write_text(
        f"""#!/bin/sh
run=$(sed 's/.*"run": "\\([0-9a-f]*\\)".*/\\1/' "$3/$4.runs")
if mkdir "{deadly}" 2> "{stand_in}/said"; then echo "$run" > "{deadly}/run"; fi
if [ "$run" = "$(cat "{deadly}/run")" ]; then
  echo "{{\\"run\\": \\"$run\\", \\"state\\": \\"started\\"}}" >> "$3/$4.results"
  echo Killed by a test >&2
  exit 1
fi
exec {sys.executable} "$@"
"""
    )
    task.chmod(0o755)
    monkeypatch.setattr("pantala.executors.slurm_commands.sys.executable", str(task))
    root = tmp_path / "out"
    with slurm(root) as executor:
        made = pt.sweep(scenario(), root, seeds=3, executor=executor)
    assert sorted(made.runs["state"].to_list()) == ["done", "done", "failed"]
    (reason,) = filter(None, made.runs["reason"].to_list())
    assert "its Slurm task ended (Killed by a test; " in reason
    assert reason.endswith(", 3 times")


def test_an_interrupted_sweep_cancels_its_arrays(tmp_path: Path, stand_in: Path) -> None:
    root = tmp_path / "out"
    long = scenario().replace({"jobs.halo.workload.iterations": 100_000})

    executor = slurm(root, runs_per_task=1)
    future = executor.submit(perform, a_task(long, root))
    while not list((root / "partial").glob("*~*")):
        time.sleep(0.01)
    executor.__exit__(KeyboardInterrupt, None, None)
    assert not future.done()
    assert (stand_in / "cancelled").read_text() == "1\n"
    # SIGTERM ends the run; its lease is given back.
    while list((root / "leases").iterdir()):
        time.sleep(0.01)


def test_only_runs_are_given_to_slurm(tmp_path: Path, stand_in: Path) -> None:
    with slurm(tmp_path) as executor, pytest.raises(pt.UsageError, match="simulates runs only"):
        executor.submit(print, "x")
    with pytest.raises(pt.UsageError, match="runs per task = 0"):
        SlurmOptions(runs_per_task=0)


def test_a_task_that_starts_anew_skips_what_has_ended(tmp_path: Path) -> None:
    root, folder = tmp_path / "out", tmp_path / "array"
    folder.mkdir()
    tasks = [a_task(scenario().replace({"seed": seed}), root) for seed in (1, 2, 3)]
    slurm_task.write_runs(folder, 0, tasks)
    done = {"run": tasks[0].run, "state": "done"}
    began = {"run": tasks[1].run, "state": "started"}
    lines = [done, *[began] * slurm_task.MOST_STARTS]
    slurm_task.results_of(folder, 0).write_text(
        "".join(json.dumps(line) + "\n" for line in lines) + '{"run": "cut o'
    )
    slurm_task.main(folder, 0)
    entries, _ = slurm_task.read_results(slurm_task.results_of(folder, 0))
    states = [(entry["run"], entry["state"]) for entry in entries[len(lines) :]]
    assert states == [
        (tasks[1].run, "failed"),
        (tasks[2].run, "started"),
        (tasks[2].run, "done"),
    ]
    assert list(RunStore(root).stored()) == [tasks[2].run]
    slurm_task.main(folder, 0)
    again, _ = slurm_task.read_results(slurm_task.results_of(folder, 0))
    assert again == entries


def test_results_are_read_by_whole_lines(tmp_path: Path) -> None:
    file = tmp_path / "0.results"
    assert slurm_task.read_results(file) == ([], 0)
    file.write_text('{"run": "a", "state": "done"}\n{"run": "b", ')
    entries, offset = slurm_task.read_results(file)
    assert [entry["run"] for entry in entries] == ["a"]
    with file.open("a") as more:
        more.write('"state": "done"}\n')
    entries, _ = slurm_task.read_results(file, offset)
    assert [entry["run"] for entry in entries] == ["b"]


def test_slurm_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "tiny.toml").write_text(SCENARIO)
    ended = cli("sweep", tmp_path / "tiny.toml", "--out", tmp_path / "o", "--executor", "slurm")
    assert ended.status == 2
    assert "executor slurm: the command sbatch is not on the PATH; give" in ended.err
    with pytest.raises(pt.UsageError, match="the job: No such file"):
        submit(tmp_path, 1, "x", SlurmOptions())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--executor", "slrum"), "use local, slurm, dask (did you mean slurm?)"),
        (("--executor", "slurm:x"), "only dask takes an address"),
        (("--partition", "debug"), "--partition: needs --executor slurm"),
        (("--executor", "slurm", "--runs-per-task", "0"), "must be at least 1"),
    ],
)
def test_wrong_options_of_executors(
    tmp_path: Path, cli: Cli, options: tuple[str, ...], message: str
) -> None:
    (tmp_path / "tiny.toml").write_text(SCENARIO)
    ended = cli("sweep", tmp_path / "tiny.toml", "--out", tmp_path / "out", *options)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert message in ended.err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.needs(packages=["distributed"])
def test_dask_workers_do_the_runs_and_may_be_killed(tmp_path: Path) -> None:
    long = scenario().replace({"jobs.halo.workload.iterations": 1000})
    root = tmp_path / "out"
    with dask.dask_executor(None, 2) as executor, ThreadPoolExecutor(1) as beside:
        swept = beside.submit(pt.sweep, long, root, seeds=6, executor=executor)
        killed = False
        while not swept.done() and not killed:
            for partial in (root / "partial").glob("*~*~*"):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(partial.name.rpartition("~")[2]), signal.SIGKILL)
                    killed = True
                break
        made = swept.result()
    assert killed
    assert made.runs["state"].to_list() == ["done"] * 6


def test_dask_that_is_missing_or_silent_is_named(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tiny.toml").write_text(SCENARIO)
    command = ("sweep", tmp_path / "tiny.toml", "--out", tmp_path / "out", "--executor")
    monkeypatch.setattr(dask, "_CONNECT_SECONDS", 0.2)
    ended = cli(*command, "dask:tcp://127.0.0.1:9")
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert "executor dask: no scheduler answers at tcp://127.0.0.1:9" in ended.err
    monkeypatch.setitem(sys.modules, "distributed", None)
    ended = cli(*command, "dask")
    assert ended.status == 2
    assert "the package is not installed; run pip install 'pantala[dask]'" in ended.err


class _Broken(ThreadPoolExecutor):
    """An executor whose work ends with an error of its own."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(1)
        self._error = error

    def submit(self, work: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(self._error)
        return future


@pytest.mark.parametrize("error", [CancelledError(), ImportError("No module named 'pantala'")])
def test_a_broken_executor_ends_the_sweep_and_fails_no_run(
    tmp_path: Path, error: BaseException
) -> None:
    with (
        _Broken(error) as executor,
        pytest.raises(pt.PantalaError, match=f"the executor stopped: {type(error).__name__}"),
    ):
        pt.sweep(scenario(), tmp_path, seeds=2, executor=executor)
    assert pt.sweep(scenario(), tmp_path, seeds=2, workers=1).runs["state"].to_list() == [
        "done",
        "done",
    ]


def test_an_executor_that_forks_or_has_ended_is_refused(tmp_path: Path) -> None:
    forking = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork"))
    with forking, pytest.raises(pt.UsageError, match=r"mp_context=.*get_context\('spawn'\)"):
        pt.sweep(scenario(), tmp_path / "out", executor=forking)
    assert not (tmp_path / "out").exists()
    ended = ThreadPoolExecutor(1)
    ended.shutdown()
    with pytest.raises(pt.PantalaError, match="the executor stopped: RuntimeError"):
        pt.sweep(scenario(), tmp_path / "out", executor=ended)


def test_a_run_whose_workers_die_fails_after_three(tmp_path: Path) -> None:
    with _Broken(WorkerDied("its worker was killed")) as executor:
        made = pt.sweep(scenario(), tmp_path, executor=executor)
    assert made.runs["reason"].to_list() == ["its worker was killed, 3 times"]


@pytest.mark.full
@slurm_cluster.needs_cluster
def test_a_real_slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, root = tmp_path / "tiny.toml", tmp_path / "out put"
    # Each run takes about a second, so that tasks can be killed and requeued in the middle.
    file.write_text(SCENARIO.replace("iterations = 4", "iterations = 20000"))
    with slurm_cluster.cluster(tmp_path / "slurm") as configuration:
        monkeypatch.setenv("SLURM_CONF", str(configuration))
        options = ("--executor", "slurm", "--partition", slurm_cluster.PARTITION)
        swept = start_sweep(file, root, "--seeds", "8", *options, "--runs-per-task", "2")
        store = RunStore(root)
        while swept.poll() is None and len(list(store.stored())) < 2:
            time.sleep(0.05)
        # Slurm takes task 0 back, as after preemption; task 3 is killed.
        subprocess.run(["scontrol", "requeue", "1_0"], check=False)
        for partial in (root / "partial").glob("*~*~*"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(partial.name.rpartition("~")[2]), signal.SIGKILL)
            break
        said, _ = swept.communicate()
        assert swept.returncode == 0, said
        assert pt.Experiment(root).runs["state"].to_list() == ["done"] * 8
        # kill -9 of the command: its tasks go on, and the same command ends the sweep.
        more = ("--seeds", "16", *options)
        first = start_sweep(file, root, *more)
        while first.poll() is None and len(list(store.stored())) < 10:
            time.sleep(0.05)
        first.kill()
        first.communicate()
        second = start_sweep(file, root, *more)
        said, _ = second.communicate()
        assert second.returncode == 0, said
    made = pt.Experiment(root)
    assert made.runs["state"].to_list() == ["done"] * 16
    here = pt.sweep(pt.Scenario.from_toml(file), tmp_path / "here", seeds=16, workers=2)
    values = ["case", "run", "result_hash", "simulated_ns"]
    assert made.runs.select(values).equals(here.runs.select(values))
    shutil.rmtree(tmp_path / "slurm")
