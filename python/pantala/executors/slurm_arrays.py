"""The job arrays that sweeps of a directory have submitted, also those of commands that ended."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pantala.executors import slurm_commands
from pantala.executors.slurm_commands import TaskState
from pantala.executors.slurm_task import STARTED, read_results, results_of
from pantala.files.atomic_file import write_text
from pantala.files.input_file import LARGE_TEXT, read_text

__all__ = ["SubmittedTask", "arrays_of", "job_name", "living_tasks", "slurm_status", "write_array"]

_FILE = "job.json"


@dataclass(frozen=True)
class SubmittedTask:
    """A task of a job array.

    Attributes:
        job: the number of the job array.
        folder: the folder with its files.
        number: the number of the task.
        runs: its runs that have not ended.
        keep: the tables that it keeps of each run.
        state: what Slurm says about it.
    """

    job: str
    folder: Path
    number: int
    runs: tuple[str, ...]
    keep: tuple[str, ...]
    state: TaskState


def job_name(root: Path) -> str:
    """Returns the name of the job arrays of an experiment's directory."""
    return f"pantala-{root.absolute().name}"


def write_array(folder: Path, job: str, runs: Sequence[Sequence[str]], keep: Sequence[str]) -> None:
    """Writes what job array is in a folder, so that other commands find it."""
    text = json.dumps({"job": job, "runs": [list(each) for each in runs], "keep": list(keep)})
    write_text(folder / _FILE, text)


def arrays_of(root: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Returns the folders of job arrays in the directory of an experiment, with their arrays."""
    found = []
    for file in sorted((root.absolute() / "slurm").glob(f"*/*/{_FILE}")):
        with contextlib.suppress(OSError, ValueError):  # its sweep has just ended
            found.append((file.parent, json.loads(read_text(file, most=LARGE_TEXT))))
    return found


def living_tasks(root: Path) -> list[SubmittedTask] | None:
    """Returns the tasks of a directory that wait or run; None if Slurm does not answer."""
    arrays = arrays_of(root)
    states = slurm_commands.task_states([array["job"] for _, array in arrays])
    if states is None:
        return None
    found = []
    for folder, array in arrays:
        for number, runs in enumerate(array["runs"]):
            state = states.get((array["job"], number), TaskState(""))
            if state.lives:
                entries, _ = read_results(results_of(folder, number))
                ended = {entry["run"] for entry in entries if entry["state"] != STARTED}
                left = tuple(run for run in runs if run not in ended)
                keep = tuple(array["keep"])
                found.append(SubmittedTask(array["job"], folder, number, left, keep, state))
    return found


def slurm_status(root: Path) -> dict[str, Any] | None:
    """Returns what Slurm says about the tasks of a directory; None if it has none.

    Returns:
        ``jobs``, the numbers of the job arrays; ``answers``, whether Slurm answers; ``pending``
        and ``running``, the numbers of tasks; ``reasons``, why tasks wait, the most frequent
        reason first; ``runs``, the identities of the runs in these tasks.
    """
    arrays = arrays_of(root)
    tasks = living_tasks(root) if arrays else []
    if tasks is None:
        jobs = [array["job"] for _, array in arrays]
        return {"jobs": jobs, "answers": False, "pending": 0, "running": 0, "reasons": [],
                "runs": []}  # fmt: skip
    if not tasks:
        return None
    pending = [task for task in tasks if task.state.state != "RUNNING"]
    reasons = Counter(task.state.reason for task in pending if task.state.reason != "None")
    return {
        "jobs": sorted({task.job for task in tasks}, key=int),
        "answers": True,
        "pending": len(pending),
        "running": len(tasks) - len(pending),
        "reasons": [reason for reason, _ in reasons.most_common()],
        "runs": sorted({run for task in tasks for run in task.runs}),
    }
