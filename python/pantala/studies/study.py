"""A study: how it is run, what it returns, and its description."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Options", "Outcome", "Study"]


@dataclass(frozen=True)
class Options:
    """How to run a study.

    Attributes:
        out: the directory of its results.
        quick: whether to run the small version.
        workers: how many processes simulate at a time.
        seed: the seed of every scenario.
        overwrite: whether to replace a study that is there.
        progress: called with the number of points done, the number of points, and a line about the
            last one.
    """

    out: Path
    quick: bool = False
    workers: int = 1
    seed: int = 1
    overwrite: bool = False
    progress: Callable[[int, int, str], None] = lambda _done, _all, _line: None


@dataclass(frozen=True)
class Outcome:
    """What a study has found.

    Attributes:
        directory: where its files are.
        page: its report.
        columns: the headings of the table of its claims.
        claims: the rows of that table, as text.
        notes: what to say below it.
    """

    directory: Path
    page: Path
    columns: tuple[str, ...]
    claims: list[tuple[str, ...]]
    notes: list[str]


@dataclass(frozen=True)
class Study:
    """A campaign of runs with its figures and its claims.

    Attributes:
        name: as the command line has it.
        title: what it is about, in a line.
        source: the paper.
        run: runs it.
    """

    name: str
    title: str
    source: str
    run: Callable[[Options], Outcome]
