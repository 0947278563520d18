"""The attributes of a run that figures read; a table that was not recorded may be missing."""

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
    """One run: ``document`` is run.json, and every table is a lazy frame.

    `pantala.catalogue.tables` describes the tables. All but `jobs`, `ranks` and `links` may be
    missing: empty, None, or an attribute that cannot be read.
    """

    @property
    def document(self) -> Mapping[str, Any]:
        """run.json: the resolved plan, counters, provenance."""
        ...

    @property
    def jobs(self) -> pl.LazyFrame:
        """One row per job."""
        ...

    @property
    def ranks(self) -> pl.LazyFrame:
        """One row per rank."""
        ...

    @property
    def links(self) -> pl.LazyFrame:
        """One row per directed link."""
        ...

    @property
    def link_windows(self) -> pl.LazyFrame:
        """One row per link and window of time; may be empty."""
        ...


class InterferenceLike(Protocol):
    """An interference experiment: every job alone, in the scenario's order, then all together."""

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
        """One row per job: communication time alone and together, and their ratio."""
        ...


def table(run: RunLike, name: str) -> pl.LazyFrame | None:
    """Returns the table, or None if the run did not record it or if it has no rows."""
    try:
        frame: pl.LazyFrame | None = getattr(run, name)
        if frame is None or frame.head(1).collect().is_empty():
            return None
    except (AttributeError, FileNotFoundError):
        return None
    return frame


def job_names(run: RunLike) -> dict[int, str]:
    """Returns the names of the jobs by number, in the plan's order."""
    return dict(run.jobs.select("job", "name").sort("job").collect().iter_rows())


# Columns without a value for a job that delivered no packet.
_OF_PACKETS = ("packet_latency_", "network_latency_", "link_hops_mean", "nonminimal_share")


def job_row(run: RunLike, job: int) -> dict[str, Any]:
    """Returns the job's row of the jobs table; packet statistics are None without packets."""
    row = run.jobs.filter(pl.col("job") == job).collect().row(0, named=True)
    if row["packets"] == 0:
        row |= {key: None for key in row if key.startswith(_OF_PACKETS)}
    return row


def is_endless(run: RunLike, job: int) -> bool:
    """Returns whether the job continues until the run stops, as a pattern does."""
    return bool(run.document["plan"]["jobs"][job]["workload"]["kind"] == "pattern")


@dataclass(frozen=True)
class Case:
    """One job in one run, as a row or a line of a figure."""

    name: str
    job: int
    run: RunLike
    colour: str
    #: "alone" or "together"; empty without a comparison.
    company: str

    @property
    def label(self) -> str:
        """The job's name, followed by "alone" or "together" in a comparison."""
        return f"{self.name} {self.company}".strip()

    @property
    def alone(self) -> bool:
        """Whether the job ran alone and is compared with a run of several jobs."""
        return self.company == "alone"


def cases(run: RunLike, alone: Mapping[str, RunLike] | None = None) -> list[Case]:
    """Returns the jobs of a run, each after its own run alone if there is one."""
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
