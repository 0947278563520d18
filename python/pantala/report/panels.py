"""The jobs of figures that have a panel for each job, where a run has many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from pantala.run_tables.run_like import RunLike, job_names

if TYPE_CHECKING:
    from pantala.report.page_figure import PageFigure

__all__ = ["jobs_with_panels", "with_panels"]

#: The jobs of a figure with a panel for each job.
_PANELS = 12
#: The figures of the page with a panel for each job, and their kinds on the command line.
_KINDS = {
    "throughput": "throughput",
    "latency_time": "latency-over-time",
    "message_time": "latency-over-time --measure message",
    "response_time": "latency-over-time --measure request-response",
    "iterations": "rank-iterations",
    "calls_time": "calls-over-time",
    "rank_messages": "rank-latency",
    "nonminimal_time": "nonminimal-over-time",
    "routers_time": "routers-over-time",
}


def jobs_with_panels(
    run: RunLike, targets: Sequence[str] | None, rows: pl.LazyFrame | None
) -> list[str]:
    """Returns the jobs that a figure with a panel for each job shows, in the order of the plan.

    If there are more than fit: the targets, then those whose ranks communicate longest on average;
    of equal ones, those that get most bytes.

    Args:
        run: the run of all jobs.
        targets: the jobs that the experiment is about, or None.
        rows: what the figure draws, by `job`: of many jobs only those with a row have a panel; all
            may have one without it.
    """
    names = list(job_names(run).values())
    if len(names) <= _PANELS:
        return names
    jobs = run.jobs if rows is None else run.jobs.join(rows, on="job", how="semi")
    ranked = jobs.select(
        "name",
        target=~pl.col("name").is_in(list(targets or ())),
        time=-pl.col("communication_time_mean_ns").fill_null(0.0),
        bytes=-pl.col("delivered_bytes").cast(pl.Int64),
        job="job",
    ).collect()
    shown = set(ranked.sort("target", "time", "bytes", "job")["name"].head(_PANELS))
    return [name for name in names if name in shown]


def with_panels(
    drawn: Mapping[str, PageFigure], run: RunLike, targets: Sequence[str] | None
) -> dict[str, PageFigure]:
    """Returns the figures of a page; captions say which jobs of many have a panel.

    Args:
        drawn: the figures by key.
        run: the run of all jobs.
        targets: the jobs that the experiment is about, or None.
    """
    jobs = len(job_names(run))
    if jobs <= _PANELS:
        return dict(drawn)
    times = run.jobs.select(pl.col("communication_time_mean_ns").sum()).collect().item()
    which = "that communicate longest" if times else "that get most bytes"
    which += ", the targets first," if targets else ""
    return {
        key: replace(
            figure,
            caption=f"{figure.caption} Of {jobs} jobs, the {_PANELS} {which} have a panel."
            f" pantala figure {_KINDS[key]} RUN --job NAME draws another.",
        )
        if key in _KINDS and figure.svg is not None
        else figure
        for key, figure in drawn.items()
    }
