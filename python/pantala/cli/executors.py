"""The options of `--executor`: where the runs of a sweep are simulated."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pantala.cli import complete
from pantala.errors import UsageError, nearest

if TYPE_CHECKING:
    from pantala.experiments.estimate import Estimate

__all__ = ["ExecutorName", "Partition", "RunsPerTask", "SlurmOption", "TimeLimit", "Where"]

#: The names that `--executor` takes.
_NAMES = ("local", "slurm", "dask")
#: What a task of Slurm simulates unless the command says: ten minutes, and not all in few tasks.
_TASK_SECONDS = 600.0
_TASKS_AT_LEAST = 32

ExecutorName = Annotated[
    str,
    typer.Option(
        "--executor",
        metavar="NAME",
        help="What simulates the runs: local processes, slurm (job arrays), or dask (workers on"
        " this machine; [b]dask:ADDRESS[/b] takes those of a scheduler).",
        autocompletion=complete.of(_NAMES),
    ),
]
Partition = Annotated[
    str | None,
    typer.Option("--partition", metavar="NAME", help="Slurm: the partition.", show_default=False),
]
TimeLimit = Annotated[
    str | None,
    typer.Option(
        "--time-limit",
        metavar="TIME",
        help="Slurm: the time limit of a task, e.g. 30 (minutes) or 2:00:00.",
        show_default=False,
    ),
]
RunsPerTask = Annotated[
    int | None,
    typer.Option(
        "--runs-per-task",
        metavar="N",
        help="Slurm: runs that a task simulates one after another. Default: about ten minutes.",
    ),
]
SlurmOption = Annotated[
    list[str] | None,
    typer.Option(
        "--slurm-option",
        metavar="TEXT",
        help="Slurm: more options of sbatch, e.g. --slurm-option=--account=physics. Repeatable.",
    ),
]


@dataclass(frozen=True)
class Where:
    """The executor that a command names.

    Attributes:
        name: ``local``, ``slurm`` or ``dask``.
        address: the scheduler's address; None if Dask shall start workers here.
        partition: the partition of Slurm.
        time_limit: the time limit of a task of Slurm.
        runs_per_task: the runs of a task; None lets the estimated time decide.
        options: further options of sbatch.
    """

    name: str
    address: str | None
    partition: str | None
    time_limit: str | None
    runs_per_task: int | None
    options: tuple[str, ...]

    @classmethod
    def read(
        cls,
        executor: str,
        partition: str | None,
        time_limit: str | None,
        runs_per_task: int | None,
        options: list[str] | None,
    ) -> Where:
        """Returns the executor that the options describe.

        Raises:
            UsageError: there is no such executor, or an option belongs to another one.
        """
        name, _, address = executor.partition(":")
        if name not in _NAMES:
            close = nearest(name, _NAMES)
            raise UsageError(
                f"--executor {executor}: there is no such executor; use {', '.join(_NAMES)}"
                f"{f' (did you mean {close}?)' if close else ''}"
            )
        if address and name != "dask":
            raise UsageError(f"--executor {executor}: only dask takes an address")
        if name != "slurm":
            given = {
                "--partition": partition,
                "--time-limit": time_limit,
                "--runs-per-task": runs_per_task,
                "--slurm-option": options,
            }
            for option, value in given.items():
                if value is not None:
                    raise UsageError(f"{option}: needs --executor slurm")
        if runs_per_task is not None and runs_per_task < 1:
            raise UsageError(
                f"--runs-per-task {runs_per_task}: must be at least 1; write 1 or more"
            )
        words = tuple(word for text in options or () for word in shlex.split(text))
        return cls(name, address or None, partition, time_limit, runs_per_task, words)

    @contextlib.contextmanager
    def open(
        self, root: Path, cost: Estimate, workers: int, threads: int
    ) -> Iterator[Executor | None]:
        """Yields the executor; None for local processes.

        Args:
            root: the directory of the experiment.
            cost: the estimated cost of its missing runs with one worker.
            workers: workers that Dask starts on this machine.
            threads: the number of threads of a simulation.

        Raises:
            UsageError: the executor is not installed, or does not answer.
        """
        if not cost.runs or self.name == "local":
            yield None
        elif self.name == "dask":
            from pantala.executors.dask import dask_executor

            with dask_executor(self.address, min(workers, cost.runs)) as executor:
                yield executor
        else:
            from pantala.executors.slurm import SlurmExecutor, SlurmOptions

            options = SlurmOptions(
                self.partition,
                self.time_limit,
                self.runs_per_task or _runs_per_task(cost),
                threads,
                self.options,
            )
            with SlurmExecutor(root, options, on_submit=_say_submitted) as executor:
                yield executor


def _runs_per_task(cost: Estimate) -> int:
    in_time = int(_TASK_SECONDS * cost.runs / cost.seconds) if cost.seconds else cost.runs
    return max(1, min(in_time, -(-cost.runs // _TASKS_AT_LEAST)))


def _say_submitted(job: str, tasks: int, runs: int) -> None:
    typer.echo(
        f"Slurm job {job}: {tasks:,} task{'s' * (tasks != 1)} with {runs:,} run{'s' * (runs != 1)}",
        err=True,
    )
