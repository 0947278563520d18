"""The attributes of a run that analyses and figures read; a table may be missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import polars as pl

from pantala.core.job_end import ends_by_itself, stop_of
from pantala.run_tables.remembered import remembered

__all__ = [
    "InterferenceLike",
    "RecordedRun",
    "RunLike",
    "is_endless",
    "job_names",
    "job_row",
    "job_rows",
    "link_window_ns",
    "stop_ns",
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


class RecordedRun(RunLike, Protocol):
    """A run with its plan, its jobs' names and all its tables, such as `pantala.Run`."""

    @property
    def plan(self) -> Mapping[str, Any]:
        """The resolved plan."""
        ...

    @property
    def job_names(self) -> list[str]:
        """The names of the jobs, in the plan's order."""
        ...

    @property
    def iterations(self) -> pl.LazyFrame:
        """One row per iteration of a rank; may be empty."""
        ...

    @property
    def calls(self) -> pl.LazyFrame:
        """One row per job and kind of MPI call."""
        ...

    @property
    def rank_calls(self) -> pl.LazyFrame:
        """One row per rank and kind of MPI call; may be empty."""
        ...

    def router_counters(
        self, job: str | None = None, *, by_router: bool = False, by_kind: bool = False
    ) -> pl.DataFrame:
        """Returns the counters of the routers that serve a job."""
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
    return getattr(run, name) if _has_rows(run, name) else None


@remembered
def _has_rows(run: RunLike, name: str) -> bool:
    try:
        frame: pl.LazyFrame | None = getattr(run, name)
        return frame is not None and not frame.head(1).collect().is_empty()
    except (AttributeError, KeyError, FileNotFoundError):
        return False


def link_window_ns(run: RunLike) -> float:
    """Returns the length of a window of link_windows in ns.

    Runs of earlier versions have one length for all windows.
    """
    record = run.document["plan"]["record"]
    return float(record.get("link_window_ps") or record["window_ps"]) / 1000


def job_names(run: RunLike) -> dict[int, str]:
    """Returns the names of the jobs by number, in the plan's order."""
    jobs = job_rows(run)
    return dict(zip(jobs["job"].to_list(), jobs["name"].to_list(), strict=True))


@remembered
def job_rows(run: RunLike) -> pl.DataFrame:
    """Returns the table of jobs, ordered by number."""
    return run.jobs.sort("job").collect()


# Columns without a value for a job that delivered no packet.
_OF_PACKETS = ("packet_latency_", "network_latency_", "link_hops_mean", "nonminimal_share")


def job_row(run: RunLike, job: int) -> dict[str, Any]:
    """Returns the job's row of the jobs table; packet statistics are None without packets."""
    row = job_rows(run).row(by_predicate=pl.col("job") == job, named=True)
    if row["packets"] == 0:
        row |= {key: None for key in row if key.startswith(_OF_PACKETS)}
    return row


def stop_ns(run: RunLike, job: int) -> float:
    """Returns the time in ns at which a job stops if it has not ended: its `end`, or the run's."""
    planned = run.document["plan"].get("jobs") or ()
    return stop_of(planned[job] if job < len(planned) else {}, float(run.document["simulated_ns"]))


def is_endless(run: RunLike, job: int) -> bool:
    """Returns whether the job does not end by itself: a pattern, or a job with repeat or end."""
    return not ends_by_itself(run.document["plan"]["jobs"][job])
