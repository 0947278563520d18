"""How runs become tasks of Slurm: partition, time limit, memory, set-up lines, runs per task."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from pantala.errors import UsageError

__all__ = ["NO_MEMORY", "SlurmOptions", "bundled", "memory_of", "seconds_of"]

#: The value of `SlurmOptions.memory` that leaves the memory to Slurm's default.
NO_MEMORY = "none"
#: A task has about this much work: enough to be worth its start, and not all runs in few tasks.
_SHORTEST_SECONDS, _LONGEST_SECONDS = 60.0, 600.0
_TASKS_AT_LEAST = 32
#: The part of the time limit that the estimated time of a task may take.
_SHARE_OF_LIMIT = 0.5
#: Memory of a task: the estimate times this, and what Python takes besides.
_MEMORY_FACTOR, _MEMORY_BESIDES = 1.5, 200e6
_MEMORY_STEP = 100
_MEBIBYTE = 1 << 20
_MEMORY = re.compile(r"\d+[KMGT]?", re.IGNORECASE)
_TIME = re.compile(r"(?:(\d+)-(\d+)(?::(\d+))?(?::(\d+))?|(\d+)(?::(\d+))?(?::(\d+))?)")


@dataclass(frozen=True)
class SlurmOptions:
    """How runs become Slurm jobs.

    Attributes:
        partition: the partition; Slurm's default if not given.
        time_limit: the time limit of a task, as Slurm writes it (``30``, ``1:00:00``, ``2-0``).
        runs_per_task: runs that one task simulates one after another.
        cpus: processors of a task; as many as a simulation has threads.
        options: further options of sbatch, e.g. ``--account=physics``.
        memory: the memory of a task, as Slurm writes it (``500M``, ``4G``); Slurm's default if not
            given, or if `options` set it.
        setup: lines of the batch script before Pantala starts, e.g. ``module load python``.

    Raises:
        UsageError: a value is wrong.
    """

    partition: str | None = None
    time_limit: str | None = None
    runs_per_task: int = 1
    cpus: int = 1
    options: tuple[str, ...] = ()
    memory: str | None = None
    setup: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.runs_per_task < 1:
            raise UsageError(f"runs per task = {self.runs_per_task}: must be at least 1")
        if self.time_limit is not None:
            seconds_of(self.time_limit)
        if self.memory not in (None, NO_MEMORY) and not _MEMORY.fullmatch(str(self.memory)):
            raise UsageError(
                f"--mem {self.memory}: is no amount of memory of Slurm; write e.g. 500M, 4G, or"
                f" {NO_MEMORY} for the default of the partition"
            )

    @property
    def arguments(self) -> list[str]:
        """The options of sbatch."""
        own = any(word.startswith("--mem") for word in self.options)
        memory = None if own or self.memory == NO_MEMORY else self.memory
        return [
            f"--cpus-per-task={self.cpus}",
            *([f"--mem={memory}"] if memory else []),
            *([f"--partition={self.partition}"] if self.partition else []),
            *([f"--time={self.time_limit}"] if self.time_limit else []),
            *self.options,
        ]


def seconds_of(time_limit: str) -> float | None:
    """Returns a time limit of Slurm in seconds; None if there is no limit.

    Slurm writes ``minutes``, ``minutes:seconds``, ``hours:minutes:seconds``, ``days-hours``,
    ``days-hours:minutes`` and ``days-hours:minutes:seconds``. A limit of 0 is no limit.

    Raises:
        UsageError: it is written in another way.
    """
    if time_limit.upper() in ("INFINITE", "UNLIMITED"):
        return None
    match = _TIME.fullmatch(time_limit)
    if match is None:
        raise UsageError(
            f"--time-limit {time_limit}: is no time of Slurm; write minutes (30),"
            " hours:minutes:seconds (1:00:00) or days-hours (2-0)"
        )
    days, hours, minutes, seconds, first, second, third = match.groups()
    if days is not None:
        total = int(days) * 86400 + int(hours) * 3600
        total += int(minutes or 0) * 60 + int(seconds or 0)
    elif third is not None:
        total = int(first) * 3600 + int(second) * 60 + int(third)
    else:
        total = int(first) * 60 + int(second or 0)
    return float(total) or None


def memory_of(estimated_bytes: float) -> str:
    """Returns the memory that a task asks Slurm for, given the estimated need of a simulation."""
    wanted = (_MEMORY_FACTOR * estimated_bytes + _MEMORY_BESIDES) / _MEBIBYTE
    return f"{math.ceil(wanted / _MEMORY_STEP) * _MEMORY_STEP}M"


def bundled(runs: int, seconds: float, limit: float | None) -> int:
    """Returns the number of runs of a task.

    A task has one to ten minutes of work, as far as there are runs, and at most half the time
    limit. Within this range there are 32 tasks or more.

    Args:
        runs: the number of runs.
        seconds: the estimated time of all runs, one after another.
        limit: the time limit of a task in seconds, if there is one.
    """
    if not runs:
        return 1
    each = seconds / runs
    longest = _LONGEST_SECONDS if limit is None else min(_LONGEST_SECONDS, _SHARE_OF_LIMIT * limit)
    shortest = min(_SHORTEST_SECONDS, longest)
    most = int(longest / each) if each > 0 else runs
    least = math.ceil(shortest / each) if each > 0 else runs
    return max(1, min(runs, most, max(least, -(-runs // _TASKS_AT_LEAST))))
