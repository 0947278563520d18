"""The outputs of the programs that this process has run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Output", "outputs", "register", "runs", "taken"]


@dataclass(frozen=True)
class Output:
    """The output of a program.

    Attributes:
        program: its file.
        function: the name of its function.
        ranks: the number of ranks.
        lines: the number of lines that the log holds.
        log: the log, a text file in Pantala's cache directory.
    """

    program: str
    function: str
    ranks: int
    lines: int
    log: Path


_outputs: dict[Path, Output] = {}
#: How often this process has run programs, by file.
_runs: Counter[str] = Counter()


def outputs() -> list[Output]:
    """Returns the outputs of the programs that this process has run, in the order of their ends.

    A program prints into a log, not onto the terminal. When the program runs again with the same
    arguments and ranks, its log is replaced. A log keeps the first 16 MiB.
    """
    return list(_outputs.values())


def register(program: str, log: Path, output: Output | None) -> None:
    """Notes a run of a program and its output, or that it had none."""
    _runs[program] += 1
    _outputs.pop(log, None)
    if output is not None:
        _outputs[log] = output


def taken() -> list[Output]:
    """Returns the outputs and forgets them."""
    found = outputs()
    _outputs.clear()
    return found


def runs() -> dict[str, int]:
    """Returns how often this process has run programs, by file."""
    return dict(_runs)
