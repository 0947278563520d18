"""Slurm's commands: submit a job array, ask for its tasks, cancel it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from pantala.errors import UsageError
from pantala.executors.slurm_options import SlurmOptions
from pantala.files.atomic_file import write_text

__all__ = [
    "LIVING",
    "NoAnswerError",
    "TaskState",
    "accounted",
    "cancel",
    "check_installed",
    "command_of",
    "largest_array",
    "script_of",
    "submit",
    "task_states",
]

#: The states of a task that may still work; any other state is an end.
LIVING = frozenset(
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
#: Words of sbatch when it reaches no controller, or gets no answer.
_UNREACHABLE = (
    "configuration source",
    "contact slurm controller",
    "connection failure",
    "connection refused",
    "timed out",
    "zero bytes",
)
#: Slurm's own default of MaxArraySize.
_LARGEST_ARRAY = 1001


class NoAnswerError(UsageError):
    """Slurm does not answer. Later it may."""


class TaskState(NamedTuple):
    """What Slurm says about a task.

    Attributes:
        state: its state, e.g. ``PENDING``; "" if Slurm has forgotten it.
        reason: why it waits, e.g. ``Resources``.
    """

    state: str
    reason: str = ""

    @property
    def lives(self) -> bool:
        """Whether the task waits or runs."""
        return self.state in LIVING


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


def script_of(folder: Path, setup: Sequence[str]) -> str:
    """Returns the batch script of a job array.

    Args:
        folder: the folder with the files of the tasks.
        setup: the lines before Pantala starts. Bash runs them as in a login, so that ``module`` is
            there.
    """
    return "".join(
        f"{line}\n"
        for line in (
            "#!/bin/bash -l" if setup else "#!/bin/sh",
            "# One task of a job array: it simulates the runs of one file of this folder.",
            *setup,
            f"exec {_quoted(sys.executable)} -m pantala.executors.slurm_task {_quoted(str(folder))}"
            ' "$SLURM_ARRAY_TASK_ID"',
        )
    )


def command_of(folder: Path, tasks: int, name: str, options: SlurmOptions) -> list[str]:
    """Returns the command that submits the job array of a folder.

    Slurm starts a task anew after a failure of its node or after preemption. A task skips the runs
    that it has finished before.
    """
    return [
        "sbatch",
        "--parsable",
        f"--job-name={name}",
        f"--array=0-{tasks - 1}",
        "--requeue",
        "--open-mode=append",
        f"--output={str(folder).replace('%', '%%')}/%a.log",
        "--ntasks=1",
        *options.arguments,
        str(folder / "task.sh"),
    ]


def submit(folder: Path, tasks: int, name: str, options: SlurmOptions) -> str:
    """Submits the job array of a folder and returns its number.

    Args:
        folder: the folder with the files of the tasks; see `pantala.executors.slurm_task`.
        tasks: the number of tasks.
        name: the name of the job.
        options: the options of sbatch, and the set-up lines of the script.

    Raises:
        NoAnswerError: Slurm does not answer.
        UsageError: Slurm refuses the job.
    """
    write_text(folder / "task.sh", script_of(folder, options.setup))
    ended = _run(command_of(folder, tasks, name, options))
    number = ended.stdout.strip().partition(";")[0]
    if ended.returncode or not number.isdecimal():
        reason = _reason(ended) or "sbatch gave no number of a job"
        if any(words in reason.lower() for words in _UNREACHABLE):
            raise NoAnswerError(
                f"executor slurm: Slurm does not answer: {reason}; give this command on a login"
                " node of the cluster (finished runs are kept)"
            )
        each = options.runs_per_task
        fewer = f"; for fewer than {tasks} tasks, give a --runs-per-task larger than {each}"
        raise UsageError(
            f"executor slurm: Slurm refuses the job: {reason}; correct --partition, --time-limit,"
            f" --mem (none asks for no memory) or --slurm-option{fewer if tasks > 1 else ''}"
            " (finished runs are kept)"
        )
    return number


def task_states(jobs: Collection[str]) -> dict[tuple[str, int], TaskState] | None:
    """Returns the states of the tasks of job arrays, by number of the job and of the task.

    Ended tasks are among them as long as Slurm remembers them: in its queue for some minutes, and
    in its accounts if it keeps accounts. The result is None if Slurm does not answer.
    """
    found: dict[tuple[str, int], TaskState] = {}
    for job in jobs:
        ended = _run(
            ["squeue", "--noheader", "--array", "--states=all", f"--jobs={job}",
             "--format=%K %T %r"]
        )  # fmt: skip
        if ended.returncode:
            if "Invalid job id" not in ended.stderr:  # it ended so long ago that Slurm forgot it
                return None
            found |= accounted(job)
            continue
        for line in ended.stdout.splitlines():
            task, _, rest = line.strip().partition(" ")
            state, _, reason = rest.partition(" ")
            if task.isdecimal():
                found[job, int(task)] = TaskState(state, reason)
    return found


def accounted(job: str) -> dict[tuple[str, int], TaskState]:
    """Returns the states of the tasks of a job array in Slurm's accounts, if it keeps any."""
    ended = _run(
        ["sacct", "--noheader", "--parsable2", "--allocations", f"--jobs={job}",
         "--format=JobID,State"]
    )  # fmt: skip
    found: dict[tuple[str, int], TaskState] = {}
    for line in ended.stdout.splitlines():
        number, _, state = line.partition("|")
        task = number.partition("_")[2]
        if task.isdecimal() and state:  # "CANCELLED by 1000" names who did it
            found[job, int(task)] = TaskState(state.split()[0], state.partition(" ")[2])
    return found


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
