"""A program run to its end, with its CPU time."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Sequence, Set
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Failed", "Process", "run"]


class Failed(Exception):
    """A program that failed; the text says how."""


@dataclass(frozen=True)
class Process:
    """A program that ended.

    Attributes:
        output: its output, including standard error.
        cpu_seconds: user and system time of the process and of the children that it waited for
            (rusage).
        wall_seconds: wall-clock time from start to end.
    """

    output: str
    cpu_seconds: float
    wall_seconds: float

    def share_of_cpu(self, wall_seconds: float) -> float:
        """Returns the CPU time of a part of the process, estimated from its wall-clock time."""
        return self.cpu_seconds * min(1.0, wall_seconds / self.wall_seconds)


def run(
    command: Sequence[str], directory: Path, timeout: float, statuses: Set[int] = frozenset({0})
) -> Process:
    """Runs a program in a directory and keeps its output there in `output.txt`.

    Args:
        command: the program and its arguments.
        directory: the working directory.
        timeout: time limit in seconds.
        statuses: the exit statuses on success.

    Raises:
        Failed: the program does not exist, exits with another status, or exceeds the time limit.
    """
    printed = directory / "output.txt"
    started = time.monotonic()
    with printed.open("wb") as output:
        try:
            child = subprocess.Popen(
                command, cwd=directory, stdout=output, stderr=subprocess.STDOUT
            )
        except OSError as error:
            raise Failed(f"{command[0]}: {error.strerror}") from error
    timer = threading.Timer(timeout, child.kill)
    timer.start()
    try:
        _, status, usage = os.wait4(child.pid, 0)
    finally:
        timer.cancel()
    wall = time.monotonic() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    text = printed.read_text(encoding="utf-8", errors="replace")
    if child.returncode == -9 and wall >= timeout:
        raise Failed(
            f"{command[0]} takes longer than {timeout:g} seconds; lower --share or raise --timeout"
        )
    if child.returncode not in statuses:
        raise Failed(f"{command[0]} exited with status {child.returncode}: {_reason(text)}")
    return Process(text, usage.ru_utime + usage.ru_stime, wall)


def _reason(printed: str) -> str:
    """Returns the line of a failed program's output that says why it failed.

    It is the first line with the word FATAL, or else the last line: after SST's line follow traces
    of the stack and of MPI.
    """
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    fatal = [line for line in lines if "FATAL" in line]
    return fatal[0] if fatal else lines[-1] if lines else "no output"
