"""Latency of the messages of each rank: minimum, mean and maximum."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from pantala.errors import UsageError
from pantala.figures.legend import add_key, runs_key
from pantala.figures.runs import Case, Given, cases, rows_of
from pantala.figures.steps import stairs
from pantala.figures.style import MUTED, new_figure, style
from pantala.run_tables.run_like import RunLike
from pantala.text.amounts import time_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DIRECTIONS", "rank_latency"]

#: The messages that a figure shows: those that a rank has sent or received.
DIRECTIONS = ("sent", "received")


def rank_latency(
    given: Given,
    alone: Mapping[str, RunLike] | None = None,
    measure: str = "sent",
    jobs: Collection[str] = (),
) -> Figure:
    """Draws the shortest, the mean and the longest message latency of each rank, a panel per job.

    A line is the mean of each rank. The band reaches from the shortest to the longest latency of
    the rank. Ranks without a message have a gap.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        measure: `sent` or `received`: the messages that count for a rank.
        jobs: only these jobs; all by default.

    Raises:
        UsageError: a run did not record its messages by rank, no rank has such a message, or there
            is no such job.
    """
    found = [
        (case, _lines(rows.filter(pl.col("direction") == measure)))
        for case, rows in rows_of(cases(given, alone, jobs), "rank_messages")
    ]
    found = [(case, lines) for case, lines in found if np.isfinite(lines).any()]
    if not found:
        raise UsageError(
            f"figure rank-latency: no rank has {measure} a message; name a run of MPI jobs"
        )
    names = list(dict.fromkeys(case.name for case, _ in found))
    divisor, unit = time_unit(max(float(np.nanmax(lines)) for _, lines in found))
    with style():
        figure = new_figure(0.75 + 1.45 * len(names))
        panels = figure.subplots(len(names), squeeze=False).ravel()
        for axes, name in zip(panels, names, strict=True):
            own = [(case, lines) for case, lines in found if case.name == name]
            for case, lines in own:
                _draw(axes, case, lines / divisor)
            ranks = max(lines.shape[1] for _, lines in own)
            axes.set_xlim(-0.5, ranks - 0.5)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
            axes.set_ylim(bottom=0)
            axes.set_title(name)
            axes.grid(axis="y")
        panels[-1].set_xlabel("rank")
        figure.supylabel(f"latency of messages {measure} ({unit})", fontsize=9)
        key = [
            Line2D([], [], color=MUTED, label="mean"),
            Patch(facecolor=MUTED, alpha=0.3, label="minimum to maximum"),
        ]
        add_key(figure, [*key, *runs_key([case for case, _ in found])])
    return figure


def _lines(rows: pl.DataFrame) -> NDArray[Any]:
    """Returns minimum, mean and maximum by rank; nan for a rank without a message."""
    if rows.is_empty():
        return np.full((3, 1), np.nan)
    lines = np.full((3, int(rows["rank"].to_numpy().max()) + 1), np.nan)
    columns = ("latency_min_ns", "latency_mean_ns", "latency_max_ns")
    values = rows.select(pl.col(columns).cast(pl.Float64).fill_null(float("nan")))
    lines[:, rows["rank"].to_numpy()] = values.to_numpy().T
    return lines


def _draw(axes: Axes, case: Case, lines: NDArray[Any]) -> None:
    shortest, mean, longest = lines
    edges = np.arange(len(mean) + 1) - 0.5
    stairs(
        axes,
        longest,
        edges,
        baseline=shortest,
        fill=True,
        color=case.colour,
        alpha=0.13 if case.alone else 0.25,
        lw=0,
    )
    stairs(axes, mean, edges, baseline=None, **case.line)
