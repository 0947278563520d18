"""What a figure needs of a run: which attributes it reads, and how it copes with a table that was not recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import polars as pl

from pantala.figures.style import colours

__all__ = ["Case", "InterferenceLike", "RunLike", "cases", "job_names", "table"]


class RunLike(Protocol):
    """One run: ``document`` is run.json, and every table of `pantala.schema` is a lazy frame.

    Tables beside `jobs`, `ranks` and `links` may be missing: empty, None, or an attribute that cannot be read.
    """

    @property
    def document(self) -> Mapping[str, Any]: ...
    @property
    def jobs(self) -> pl.LazyFrame: ...
    @property
    def ranks(self) -> pl.LazyFrame: ...
    @property
    def links(self) -> pl.LazyFrame: ...
    @property
    def link_windows(self) -> pl.LazyFrame: ...


class InterferenceLike(Protocol):
    """An interference study: every job alone (by name, in the scenario's order), then all together."""

    @property
    def together(self) -> RunLike: ...
    @property
    def alone(self) -> Mapping[str, RunLike]: ...
    @property
    def slowdown(self) -> pl.LazyFrame: ...


def table(run: RunLike, name: str) -> pl.LazyFrame | None:
    """Return the table, or None when the run did not record it or it has no rows."""
    try:
        frame: pl.LazyFrame | None = getattr(run, name)
        if frame is None or frame.head(1).collect().is_empty():
            return None
    except (AttributeError, FileNotFoundError):
        return None
    return frame


def job_names(run: RunLike) -> dict[int, str]:
    """Names of the jobs by number, in the plan's order."""
    return dict(run.jobs.select("job", "name").sort("job").collect().iter_rows())


@dataclass(frozen=True)
class Case:
    """One job in one run, as a row or a line of a figure."""

    name: str
    job: int
    run: RunLike
    colour: str
    #: "alone" or "together"; empty when there is nothing to compare with.
    company: str

    @property
    def label(self) -> str:
        """The job's name, with its company when there is a comparison."""
        return f"{self.name} {self.company}".strip()

    @property
    def alone(self) -> bool:
        """Whether the job had the machine to itself while others are compared with it."""
        return self.company == "alone"


def cases(run: RunLike, alone: Mapping[str, RunLike] | None = None) -> list[Case]:
    """List the jobs of a run, each after its own run alone where there is one."""
    names = job_names(run)
    colour = colours(names.values())
    found = []
    for job, name in names.items():
        other = (alone or {}).get(name)
        if other is not None:
            number = next(number for number, same in job_names(other).items() if same == name)
            found.append(Case(name, number, other, colour[name], "alone"))
        found.append(Case(name, job, run, colour[name], "together" if alone else ""))
    return found
