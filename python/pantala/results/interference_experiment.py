"""An interference experiment: its runs, slowdowns and effects."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from pantala.analysis.attribution import effects_of
from pantala.analysis.job_sets import TOGETHER, alone_runs
from pantala.analysis.slowdown import SLOWDOWN_COLUMNS, SLOWDOWN_FILE, slowdown_of, slowdowns_of
from pantala.caveats import Absent, Caveat, caveats_of, facts_of_run
from pantala.errors import RunDirectoryError
from pantala.files.run_directory import INTERFERENCE_FILE
from pantala.files.run_files import document_of
from pantala.metrics.run_metrics import chosen_job
from pantala.results.run import Run
from pantala.run_tables.table_display import converted

__all__ = ["InterferenceExperiment", "open_run"]


def open_run(path: str | Path) -> Run | InterferenceExperiment:
    """Opens a run directory, or the directory of an interference experiment.

    Raises:
        RunDirectoryError: the directory holds no run.
    """
    return InterferenceExperiment(path) if (Path(path) / INTERFERENCE_FILE).is_file() else Run(path)


class InterferenceExperiment:
    """An interference experiment: each job alone, then all together on the same nodes.

    Attributes:
        path: the directory of the experiment; each run has a directory in it.
        document: interference.json: the finished runs, and those that are missing.
    """

    def __init__(self, path: str | Path) -> None:
        """Opens the directory of an experiment.

        Raises:
            RunDirectoryError: the directory holds no experiment.
        """
        self.path = Path(path)
        self.document: dict[str, Any] = document_of(self.path, INTERFERENCE_FILE)

    @property
    def name(self) -> str:
        """The name of the scenario."""
        return str(self.document["name"])

    @property
    def complete(self) -> bool:
        """Whether all its runs were made and are complete."""
        return bool(self.document["complete"])

    @property
    def missing(self) -> list[str]:
        """The parts whose runs are missing, such as ``together``, after an interruption."""
        return [part["part"] for part in self.document.get("missing", ())]

    @property
    def coarsened(self) -> str | None:
        """The statement about a coarsened experiment and its known error; None in full detail."""
        return self.document.get("coarsened")

    @property
    def caveats(self) -> list[Caveat]:
        """What makes the results approximate or partial, such as coarse packets or one seed."""
        runs, missing = self.runs, len(self.missing)
        facts = {name: facts_of_run(run) for name, run in runs.items()}
        return caveats_of(facts, absent=Absent(missing=missing, runs=len(runs) + missing))

    @cached_property
    def runs(self) -> Mapping[str, Run]:
        """Every run by the name of its part, such as ``together`` or ``pair-fft3d+halo3d``."""
        parts = self.document["parts"]
        return {part["part"]: Run(self.path / part["directory"]) for part in parts}

    @cached_property
    def alone(self) -> Mapping[str, Run]:
        """The run of each job alone, by the job's name, in the scenario's order."""
        jobs = list(dict.fromkeys(name for run in self.runs.values() for name in run.job_names))
        if TOGETHER in self.runs:
            jobs = self.runs[TOGETHER].job_names
        return {job: self.runs[name] for job, name in alone_runs(TOGETHER, jobs, self.runs).items()}

    @property
    def together(self) -> Run:
        """The run of all jobs together.

        Raises:
            RunDirectoryError: the experiment was interrupted before it.
        """
        if TOGETHER in self.runs:
            return self.runs[TOGETHER]
        raise RunDirectoryError(
            self.path,
            "was interrupted before the jobs ran together; missing:"
            f" {', '.join(self.missing or ['together'])}",
            "to continue, give the same pantala run command again",
        )

    @property
    def slowdown(self) -> pl.LazyFrame:
        """One row per job: its times or traffic alone and together, and their ratios.

        `pantala.analysis.slowdown.SLOWDOWN_COLUMNS` describes every column.
        """
        path = self.path / SLOWDOWN_FILE
        if path.is_file() and pl.read_parquet_schema(path).keys() == SLOWDOWN_COLUMNS.keys():
            return converted(pl.scan_parquet(path, glob=False))
        # interrupted, or written by an earlier version
        return converted(slowdown_of(self.together, self.alone).lazy())

    @property
    def mode(self) -> str:
        """The scenario's key `interference`: together, pairs or leave_one_out."""
        return str(self.document.get("interference", TOGETHER))

    @cached_property
    def slowdowns(self) -> pl.DataFrame:
        """One row per set of jobs and job: `pantala.analysis.slowdown.slowdowns_of`."""
        return slowdowns_of(self.runs)

    @cached_property
    def effects(self) -> pl.DataFrame:
        """One row per method, victim, aggressor and measure.

        `pantala.analysis.attribution.effects_of` describes the columns.
        """
        return effects_of(self.slowdowns)

    def metric(self, name: str, job: str | None = None) -> float | None:
        """Returns a metric by its name: a slowdown, or a metric of the run together.

        Args:
            name: ``slowdown``, another numeric column of the slowdown table, or one of
                `Run.metrics`.
            job: the job.

        Raises:
            UsageError: there is no such metric or job, or the job is missing.
        """
        if name not in SLOWDOWN_COLUMNS or name in {"job", "name", "compared"}:
            return self.together.metric(name, job)
        job = chosen_job(self.together, name, job)
        values = self.slowdown.filter(pl.col("name") == job).select(name).collect()[name]
        return None if values.is_empty() else values.item()

    def _repr_html_(self) -> str:
        from pantala.results.notebook import experiment_html

        return experiment_html(self)

    def __repr__(self) -> str:
        return (
            f"InterferenceExperiment('{self.path}',"
            f" alone={list(self.alone)}{'' if self.complete else ', incomplete'})"
        )
