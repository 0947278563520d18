"""The content of a report: one run, or an interference experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import polars as pl

from pantala.analysis.attribution import effects_of
from pantala.analysis.binding import binding_in_words, bindings_of
from pantala.analysis.hottest_links import hottest_table
from pantala.analysis.link_load import LinkLoads, link_loads
from pantala.caveats import (
    MOSTLY,
    Absent,
    Caveat,
    Facts,
    beside_others,
    caveats_of,
    facts_of_run,
    spans_of_run,
)
from pantala.report.panels import jobs_with_panels
from pantala.run_tables.run_like import (
    InterferenceLike,
    RunLike,
    is_endless,
    job_names,
    stop_ns,
    table,
)
from pantala.text.amounts import PAGE, join

__all__ = ["MANY", "ReportedRun", "few"]

#: The jobs that a page names or explains one by one; of more jobs it has the number or a part.
MANY = 6


@dataclass(frozen=True)
class ReportedRun:
    """A run and, in an interference experiment, the runs that it is compared with."""

    name: str
    run: RunLike
    #: The run of each job alone, by name; empty for a single run.
    alone: Mapping[str, RunLike]
    #: The content of slowdown.parquet, of targets only; None for a single run.
    slowdown: pl.DataFrame | None
    #: The parts of an interrupted experiment that are not there.
    missing: tuple[str, ...] = ()
    #: The effects of jobs on each other; None unless the scenario asks for them.
    effects: pl.DataFrame | None = None
    #: The jobs that the experiment is about; None if it compares all of its jobs.
    targets: Sequence[str] | None = None

    @classmethod
    def of(cls, run: RunLike | InterferenceLike) -> ReportedRun:
        """Takes a run, or the runs of an interference experiment."""
        if hasattr(run, "together"):
            experiment = cast("InterferenceLike", run)
            targets = getattr(experiment, "targets", None)
            slowdown = experiment.slowdown.collect()
            if targets is not None:
                slowdown = slowdown.filter(pl.col("name").is_in(targets))
            return cls(
                experiment.name,
                experiment.together,
                experiment.alone,
                slowdown,
                tuple(getattr(experiment, "missing", ())),
                _effects(experiment),
                targets,
            )
        return cls(str(run.document["plan"]["name"]), run, {}, None)

    @property
    def plan(self) -> Mapping[str, Any]:
        """The resolved plan of the run."""
        plan: Mapping[str, Any] = self.run.document["plan"]
        return plan

    @cached_property
    def facts(self) -> dict[str, Facts]:
        """The facts of every run of the report by title: what the caveats are made of."""
        return {title: facts_of_run(run).about(self.targets) for title, run in self.parts.items()}

    @cached_property
    def beside(self) -> dict[str, str]:
        """The share of its run in which another job ran, in per cent, for each job below `MOSTLY`.

        Jobs that the experiment is not about have none.
        """
        shares = beside_others(spans_of_run(self.run))
        about = set(self.names if self.targets is None else self.targets)
        return {
            name: PAGE.percent(share)
            for name, share in shares.items()
            if len(shares) > 1 and share < MOSTLY and name in about
        }

    @property
    def endless_note(self) -> str:
        """A sentence about the communication times of jobs that last as long as the run."""
        rows = self.run.jobs.collect()
        numbers = rows.filter(pl.col("communication_time_mean_ns") > 0)["job"]
        simulated = float(self.run.document["simulated_ns"])
        names = [
            job_names(self.run)[job]
            for job in numbers
            if is_endless(self.run, job) and stop_ns(self.run, job) >= simulated
        ]
        if not names:
            return ""
        lasts, its = (
            ("lasts", "its times grow") if len(names) == 1 else ("last", "their times grow")
        )
        return f" {few(names)} {lasts} as long as the run, and {its} with it."

    @property
    def ended_note(self) -> str:
        """A sentence about jobs that their `end` stops in a call; empty without such jobs."""
        names = [
            job["name"]
            for job in self.plan["jobs"]
            if job.get("end_ps") and job["workload"]["kind"] != "pattern"
        ]
        if not names:
            return ""
        return (
            f" A call that is under way at the end of {few(names)} counts whole, so the time can"
            " exceed the run time."
        )

    @property
    def caveats(self) -> list[Caveat]:
        """What makes the results approximate or partial; the page begins with it."""
        absent = Absent(missing=len(self.missing), runs=len(self.parts) + len(self.missing))
        return caveats_of(self.facts, absent=absent)

    @cached_property
    def loads(self) -> LinkLoads:
        """The utilization of every link while all jobs ran."""
        return link_loads(self.run)

    @cached_property
    def hottest(self) -> pl.DataFrame:
        """The links of highest utilization while all jobs ran, of any class."""
        return hottest_table(self.run)

    @cached_property
    def binding(self) -> str:
        """The resource that binds each job in the run of all jobs, as a sentence; may be empty."""
        return binding_in_words(bindings_of(self.run))

    @property
    def names(self) -> list[str]:
        """The names of the jobs, in the plan's order."""
        return list(job_names(self.run).values())

    def panels(self, name: str = "", *only: pl.Expr) -> list[str]:
        """Returns the jobs of a figure with a panel for each job, in the plan's order.

        Args:
            name: the table that the figure draws by job; empty if it draws all jobs.
            only: what holds for the rows that it draws.
        """
        rows = table(self.run, name) if name else None
        return jobs_with_panels(
            self.run, self.targets, None if rows is None else rows.filter(*only)
        )

    @property
    def background(self) -> list[str]:
        """The names of the jobs that are there only together with the targets."""
        return [] if self.targets is None else [n for n in self.names if n not in self.targets]

    @property
    def parts(self) -> dict[str, RunLike]:
        """Every run of the report by title: each job alone, then together.

        A single run has the plan's name as its title.
        """
        if not self.alone:
            return {self.name: self.run}
        return {**{f"{name} alone": run for name, run in self.alone.items()}, "together": self.run}


def few(names: list[str]) -> str:
    """Returns names as a list in words, or the number of jobs if they are many."""
    return join(names) if len(names) <= MANY else f"{len(names)} jobs"


def _effects(experiment: object) -> pl.DataFrame | None:
    methods = getattr(experiment, "methods", ())
    if not methods:
        return None
    effects = effects_of(experiment.slowdowns())  # type: ignore[attr-defined]
    return effects.filter(pl.col("method").is_in(methods))
