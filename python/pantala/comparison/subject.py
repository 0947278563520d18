"""A subject of a comparison: the runs of one directory, with case, part, seed and state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from pantala.caveats import Facts, facts_of_run
from pantala.errors import RunDirectoryError, UsageError, nearest
from pantala.experiments.axis_values import axis_value
from pantala.experiments.drawn_jobs import drawn_jobs
from pantala.experiments.experiment import Experiment
from pantala.files.run_directory import (
    DESCRIPTION_FILE,
    EXPERIMENTS,
    RUN_FILE,
    experiment_names,
    holds_run,
)
from pantala.files.run_files import AGAIN
from pantala.results.run import Run
from pantala.runs.parts import TOGETHER
from pantala.scenario.plan import PLAN_VERSION
from pantala.store.identity import RESULTS_VERSION

__all__ = ["ENDINGS", "SEED", "Subject", "open_subject", "split_subject", "subject_of"]

#: The column of the axis whose values are repetitions of one case.
SEED = "seed"

#: What a reason of run.json means.
ENDINGS = {
    "duration": "reached its set duration (stop.duration) before every job had finished",
    "interrupted": "was interrupted",
    "stalled": "stalled: packets in flight did not move, or ranks waited for one another",
    "failed": "ended with the error of a job",
}


@dataclass(frozen=True)
class Subject:
    """The runs of one directory.

    Attributes:
        title: its name in the comparison.
        path: the directory.
        axes: the columns of its axes, without the seed.
        runs: one row per case and part: the axes as text, ``seed``, ``part``, ``run`` (a key),
            ``state`` (done, truncated, failed or missing), ``reason``.
        opened: the finished runs, by key, as far as they were opened.
        experiment: the experiment, if the directory holds one.
    """

    title: str
    path: Path
    axes: tuple[str, ...]
    runs: pl.DataFrame
    opened: dict[str, Run] = field(default_factory=dict)
    experiment: Experiment | None = None

    def run(self, key: str) -> Run:
        """Opens a run by its key.

        Raises:
            RunDirectoryError: it is damaged, or of another version of Pantala.
        """
        if key not in self.opened:
            if self.experiment is None:
                raise KeyError(key)
            self.opened[key] = checked(self.experiment.run(key))
        return self.opened[key]

    @cached_property
    def facts(self) -> dict[str, Facts]:
        """The facts of the runs that have tables, by key: what caveats are made of.

        Raises:
            RunDirectoryError: a run is damaged.
        """
        known = {} if self.experiment is None else self.experiment.facts
        runs = self.there()["run"].drop_nulls().unique(maintain_order=True)
        return {run: known[run] if run in known else facts_of_run(self.run(run)) for run in runs}

    @cached_property
    def drawn(self) -> pl.DataFrame:
        """The jobs that are drawn per seed: the axes, ``part``, and ``name``."""
        return drawn_jobs(self.there(), [*self.axes, SEED], self.facts)

    def there(self) -> pl.DataFrame:
        """Returns the rows of runs that have tables: done and truncated ones."""
        return self.runs.filter(pl.col("state").is_in(["done", "truncated"]))

    def where(self, chosen: Mapping[str, str]) -> Subject:
        """Returns the subject with some values of its axes only.

        Args:
            chosen: the value of each axis as text; axes that the subject lacks are skipped.

        Raises:
            UsageError: an axis has no such value.
        """
        runs = self.runs
        for axis, value in chosen.items():
            if axis not in self.axes:
                continue
            known = runs[axis].unique(maintain_order=True).to_list()
            meant = axis_value(value, known)
            if meant is None:
                close = nearest(value, known)
                hint = f"did you mean '{close}'?" if close else f"it has {', '.join(known)}"
                raise UsageError(f"{self.path}: axis {axis} has no value '{value}'; {hint}")
            runs = runs.filter(pl.col(axis) == meant)
        return replace(self, runs=runs)


def open_subject(title: str, path: Path) -> Subject:
    """Opens a run, an interference experiment, or an experiment of `pantala sweep`.

    Args:
        title: its name in the comparison.
        path: the directory; ``DIR/experiments/NAME`` names one of several experiments.

    Raises:
        RunDirectoryError: the directory holds none of them, or is of another version.
        UsageError: the directory holds several experiments.
    """
    if (path / DESCRIPTION_FILE).is_file() and path.parent.name == EXPERIMENTS:
        return subject_of(Experiment(path.parent.parent, path.name), title)
    names = experiment_names(path)
    if len(names) > 1:
        raise UsageError(
            f"{path}: holds several experiments; name one of"
            f" {', '.join(str(path / EXPERIMENTS / name) for name in names)}"
        )
    if names:
        return subject_of(Experiment(path), title)
    if not holds_run(path):
        raise RunDirectoryError(
            path,
            "holds no run and no experiment" if path.exists() else "does not exist",
            "name a directory that pantala run or pantala sweep wrote",
        )
    if (path / RUN_FILE).is_file():
        return _of_runs(title, path, {TOGETHER: checked(Run(path))})
    return subject_of(Experiment(path), title)


def split_subject(subject: Subject, axis: str) -> list[Subject]:
    """Returns one subject for each value of an axis of an experiment, in the axis's order.

    Raises:
        UsageError: the subject has no such axis.
    """
    if axis not in subject.axes:
        close = nearest(axis, subject.axes)
        listed = ", ".join(subject.axes) or "none"
        hint = f"did you mean '{close}'?" if close else f"its axes are: {listed}"
        raise UsageError(f"{subject.path}: --by {axis}: there is no such axis; {hint}")
    # The keys that are zipped with the axis change with it.
    zipped = [axis] if subject.experiment is None else subject.experiment.zipped_with(axis)
    others = tuple(each for each in subject.axes if each not in zipped)
    if SEED in zipped:
        raise UsageError(
            f"{subject.path}: --by {axis}: changes together with the seed, so no two runs share a"
            " seed; cross the axis with the seeds"
        )
    for each in zipped:
        if (
            each != axis
            and len(subject.runs.select(axis, each).unique()) > subject.runs[axis].n_unique()
        ):
            raise UsageError(
                f"{subject.path}: --by {axis}: {each} changes together with it and has several"
                f" values for one {axis}; compare --by {each}, or choose one value with --where"
            )
    return [
        replace(
            subject,
            title=str(value),
            axes=others,
            runs=subject.runs.filter(pl.col(axis) == value).drop(*{*subject.axes} - {*others}),
        )
        for value in subject.runs[axis].unique(maintain_order=True)
    ]


def checked(run: Run) -> Run:
    """Returns a run whose plan this version understands.

    Raises:
        RunDirectoryError: the plan has another version, or the run's document is damaged.
    """
    try:
        version, made_by = run.plan["plan_version"], run.document["pantala"]
        if not isinstance(run.document["complete"], bool) or not run.plan["jobs"]:
            raise KeyError("complete")
    except (KeyError, TypeError) as error:
        raise RunDirectoryError(
            run.path,
            f"run.json is damaged: {error} is missing",
            AGAIN,
        ) from None
    if version != PLAN_VERSION:
        raise RunDirectoryError(
            run.path,
            f"was written by Pantala {made_by} with plan version {version}, and this version"
            f" compares version {PLAN_VERSION}",
            AGAIN,
        )
    return run


def ending(complete: bool, reason: str | None) -> tuple[str, str]:
    """Returns the state of a run that has tables, and why it is truncated."""
    if complete:
        return "done", ""
    return "truncated", ENDINGS.get(reason or "", f"is incomplete ({reason})")


def _of_runs(title: str, path: Path, parts: Mapping[str, Run], missing: Any = ()) -> Subject:
    rows: list[tuple[Any, str, str | None, str, str]] = [
        (run.plan["seed"], part, part, *ending(run.complete, run.document.get("reason")))
        for part, run in parts.items()
    ]
    seed = next(iter(parts.values())).plan["seed"] if parts else None
    rows += [(seed, part, None, "missing", "was not simulated") for part in missing]
    schema = {
        SEED: pl.Int64,
        "part": pl.String,
        "run": pl.String,
        "state": pl.String,
        "reason": pl.String,
    }
    return Subject(title, path, (), pl.DataFrame(rows, schema, orient="row"), dict(parts))


def subject_of(experiment: Experiment, title: str) -> Subject:
    """Returns the runs of an experiment.

    Raises:
        RunDirectoryError: it is damaged, or of another version.
    """
    if "made_by" not in experiment.document and experiment.single:  # pantala run
        parts = {part: checked(run) for part, run in experiment.parts.items()}
        missing = [] if TOGETHER in parts else [TOGETHER]
        return _of_runs(title, experiment.path, parts, experiment.missing or missing)
    version, made_by = (*experiment.document.get("made_by", ()), None, None)[:2]
    if version != RESULTS_VERSION:
        raise RunDirectoryError(
            experiment.path,
            f"experiment {experiment.name} is of Pantala {made_by} with results version {version},"
            f" and this version compares version {RESULTS_VERSION}",
            "repeat pantala sweep",
        )
    axes = tuple(axis for axis in experiment.axes if axis != SEED)
    frame = experiment.runs
    opened: dict[str, Run] = {}
    if SEED not in frame.columns:
        done = frame.filter(pl.col("state") == "done")["run"]
        seed = None
        if len(done):
            first = opened[done[0]] = checked(experiment.run(done[0]))
            seed = first.plan["seed"]
        frame = frame.with_columns(pl.lit(seed, pl.Int64).alias(SEED))
    if frame["part"].n_unique() == 1:  # no interference experiment
        frame = frame.with_columns(pl.lit(TOGETHER).alias("part"))
    ended = [
        ending(row["complete"], row["reason"])
        if row["state"] == "done"
        else (row["state"], row["reason"] or "was not simulated")
        for row in frame.iter_rows(named=True)
    ]
    runs = frame.select(
        *(pl.col(axis).cast(pl.String) for axis in axes),
        pl.col(SEED).cast(pl.Int64),
        "part",
        "run",
        pl.Series("state", [state for state, _ in ended], pl.String),
        pl.Series("reason", [reason for _, reason in ended], pl.String),
    )
    return Subject(title, experiment.path, axes, runs, opened, experiment)
