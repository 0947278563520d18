"""The description of a study, its options and its outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Options", "Outcome", "Study"]


@dataclass(frozen=True)
class Options:
    """The options of a study.

    Attributes:
        out: the directory of its results.
        quick: whether to run the small version.
        workers: the number of processes that simulate.
        seed: the seed of every scenario.
        overwrite: whether to replace a study that is there.
        progress: called with the number of finished points, the number of points, and a line about
            the last one.
    """

    out: Path
    quick: bool = False
    workers: int = 1
    seed: int = 1
    overwrite: bool = False
    progress: Callable[[int, int, str], None] = lambda _done, _all, _line: None


@dataclass(frozen=True)
class Outcome:
    """The outcome of a study.

    Attributes:
        directory: the directory of its files.
        page: the file of its report.
        columns: the headings of the table of claims.
        claims: the rows of this table, as text.
        notes: the finding and what is uncertain in it, to show before the table.
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
        name: the name on the command line.
        title: its subject, in one line.
        source: the paper.
        run: runs it.
    """

    name: str
    title: str
    source: str
    run: Callable[[Options], Outcome]
