"""The parts of the only case of an experiment: jobs together and alone, and their slowdowns."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import cached_property
from typing import Self

import polars as pl

from pantala.analysis.attribution import METHODS
from pantala.analysis.slowdown import SLOWDOWN_COLUMNS, slowdown_of
from pantala.catalogue.interference_modes import mode_of
from pantala.catalogue.job_sets import TOGETHER, alone_runs, targets_of_set
from pantala.errors import RunDirectoryError, UsageError, shortened
from pantala.experiments.stored_experiment import StoredExperiment
from pantala.files.forks import check_no_fork
from pantala.files.run_files import why_failed
from pantala.metrics.run_metrics import chosen_job
from pantala.results.run import Run
from pantala.run_tables.table_display import converted

__all__ = ["CaseParts"]


class CaseParts(StoredExperiment):
    """An experiment, whose only case can be read by part; `case` chooses one of several cases."""

    def case(self, number: int) -> Self:
        """Returns the experiment with one of its cases only.

        Args:
            number: the number of the case, as in the column ``case`` of `cases`.

        Raises:
            UsageError: there is no such case.
        """
        if number not in self._numbers:
            raise UsageError(
                f"{self.path}: there is no case {number}; Experiment.cases lists the"
                f" {len(self._numbers):,} cases"
            )
        chosen = copy(self)
        chosen._only = number
        for name in ("facts", "parts", "alone"):
            chosen.__dict__.pop(name, None)
        return chosen

    @property
    def single(self) -> bool:
        """Whether it has one case; `parts`, `together`, `alone`, `slowdown`, `metric` need it."""
        return len(self._numbers) == 1

    @cached_property
    def parts(self) -> Mapping[str, Run]:
        """Every run of the only case by the name of its part, such as ``together``.

        Raises:
            UsageError: there are several cases.
        """
        if not self.single:
            raise UsageError(
                f"{self.path}: experiment {self.name} has {len(self._numbers):,} cases; choose one"
                " with Experiment.case(NUMBER), or in a command the folder of a run (runs/XX/RUN)"
            )
        return self._parts_of(self.cases)

    @cached_property
    def alone(self) -> Mapping[str, Run]:
        """The run of each job alone, by the job's name, in the scenario's order.

        Raises:
            UsageError: there are several cases.
        """
        jobs = list(dict.fromkeys(name for run in self.parts.values() for name in run.job_names))
        if TOGETHER in self.parts:
            jobs = self.parts[TOGETHER].job_names
        names = alone_runs(TOGETHER, jobs, self.parts)
        return {job: self.parts[name] for job, name in names.items()}

    @property
    def targets(self) -> list[str] | None:
        """The jobs that the only case is about; None if it compares all of its jobs.

        With ``interference = { targets = [...] }`` only the targets have a run alone.

        Raises:
            RunDirectoryError: the experiment was interrupted before the jobs ran together.
            UsageError: there are several cases.
        """
        if not self._has_targets:
            return None
        return targets_of_set(TOGETHER, self.together.job_names, set(self.cases["part"]))

    @property
    def together(self) -> Run:
        """The run of all jobs together: the only run without ``interference``.

        Raises:
            RunDirectoryError: the experiment was interrupted before it, or an earlier run failed.
            UsageError: there are several cases.
        """
        if TOGETHER in self.parts:
            return self.parts[TOGETHER]
        if self.parts and self.cases["part"].to_list() == list(self.parts) and not self.alone:
            return next(iter(self.parts.values()))
        for name, run in self.parts.items():
            if (why := why_failed(run.document)) is not None:
                raise RunDirectoryError(
                    self.path,
                    f"{name} failed, so the jobs did not run together: {shortened(why)}",
                    "mend the scenario and run it again",
                )
        command = "run" if self._listed.slowdown is not None else "sweep"
        raise RunDirectoryError(
            self.path,
            "was interrupted before the jobs ran together; missing:"
            f" {', '.join(self.missing or [TOGETHER])}",
            f"to continue, give the same pantala {command} command again",
        )

    @property
    def missing(self) -> list[str]:
        """The parts that are not simulated or ended early, such as ``together``."""
        rows = self.runs.select("part", "run", "state").iter_rows()
        again = self._listed.ended_early
        found = (part for part, run, state in rows if state != "done" or run in again)
        return list(dict.fromkeys(found))

    @property
    def complete(self) -> bool:
        """Whether all its runs were made, and every job that can end has ended."""
        runs = self.runs
        done = (pl.col("state") == "done") & pl.col("complete")
        return bool(runs.select(done.fill_null(value=False).all()).item())

    @property
    def coarsened(self) -> str | None:
        """The statement about coarse packets and their known error; None in full detail."""
        return next((each.coarsened for each in self.facts.values() if each.coarsened), None)

    @property
    def slowdown(self) -> pl.LazyFrame:
        """One row per job: its times or traffic alone and together, and their ratios.

        `pantala.analysis.slowdown.SLOWDOWN_COLUMNS` describes every column. `slowdowns` has the
        slowdowns of all cases and job sets.

        Raises:
            RunDirectoryError: the experiment was interrupted before the jobs ran together.
            UsageError: there are several cases.
        """
        path = self._listed.slowdown
        if (
            path is not None
            and path.is_file()
            and pl.read_parquet_schema(path).keys() == SLOWDOWN_COLUMNS.keys()
        ):
            check_no_fork(path)
            return converted(pl.scan_parquet(path, glob=False))
        # interrupted, or written by another version
        return converted(slowdown_of(self.together, self.alone).lazy())

    @property
    def methods(self) -> list[str]:
        """The methods of effects that the key `interference` asks for: pairs, leave_one_out."""
        axis = "interference"
        values = self.cases[axis].to_list() if axis in self.axes else []
        asked = {mode_of(value) for value in [self._listed.interference, *values]}
        return [method for method in METHODS if method in asked]

    def metric(self, name: str, job: str | None = None) -> float | None:
        """Returns a metric of the only case: a slowdown, or a metric of the run together.

        Args:
            name: ``slowdown``, another numeric column of the slowdown table, or one of
                `Run.metrics`.
            job: the job.

        Raises:
            UsageError: there is no such metric or job, the job is missing, or there are several
                cases.
        """
        if name not in SLOWDOWN_COLUMNS or name in {"job", "name", "compared"}:
            return self.together.metric(name, job)
        job = chosen_job(self.together, name, job)
        values = self.slowdown.filter(pl.col("name") == job).select(name).collect()[name]
        return None if values.is_empty() else values.item()

    @property
    def _numbers(self) -> list[int]:
        """The numbers of the cases, refused ones included."""
        runs, refused = self._cases
        return sorted({*runs["case"], *refused["case"]})

    def _parts_of(self, rows: pl.DataFrame) -> dict[str, Run]:
        """Returns the runs of one case that are there, by part."""
        return {
            part: self._opened(self._listed.links.get(part) or self._store.path(run))
            for part, run in rows.select("part", "run").iter_rows()
            if run is not None and self._store.path(run).is_dir()
        }
