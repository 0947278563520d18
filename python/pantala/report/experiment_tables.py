"""The tables of an experiment's report: configurations in order, and all runs with links."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from pantala.comparison.labels import label_of
from pantala.comparison.quantities import quantity, with_interval
from pantala.comparison.ranking import Ranking
from pantala.comparison.subject import SEED, Subject
from pantala.files.run_directory import RUN_FILE
from pantala.report.tables import Cell, ReportTable
from pantala.store.run_store import RunStore
from pantala.text.amounts import count

__all__ = ["SHOWN", "configurations_table", "runs_table"]

#: Runs that the page lists; more would make it too large for a browser.
_MOST_RUNS = 2000
#: The metrics that the table of all runs has.
SHOWN = ("communication_time_mean_ns", "packet_latency_p99_ns")
_NONE = "\N{EN DASH}"


def configurations_table(ranking: Ranking, axes: Sequence[str]) -> ReportTable:
    """Returns the configurations of a job from the lowest mean to the highest."""
    table = ReportTable(
        f"{ranking.job}: {ranking.label}, mean over seeds ± half of the interval, from the lowest"
        " to the highest, and the difference from the lowest.",
        ["rank", *axes, "difference", "mean", "runs"],
    )
    for number, ranked in enumerate(ranking.ranked, start=1):
        difference = ranked.difference
        words = "lowest" if difference is None else difference.words
        relative = None if difference is None else difference.relative
        sure = difference is not None and bool(difference.significant)
        table.rows.append(
            [
                Cell(str(number)),
                *map(Cell, ranked.case),
                Cell(words, relative, strong=sure),
                Cell(with_interval(ranking.metric, ranked.interval), ranked.interval.mean),
                Cell(str(ranked.interval.count), ranked.interval.count),
            ]
        )
    return table


def runs_table(
    subject: Subject,
    values: pl.DataFrame,
    metrics: Sequence[str] = SHOWN,
    folder: Path | None = None,
) -> ReportTable:
    """Returns all runs with their state, the main metrics of each job, and a link to the run.

    Args:
        subject: the experiment.
        values: its values; see `pantala.comparison.values.values_of`.
        metrics: the metrics of jobs that are columns.
        folder: the folder of the page; that of the experiment if not given.
    """
    page = (folder or subject.path).absolute()
    keys = [*subject.axes, SEED, "part"]
    chosen = values.filter(pl.col("metric").is_in(list(metrics)), pl.col("job") != "")
    jobs = chosen["job"].unique(maintain_order=True).to_list()
    columns = [(job, metric) for job in jobs for metric in metrics]
    found: dict[tuple[object, ...], tuple[float, bool]] = {
        tuple(place): (value, whole)
        for *place, value, whole in chosen.select(
            *keys, "job", "metric", "value", "whole"
        ).iter_rows()
    }
    columns = [column for column in columns if any(place[-2:] == column for place in found)]
    height = subject.runs.height
    several = subject.runs["part"].n_unique() > 1
    cut = f" The first {count(_MOST_RUNS)} of {count(height)} runs." if height > _MOST_RUNS else ""
    table = ReportTable(
        "All runs. The link opens run.json: the plan, the state and the cost of the run. A value"
        f" with * is of a job that did not end.{cut}",
        [
            "run",
            *subject.axes,
            *["part"] * several,
            "seed",
            "state",
            *(f"{job}: {label_of(m)}" for job, m in columns),
        ],
    )
    for row in subject.runs.head(_MOST_RUNS).iter_rows(named=True):
        place = tuple(row[key] for key in keys)
        cells = []
        for column in columns:
            value, whole = found.get((*place, *column), (None, True))
            text = _NONE if value is None else quantity(column[1], value) + "*" * (not whole)
            cells.append(Cell(text, value))
        there = row["state"] in ("done", "truncated")
        link = _link(subject, row["run"], page) if there else ""
        table.rows.append(
            [
                Cell((row["run"] or _NONE)[:8], link=link),
                *(Cell(row[axis]) for axis in subject.axes),
                *[Cell(row["part"])] * several,
                Cell(_NONE if row[SEED] is None else str(row[SEED])),
                Cell(row["state"]),
                *cells,
            ]
        )
    return table


def _link(subject: Subject, run: str, page: Path) -> str:
    """Returns the path of a run's document, relative to the folder of the page."""
    store = RunStore(subject.path.absolute())
    return Path(os.path.relpath(store.path(run) / RUN_FILE, page)).as_posix()
