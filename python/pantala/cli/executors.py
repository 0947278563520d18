"""The options of `--executor`: where the runs of a sweep are simulated."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pantala.cli import complete
from pantala.errors import UsageError, nearest
from pantala.text.plain_text import say

if TYPE_CHECKING:
    from pantala.executors.slurm_options import SlurmOptions
    from pantala.experiments.estimate import Estimate

__all__ = [
    "ExecutorName",
    "Memory",
    "Partition",
    "RunsPerTask",
    "Setup",
    "SlurmOption",
    "TimeLimit",
    "Where",
]

#: The names that `--executor` takes.
_NAMES = ("local", "slurm", "dask")

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
        help="Slurm: runs that a task simulates one after another. Default: one to ten minutes of"
        " work by the estimated time.",
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--mem",
        metavar="SIZE",
        help="Slurm: the memory of a task, e.g. 500M or 4G; none leaves it to the partition."
        " Default: 1.5 times the estimated need, and 200 MB.",
        show_default=False,
    ),
]
Setup = Annotated[
    list[str] | None,
    typer.Option(
        "--setup",
        metavar="LINE",
        help="Slurm: a line of the batch script before Pantala starts, e.g. --setup 'module load"
        " python'. Repeatable.",
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
        memory: the memory of a task; None lets the estimated need decide.
        setup: lines of the batch script before Pantala starts.
    """

    name: str
    address: str | None
    partition: str | None
    time_limit: str | None
    runs_per_task: int | None
    options: tuple[str, ...]
    memory: str | None = None
    setup: tuple[str, ...] = ()

    @classmethod
    def read(
        cls,
        executor: str,
        partition: str | None,
        time_limit: str | None,
        runs_per_task: int | None,
        options: list[str] | None,
        memory: str | None = None,
        setup: list[str] | None = None,
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
                "--mem": memory,
                "--setup": setup,
            }
            for option, value in given.items():
                if value is not None:
                    raise UsageError(f"{option}: needs --executor slurm")
        if runs_per_task is not None and runs_per_task < 1:
            raise UsageError(
                f"--runs-per-task {runs_per_task}: must be at least 1; write 1 or more"
            )
        words = tuple(word for text in options or () for word in _words(text))
        made = cls(
            name,
            address or None,
            partition,
            time_limit,
            runs_per_task,
            words,
            memory,
            tuple(setup or ()),
        )
        if name == "slurm":
            made.slurm_options(None, 1)  # finds wrong values before anything else
        return made

    def slurm_options(self, cost: Estimate | None, threads: int) -> SlurmOptions:
        """Returns how runs become tasks of Slurm.

        Args:
            cost: the estimated cost of the missing runs with one worker.
            threads: the number of threads of a simulation.

        Raises:
            UsageError: a value of an option is wrong.
        """
        from pantala.executors.slurm_options import SlurmOptions, bundled, memory_of, seconds_of

        limit = None if self.time_limit is None else seconds_of(self.time_limit)
        each, memory = self.runs_per_task or 1, self.memory
        if cost is not None:
            each = self.runs_per_task or bundled(cost.runs, cost.seconds, limit)
            memory = memory or memory_of(cost.memory_bytes)
        return SlurmOptions(
            self.partition, self.time_limit, each, threads, self.options, memory, self.setup
        )

    def warn_of_limit(self, cost: Estimate, threads: int) -> None:
        """Warns if the estimated time of a task exceeds its time limit.

        Warns:
            (on standard error): both times and the remedy.
        """
        from pantala.executors.slurm_options import seconds_of

        limit = None if self.time_limit is None else seconds_of(self.time_limit)
        if self.name != "slurm" or limit is None or not cost.runs:
            return
        from pantala.text.amounts import clock

        each = min(self.slurm_options(cost, threads).runs_per_task, cost.runs)
        if (needed := cost.seconds / cost.runs * each) > limit:
            runs = "a run" if each == 1 else f"a task with {each:,} runs"
            remedy = "a longer --time-limit"
            if each > 1:
                remedy += " or fewer --runs-per-task"
            say(
                f"warning: --time-limit {self.time_limit}: {runs} takes about {clock(needed)} by"
                f" the estimate, and Slurm ends it after {clock(limit)}; give {remedy}",
                file=sys.stderr,
            )

    def preview(self, root: Path, cost: Estimate, threads: int) -> str:
        """Returns the command and the batch script that a sweep would give to Slurm."""
        from pantala.executors.slurm_arrays import job_name
        from pantala.executors.slurm_commands import command_of, script_of

        options = self.slurm_options(cost, threads)
        folder = root.absolute() / "slurm" / "ID" / "0"
        tasks = -(-cost.runs // options.runs_per_task)
        runs = min(options.runs_per_task, cost.runs)
        command = shlex.join(command_of(folder, tasks, job_name(root), options))
        return (
            f"Slurm: {tasks:,} task{'s' * (tasks != 1)} with {runs:,} run{'s' * (runs != 1)} each;"
            f" ID stands for a number of the sweep\n\n{command}\n\n{folder / 'task.sh'}:\n\n"
            f"{script_of(folder, options.setup)}"
        )

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
            from pantala.executors.slurm import SlurmExecutor

            options = self.slurm_options(cost, threads)
            with SlurmExecutor(root, options, on_submit=_say_submitted, on_notice=_say) as executor:
                yield executor


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--slurm-option {text}: {error}; close the quotation") from None


def _say(text: str) -> None:
    say(text, file=sys.stderr)


def _say_submitted(job: str, tasks: int, runs: int) -> None:
    say(
        f"Slurm job {job}: {tasks:,} task{'s' * (tasks != 1)} with {runs:,} run{'s' * (runs != 1)}",
        file=sys.stderr,
    )
