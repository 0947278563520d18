"""What a figure needs of a run: which attributes it reads, and how it copes with a table that was
not recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import polars as pl

from pantala.figures.style import colours

__all__ = [
    "Case",
    "InterferenceLike",
    "RunLike",
    "cases",
    "is_endless",
    "job_names",
    "job_row",
    "table",
]


class RunLike(Protocol):
    """One run: ``document`` is run.json, and every table of `pantala.catalogue.tables` is a lazy
    frame.

    Tables beside `jobs`, `ranks` and `links` may be missing: empty, None, or an attribute that
    cannot be read.
    """

    @property
    def document(self) -> Mapping[str, Any]:
        """run.json: the resolved plan, counters, provenance."""
        ...

    @property
    def jobs(self) -> pl.LazyFrame:
        """One row a job."""
        ...

    @property
    def ranks(self) -> pl.LazyFrame:
        """One row a rank."""
        ...

    @property
    def links(self) -> pl.LazyFrame:
        """One row a directed link."""
        ...

    @property
    def link_windows(self) -> pl.LazyFrame:
        """One row a link and time window; may be empty."""
        ...


class InterferenceLike(Protocol):
    """An interference experiment: every job alone (by name, in the scenario's order), then all
    together.
    """

    @property
    def name(self) -> str:
        """The experiment's name."""
        ...

    @property
    def together(self) -> RunLike:
        """The run of all jobs together."""
        ...

    @property
    def alone(self) -> Mapping[str, RunLike]:
        """The run of each job alone, by its name."""
        ...

    @property
    def slowdown(self) -> pl.LazyFrame:
        """One row a job: communication time alone and together, and their ratio."""
        ...


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


# What a job that delivered no packet has no value for.
_OF_PACKETS = ("packet_latency_", "network_latency_", "link_hops_mean", "nonminimal_share")


def job_row(run: RunLike, job: int) -> dict[str, Any]:
    """Return the job's row of the jobs table, with None for what only delivered packets could
    tell.
    """
    row = run.jobs.filter(pl.col("job") == job).collect().row(0, named=True)
    if row["packets"] == 0:
        row |= {key: None for key in row if key.startswith(_OF_PACKETS)}
    return row


def is_endless(run: RunLike, job: int) -> bool:
    """Whether the job goes on until the run stops, as a pattern does."""
    return bool(run.document["plan"]["jobs"][job]["workload"]["kind"] == "pattern")


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
