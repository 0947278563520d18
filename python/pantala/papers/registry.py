"""All papers, found by their folders."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from pantala.errors import UsageError, nearest
from pantala.papers.description import Paper
from pantala.scenario.paper_folders import paper_folders

if TYPE_CHECKING:
    from pantala.papers.application_table import PaperTable
    from pantala.studies import StudyDefinition

__all__ = ["paper", "papers", "studies", "study", "table", "tables"]


@lru_cache
def papers() -> tuple[Paper, ...]:
    """Returns all papers, by name."""
    return tuple(import_module(f"pantala.papers.{name}").PAPER for name in paper_folders())


def paper(name: str) -> Paper:
    """Returns the paper of a name.

    Raises:
        UsageError: no paper has this name.
    """
    return _named("paper", name, papers())


def tables() -> list[PaperTable]:
    """Returns the tables of applications of all papers that have one."""
    return [paper.table() for paper in papers() if paper.table is not None]


def table(name: str) -> PaperTable:
    """Returns a paper's table of applications.

    Raises:
        UsageError: no paper of this name has a table.
    """
    found = _named("table", name, [paper for paper in papers() if paper.table is not None])
    assert found.table is not None
    return found.table()


def studies() -> list[StudyDefinition]:
    """Returns the studies of all papers that have one."""
    return [paper.study() for paper in papers() if paper.study is not None]


def study(name: str) -> StudyDefinition:
    """Returns the study that repeats a paper, or the study in a folder of the user's.

    Args:
        name: the name of a paper, or the path of a folder with study.toml.

    Raises:
        UsageError: no paper of this name has a study.
        ScenarioError: the study.toml of the folder is wrong.
    """
    if "/" in name or Path(name, "study.toml").is_file():
        from pantala.studies import read_study

        return read_study(Path(name).resolve().name, Path(name))
    found = _named("study", name, [paper for paper in papers() if paper.study is not None])
    assert found.study is not None
    return found.study()


def _named(part: str, name: str, those: Iterable[Paper]) -> Paper:
    """Returns the paper of a name.

    Raises:
        UsageError: none of `those` has this name. `part` is the word for it in the message.
    """
    known = {paper.name: paper for paper in those}
    if name not in known:
        close = nearest(name, known)
        remedy = f"did you mean '{close}'?" if close else f"choose one of {', '.join(known)}"
        raise UsageError(f"{part} = '{name}': is not a {part}; {remedy}")
    return known[name]
