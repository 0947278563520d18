"""Sweeps on Slurm: cancelled arrays, tasks that end early, memory, bundles, arrays of others."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
import slurm_cluster
from pantala.errors import ExecutorError
from pantala.executors.slurm import SlurmExecutor
from pantala.executors.slurm_arrays import slurm_status
from pantala.executors.slurm_options import SlurmOptions, bundled, memory_of, seconds_of
from pantala.store.worker import perform
from slurm_stand_in import slurm, stand_in
from support import Ended
from sweeps import SCENARIO, a_task, scenario

__all__ = ["stand_in"]

pytestmark = pytest.mark.native
Cli = Callable[..., Ended]
LONG = {"jobs.halo.workload.iterations": 100_000}


def submitted(folder: Path) -> int:
    """Returns the number of job arrays that a stand-in has got."""
    return len(list((folder / "jobs").iterdir()))


def fake_task(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Lets tasks run a shell script in place of Pantala: $3 is the folder, $4 the task."""
    program = folder / "python"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    monkeypatch.setattr("pantala.executors.slurm_commands.sys.executable", str(program))


BEGIN = """run=$(sed 's/.*"run": "\\([0-9a-f]*\\)".*/\\1/' "$3/$4.runs" | head -n 1)
echo "{\\"run\\": \\"$run\\", \\"state\\": \\"started\\"}" >> "$3/$4.results"
"""


@pytest.mark.parametrize("state", ["CANCELLED by 1000", "FORGOTTEN"])
def test_a_cancelled_array_ends_the_sweep(tmp_path: Path, stand_in: Path, state: str) -> None:
    # A busy Slurm forgets a task within seconds, while the others of its array go on.
    (stand_in / "states").write_text(f"1_1 {state}\n")
    (stand_in / "accounts").write_text("1_0|RUNNING\n1_1|CANCELLED by 1000\n")
    with (
        pytest.raises(ExecutorError) as raised,
        slurm(tmp_path / "out", runs_per_task=1) as executor,
    ):
        pt.sweep(scenario().replace(LONG), tmp_path / "out", seeds=2, executor=executor)
    assert str(raised.value) == (
        "executor slurm: task 1_1 was cancelled by 1000, so the sweep ends; 2 runs had not ended;"
        " finished runs are kept, and the same command continues"
    )
    assert submitted(stand_in) == 1
    assert (stand_in / "cancelled").read_text() == "1\n"


def test_a_silent_controller_delays_a_further_array(tmp_path: Path, stand_in: Path) -> None:
    (stand_in / "silent").write_text("2")
    root = tmp_path / "out"
    with slurm(root) as executor:
        executor.submit(perform, a_task(scenario(), root)).result()
        other = executor.submit(perform, a_task(scenario().replace({"seed": 7}), root))
        assert other.result()["state"] == "done"
    assert (stand_in / "silent").read_text() == "0"
    assert submitted(stand_in) == 2


def test_runs_of_an_earlier_command_are_not_submitted_again_while_slurm_is_silent(
    tmp_path: Path, stand_in: Path
) -> None:
    folder = tmp_path / "out" / "slurm" / "x" / "0"
    folder.mkdir(parents=True)
    (folder / "job.json").write_text(json.dumps({"job": "7", "runs": [["a"]], "keep": []}))
    (stand_in / "squeue").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(pt.UsageError, match="does not answer, and an earlier command has submit"):
        slurm(tmp_path / "out")
    assert submitted(stand_in) == 0


def test_an_interruption_does_not_wait_for_squeue(tmp_path: Path, stand_in: Path) -> None:
    hangs = stand_in / "hangs"
    hangs.touch()
    executor = slurm(tmp_path / "out")
    executor.submit(perform, a_task(scenario().replace(LONG), tmp_path / "out"))
    while hangs.read_text() != "asked":
        time.sleep(0.01)
    executor.__exit__(KeyboardInterrupt, None, None)
    assert hangs.read_text() == "cancelled"


def test_tasks_that_never_begin_end_the_sweep(tmp_path: Path, stand_in: Path) -> None:
    root = tmp_path / "out"
    with (
        pytest.raises(ExecutorError) as raised,
        slurm(root, runs_per_task=2, setup=("echo no module python; exit 7",)) as executor,
    ):
        pt.sweep(scenario(), root, seeds=4, executor=executor)
    text = str(raised.value)
    assert text.startswith("executor slurm: 3 tasks ended before they began their runs; the last")
    assert "ended (no module python; " in text
    assert f"the nodes must see {root} and this installation of Pantala (--setup adds" in text
    assert submitted(stand_in) == 3
    # No run has failed: nothing is known about the runs themselves.
    assert set(pt.Experiment(root).runs["state"]) == {"missing"}


def test_a_run_that_has_had_the_whole_time_limit_fails_with_this_reason(
    tmp_path: Path, stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_task(stand_in, monkeypatch, f"{BEGIN}echo stopped by Slurm >&2")
    (stand_in / "states").write_text("1_0 TIMEOUT TimeLimit\n")
    root = tmp_path / "out"
    said: list[str] = []
    options = SlurmOptions(time_limit="1")
    with SlurmExecutor(
        root, options, look_seconds=0.05, ask_seconds=0.2, on_notice=said.append
    ) as executor:
        made = pt.sweep(scenario(), root, executor=executor)
    (reason,) = made.runs["reason"].to_list()
    assert reason.startswith(
        "its Slurm task reached its time limit, --time-limit 1 (give a longer --time-limit, with"
        " --retry; "
    )
    assert submitted(stand_in) == 1, "a second task would end in the same way"
    assert said[0].startswith("Slurm task 1_0 reached its time limit")


def test_a_task_without_enough_memory_is_named(
    tmp_path: Path, stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_task(stand_in, monkeypatch, BEGIN)
    (stand_in / "states").write_text("".join(f"{job}_0 OUT_OF_MEMORY None\n" for job in (1, 2, 3)))
    root = tmp_path / "out"
    with slurm(root, memory="500M") as executor:
        made = pt.sweep(scenario(), root, executor=executor)
    (reason,) = made.runs["reason"].to_list()
    assert "ran out of memory, --mem 500M (give more with --mem; " in reason
    assert reason.endswith(", 3 times")


def test_an_array_of_an_earlier_command_is_not_submitted_again(
    tmp_path: Path, stand_in: Path
) -> None:
    root = tmp_path / "out"
    tasks = [a_task(scenario().replace({"seed": seed, **LONG}), root) for seed in (1, 2)]
    first = slurm(root, runs_per_task=2)
    futures = [first.submit(perform, task) for task in tasks]
    while not list(root.glob("slurm/*/*/job.json")):
        time.sleep(0.01)
    text = slurm_status(root)
    assert text is not None
    assert (text["jobs"], text["pending"], text["running"]) == (["1"], 0, 1)
    assert text["runs"] == sorted(task.run for task in tasks)
    said: list[str] = []
    second = SlurmExecutor(
        root, SlurmOptions(), look_seconds=0.05, ask_seconds=0.2, on_notice=said.append
    )
    other = a_task(scenario(), root)
    again = [second.submit(perform, task) for task in (*tasks, other)]
    assert again[2].result()["state"] == "done"
    assert submitted(stand_in) == 2
    assert said == ["Slurm job 1 of an earlier command goes on: 1 task with 2 runs"]
    second.shutdown(cancel_futures=True)
    assert (stand_in / "cancelled").read_text().split()[0] == "1"
    first.shutdown(cancel_futures=True)
    assert not any(future.done() for future in futures)


def test_status_tells_of_tasks_in_slurm(tmp_path: Path, stand_in: Path, cli: Cli) -> None:
    root = tmp_path / "out"
    made = pt.sweep(scenario(), root, seeds=1, workers=1)
    assert made.runs.height == 1
    folder = root / "slurm" / "x" / "0"
    folder.mkdir(parents=True)
    array = {"job": "7", "runs": [["a", "b"], ["c"], ["d"]], "keep": []}
    (folder / "job.json").write_text(json.dumps(array))
    (folder / "0.results").write_text('{"run": "a", "state": "done"}\n')
    (stand_in / "jobs" / "7").write_text("0 0 0")
    (stand_in / "states").write_text("7_0 RUNNING None\n7_1 PENDING Priority\n7_2 FAILED None\n")
    ended = cli("status", root)
    assert "job 7: 1 pending (Priority), 1 running tasks; 2 runs" in ended.out
    (text,) = json.loads(cli("status", root, "--json").out)
    assert text["slurm"]["reasons"] == ["Priority"]
    assert text["slurm"]["runs"] == ["b", "c"]
    (stand_in / "squeue").write_text("#!/bin/sh\nexit 1\n")
    assert "job 7: Slurm does not answer here; give this command on" in cli("status", root).out


def test_a_dry_run_shows_the_script(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "tiny.toml").write_text(SCENARIO)
    out = tmp_path / "out"
    ended = cli(
        "sweep", tmp_path / "tiny.toml", "--out", out, "--executor", "slurm", "--dry-run",
        "--seeds", "3", "--setup", "module load 'python/3.11'", "--setup", "export A=1",
        "--slurm-option", "--account=physics", "--partition", "short",
    )  # fmt: skip
    assert ended.status == 0, ended.err
    assert "Slurm: 1 task with 3 runs each" in ended.out
    assert re.search(r"--mem=[34]00M --partition=short --account=physics", ended.out)
    assert f"--output={out}/slurm/ID/0/%a.log" in ended.out
    script = ended.out[ended.out.index("#!/bin/bash -l") :].splitlines()
    assert script[2:4] == ["module load 'python/3.11'", "export A=1"]
    assert f"{sys.executable}' -m pantala.executors.slurm_task" in script[4]
    assert not out.exists()


def test_set_up_lines_run_before_a_task(tmp_path: Path, stand_in: Path) -> None:
    root = tmp_path / "out"
    with slurm(root, setup=(f"echo here > '{tmp_path}/mark'",)) as executor:
        pt.sweep(scenario(), root, executor=executor)
    assert (tmp_path / "mark").read_text() == "here\n"


@pytest.mark.parametrize(
    ("limit", "warned"), [("1", "a run takes about"), ("2-0", None), (None, None)]
)
def test_a_time_limit_below_the_estimate_is_warned_of(
    tmp_path: Path, cli: Cli, limit: str | None, warned: str | None
) -> None:
    text = SCENARIO.replace("iterations = 4", "iterations = 3000000")
    (tmp_path / "long.toml").write_text(text)
    given = () if limit is None else ("--time-limit", limit)
    command = ("sweep", tmp_path / "long.toml", "--out", tmp_path / "o", "--executor", "slurm")
    ended = cli(*command, "--dry-run", *given)
    assert ended.status == 0, ended.err
    assert (f"warning: --time-limit 1: {warned}" in ended.err) == (warned is not None)
    assert ended.err.count("warning: --time-limit") == (warned is not None)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--time-limit", "1h"), "--time-limit 1h: is no time of Slurm; write minutes (30)"),
        (("--mem", "4 GB"), "--mem 4 GB: is no amount of memory of Slurm; write e.g. 500M, 4G"),
        (("--slurm-option", "--comment='x"), "--slurm-option --comment='x: No closing quotation"),
    ],
)
def test_wrong_options_are_refused_before_anything(
    given: tuple[str, ...], message: str, tmp_path: Path, cli: Cli
) -> None:
    (tmp_path / "tiny.toml").write_text(SCENARIO)
    out = tmp_path / "out"
    command = ("sweep", tmp_path / "tiny.toml", "--out", out, "--executor", "slurm")
    ended = cli(*command, *given)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert message in ended.err
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"memory": "2G"}, ["--mem=2G"]),
        ({"memory": "none"}, []),
        ({"memory": "2G", "options": ("--mem=1G",)}, ["--mem=1G"]),
        ({"memory": "2G", "options": ("--mem-per-cpu=1G",)}, ["--mem-per-cpu=1G"]),
    ],
)
def test_a_task_asks_for_memory_once(options: dict[str, Any], shown: list[str]) -> None:
    words = SlurmOptions(**options).arguments
    assert [word for word in words if word.startswith("--mem")] == shown


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30", 1800),
        ("30:15", 1815),
        ("1:00:00", 3600),
        ("2-0", 172_800),
        ("1-2:30", 95_400),
        ("1-2:30:15", 95_415),
        ("0", None),
        ("infinite", None),
    ],
)
def test_time_limits_are_those_of_slurm(text: str, seconds: float | None) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize(
    ("runs", "seconds_each", "limit", "expected"),
    [
        (12, 2.0, None, 12),  # 24 s: one task
        (1200, 2.0, None, 38),  # 76 s: 32 tasks
        (100_000, 2.0, None, 300),  # ten minutes
        (100_000, 2.0, 120.0, 30),  # half the time limit
        (5, 3600.0, None, 1),
        (5, 3600.0, 60.0, 1),
        (10, 0.0, None, 10),
        (0, 0.0, None, 1),
    ],
)
def test_runs_are_bundled_by_their_time(
    runs: int, seconds_each: float, limit: float | None, expected: int
) -> None:
    assert bundled(runs, runs * seconds_each, limit) == expected


def test_the_memory_of_a_task_has_room() -> None:
    assert memory_of(100e6) == "400M"
    assert memory_of(4e9) == "6000M"


def test_an_error_of_the_executor_itself_ends_the_sweep(
    tmp_path: Path, stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SlurmExecutor, "_collect", lambda _: 1 / 0)
    with (
        pytest.raises(ExecutorError, match="executor slurm: ZeroDivisionError"),
        slurm(tmp_path / "out") as executor,
    ):
        pt.sweep(scenario(), tmp_path / "out", executor=executor)


@pytest.mark.full
@slurm_cluster.needs_cluster
def test_a_real_slurm_shares_a_node_and_its_user_cancels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "out"
    with slurm_cluster.cluster(tmp_path / "slurm") as configuration:
        monkeypatch.setenv("SLURM_CONF", str(configuration))
        tasks = [a_task(scenario().replace({"seed": seed, **LONG}), root) for seed in range(1, 4)]
        executor = slurm(root, memory="500M")
        futures = [executor.submit(perform, task) for task in tasks]
        sentence = None
        while sentence is None or sentence["running"] < 3:  # together, not one after another
            time.sleep(0.05)
            sentence = slurm_status(root) if list(root.glob("slurm/*/*/job.json")) else None
        subprocess.run(["scancel", sentence["jobs"][0]], check=True)
        with pytest.raises(ExecutorError, match=f"task {sentence['jobs'][0]}_0 was cancelled"):
            futures[0].result()
        executor.shutdown()
        listed = subprocess.run(["squeue", "--noheader", "--states=PENDING,RUNNING"],
                                capture_output=True, text=True, check=True)  # fmt: skip
        assert listed.stdout == ""
