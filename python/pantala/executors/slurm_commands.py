"""Slurm's commands: submit a job array, ask for its tasks, cancel it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from pantala.errors import UsageError
from pantala.whole_file import write_text

__all__ = ["cancel", "check_installed", "largest_array", "living_tasks", "submit"]

#: The states of a task that may still work; any other state is an end.
_LIVING = frozenset(
    (
        "COMPLETING",
        "CONFIGURING",
        "PENDING",
        "REQUEUED",
        "REQUEUE_FED",
        "REQUEUE_HOLD",
        "RESIZING",
        "RUNNING",
        "SIGNALING",
        "SPECIAL_EXIT",
        "STAGE_OUT",
        "STOPPED",
        "SUSPENDED",
    )
)
#: Words of sbatch when it reaches no controller.
_UNREACHABLE = ("configuration source", "contact slurm controller", "connection refused")
#: Slurm's own default of MaxArraySize.
_LARGEST_ARRAY = 1001


def check_installed() -> None:
    """Checks that Slurm's commands are there.

    Raises:
        UsageError: one of them is missing.
    """
    for command in ("sbatch", "squeue", "scancel"):
        if shutil.which(command) is None:
            raise UsageError(
                f"executor slurm: the command {command} is not on the PATH; give this command on a"
                " login node of the cluster (or install Slurm's client: apt install slurm-client)"
            )


def largest_array() -> int:
    """Returns the largest number of tasks of one job array."""
    ended = _run(["scontrol", "show", "config"])
    for line in ended.stdout.splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "MaxArraySize" and value.strip().isdecimal():
            return max(1, int(value))
    return _LARGEST_ARRAY


def submit(folder: Path, tasks: int, name: str, options: Sequence[str]) -> str:
    """Submits the job array of a folder and returns its number.

    Slurm starts a task anew after a failure of its node or after preemption. A task skips the runs
    that it has finished before.

    Args:
        folder: the folder with the files of the tasks; see `pantala.executors.slurm_task`.
        tasks: the number of tasks.
        name: the name of the job.
        options: further options of sbatch.

    Raises:
        UsageError: Slurm refuses the job, or does not answer.
    """
    script = folder / "task.sh"
    write_text(
        script,
        "#!/bin/sh\n"
        "# One task of a job array: it simulates the runs of one file of this folder.\n"
        f"exec {_quoted(sys.executable)} -m pantala.executors.slurm_task {_quoted(str(folder))}"
        ' "$SLURM_ARRAY_TASK_ID"\n',
    )
    ended = _run(
        [
            "sbatch",
            "--parsable",
            f"--job-name={name}",
            f"--array=0-{tasks - 1}",
            "--requeue",
            "--open-mode=append",
            f"--output={str(folder).replace('%', '%%')}/%a.log",
            "--ntasks=1",
            *options,
            str(script),
        ]
    )
    number = ended.stdout.strip().partition(";")[0]
    if ended.returncode or not number.isdecimal():
        reason = _reason(ended) or "sbatch gave no number of a job"
        if any(words in reason.lower() for words in _UNREACHABLE):
            raise UsageError(
                f"executor slurm: Slurm does not answer: {reason}; give this command on a login"
                " node of the cluster (finished runs are kept)"
            )
        raise UsageError(
            f"executor slurm: Slurm refuses the job: {reason}; correct --partition, --time-limit or"
            " --slurm-option (finished runs are kept)"
        )
    return number


def living_tasks(jobs: Collection[str]) -> set[tuple[str, int]] | None:
    """Returns the tasks of job arrays that wait or run, by number of the job and of the task.

    It is None if Slurm does not answer.
    """
    living: set[tuple[str, int]] = set()
    for job in jobs:
        ended = _run(["squeue", "--noheader", "--array", f"--jobs={job}", "--format=%K %T"])
        if ended.returncode:
            if "Invalid job id" in ended.stderr:  # ended so long ago that Slurm forgot it
                continue
            return None
        for line in ended.stdout.splitlines():
            task, _, state = line.strip().partition(" ")
            if task.isdecimal() and state in _LIVING:
                living.add((job, int(task)))
    return living


def cancel(jobs: Collection[str]) -> None:
    """Cancels job arrays."""
    if jobs:
        _run(["scancel", *jobs])


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, "", f"{command[0]}: {error.strerror}")


def _reason(ended: subprocess.CompletedProcess[str]) -> str:
    """Returns what Slurm says, in one line."""
    prefixes = ("sbatch: error: ", "sbatch: ")
    lines = []
    for line in ended.stderr.splitlines():
        for prefix in prefixes:
            line = line.removeprefix(prefix)
        lines.append(line.strip())
    return ": ".join(line for line in lines if line)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
