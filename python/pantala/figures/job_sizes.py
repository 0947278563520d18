"""The distribution of job sizes by core-hours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pantala.errors import UsageError
from pantala.figures.legend import add_key
from pantala.figures.runs import Given, runs_of
from pantala.figures.style import DASHES, PALETTE, PERCENT, new_figure, style
from pantala.run_tables.job_nodes import job_nodes
from pantala.run_tables.run_like import RunLike, stop_ns

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["job_sizes", "size_lines", "sizes_of"]


def sizes_of(jobs: pl.DataFrame, ranks: pl.DataFrame, end_ns: float) -> pl.DataFrame:
    """Returns nodes and node time of the jobs of a run.

    Args:
        jobs: ``job``, ``start_ns`` and ``end_ns``; a job without an end runs until `end_ns`.
        ranks: ``job`` and ``node``.
        end_ns: the simulated time of the run.

    Returns:
        ``job``, ``nodes`` and ``node_ns`` of jobs with ranks.
    """
    nodes = ranks.group_by("job").agg(nodes=pl.col("node").n_unique())
    lasts = pl.col("end_ns").fill_null(end_ns) - pl.col("start_ns")
    return jobs.join(nodes, on="job", maintain_order="left").select(
        "job", "nodes", node_ns=pl.col("nodes") * lasts.clip(lower_bound=0)
    )


def job_sizes(given: Given, alone: Mapping[str, RunLike] | None = None) -> Figure:
    """Draws the share of core-hours in jobs of more than x nodes, a line per run.

    A job's core-hours are its nodes times its time; all nodes have equally many cores. Jobs that
    repeat count until the run ends. Chunduri et al. (IPDPS 2021), Fig. 1.

    Args:
        given: one run, or several runs and experiments by title.
        alone: not used: the run of all jobs counts.

    Raises:
        UsageError: no job of a run took time.
    """
    lines = {}
    for title, run in runs_of(given).items():
        jobs = run.jobs.select("job", "start_ns", "end_ns").collect()
        stops = pl.Series([stop_ns(run, job) for job in jobs["job"]], dtype=pl.Float64)
        jobs = jobs.with_columns(pl.col("end_ns").fill_null(stops))
        # Synthetic traffic has no ranks in the table, but nodes.
        nodes = [
            job_nodes(run.ranks, run.document["plan"], job).with_columns(
                job=pl.lit(job, jobs["job"].dtype)
            )
            for job in jobs["job"]
        ]
        found = sizes_of(
            jobs, pl.concat(nodes, how="vertical_relaxed"), float(run.document["simulated_ns"])
        )
        if not found["node_ns"].sum():
            raise UsageError(f"figure job-sizes: no job of {title} took time; name another run")
        lines[title] = (found["nodes"].to_numpy(), found["node_ns"].to_numpy())
    looks = {
        title: {"color": PALETTE[at % len(PALETTE)], "ls": DASHES[at % len(DASHES)]}
        for at, title in enumerate(lines)
    }
    return size_lines(lines, looks)


def size_lines(
    lines: Mapping[str, tuple[NDArray[Any], NDArray[Any]]], looks: Mapping[str, dict[str, Any]]
) -> Figure:
    """Draws the lines of `job_sizes`.

    Args:
        lines: for each line the nodes of its jobs, and their node time.
        looks: the colour and dashes of each line.
    """
    with style():
        figure = new_figure(3.0)
        axes = figure.add_subplot()
        for title, (nodes, time) in lines.items():
            sizes = np.unique(nodes)
            left = np.array([time[nodes > size].sum() for size in sizes]) / time.sum()
            # Up to the smallest size, all core-hours are in larger jobs.
            axes.step(
                np.append(max(1, sizes[0] / 2), sizes),
                np.append(1.0, left),
                where="post",
                **looks[title],
            )
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:.0f}")
        axes.yaxis.set_major_formatter(PERCENT)
        axes.set_ylim(0, 1.02)
        axes.grid()
        axes.set_xlabel("nodes of a job")
        axes.set_ylabel("share of core-hours in larger jobs")
        if len(lines) > 1:
            add_key(figure, [Line2D([], [], label=title, **looks[title]) for title in lines])
    return figure
