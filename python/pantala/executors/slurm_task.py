"""One task of a Slurm job array: simulates the runs of a file, one after another.

A folder of a job array holds, for each task N:

    N.runs      the runs of the task: a line of JSON each, the fields of `Task`
    N.results   what became of them: a line of JSON each, ``{"run": ..., "state": "started"}`` when
                a run begins, and its entry in the index when it ends
    N.log       what the task printed
    job.json    the number of the job array, and the runs and tables of its tasks, once submitted

Slurm can start a task anew. The task then skips the runs that have an entry.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from pantala.files.atomic_file import write_text
from pantala.store.index import Entry, failed_entry
from pantala.store.worker import Task, perform

__all__ = ["MOST_STARTS", "STARTED", "read_results", "results_of", "write_runs"]

STARTED = "started"
#: A run that was started so often without an end counts as failed.
MOST_STARTS = 3


def write_runs(folder: Path, number: int, tasks: list[Task]) -> None:
    """Writes the runs of task `number`, and the empty file of its results.

    On NFS, a reader that has looked for a file in vain can miss it for a minute.
    """
    results_of(folder, number).touch()
    lines = [json.dumps(asdict(task)) for task in tasks]
    write_text(folder / f"{number}.runs", "\n".join(lines) + "\n")


def results_of(folder: Path, number: int) -> Path:
    """Returns the file with the results of task `number`."""
    return folder / f"{number}.results"


def read_results(file: Path, offset: int = 0) -> tuple[list[Entry], int]:
    """Returns the whole lines of a file of results from an offset on, and where they end.

    A line that a killed task cut off is skipped once another line follows.
    """
    try:
        with file.open("rb") as opened:
            opened.seek(offset)
            data = opened.read()
    except OSError:
        return [], offset
    end = data.rfind(b"\n") + 1
    entries: list[Entry] = []
    for line in data[:end].splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and "run" in entry:
            entries.append(cast("Entry", entry))
    return entries, offset + end


def main(folder: Path, number: int) -> None:
    """Simulates the runs of task `number`."""
    # At its time limit, and when it cancels a job, Slurm sends SIGTERM. The run in progress then
    # gives back its lease, so that another task can begin it at once.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    file = results_of(folder, number)
    before, _ = read_results(file)
    ended = {entry["run"] for entry in before if entry["state"] != STARTED}
    with file.open("a", encoding="utf-8") as results:

        def write(entry: Mapping[str, Any]) -> None:
            results.write(json.dumps(dict(entry)) + "\n")
            results.flush()

        if before:
            results.write("\n")  # ends a line that was cut off
        for task in _runs(folder, number):
            if task.run in ended:
                continue
            starts = sum(entry["run"] == task.run for entry in before)
            if starts >= MOST_STARTS:
                write(failed_entry(task.run, f"it was started {starts} times and never ended"))
                continue
            write({"run": task.run, "state": STARTED})
            write(perform(task))


def _runs(folder: Path, number: int) -> list[Task]:
    text = (folder / f"{number}.runs").read_text(encoding="utf-8")
    read = [json.loads(line) for line in text.splitlines()]
    return [Task(**{**each, "keep": tuple(each["keep"])}) for each in read]


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), int(sys.argv[2]))
    except KeyboardInterrupt:
        sys.exit("stopped by Slurm; the finished runs are kept")
