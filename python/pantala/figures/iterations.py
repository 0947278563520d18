"""Ranks and iterations: how long each rank takes for each iteration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pantala.figures.runs import Given, cases, rows_of
from pantala.figures.style import new_figure, style
from pantala.run_tables.run_like import RunLike
from pantala.text.amounts import time_unit

__all__ = ["IterationTimes", "rank_iterations"]

#: The quantities of a cell.
IterationTimes = Literal["communication", "duration"]

#: The maximum number of columns of a panel.
_COLUMNS = 1000


def rank_iterations(
    given: Given,
    alone: Mapping[str, RunLike] | None = None,
    measure: IterationTimes = "communication",
) -> Figure:
    """Draws a heat map of ranks (rows) and iterations (columns), one panel per job and run.

    Panels of one job share one scale. A blank cell is an iteration that the rank did not finish.
    Jobs with one iteration have no panel, unless no job has more. More than 1,000 iterations share
    columns, with their mean.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        measure: the time inside MPI calls, or the duration of the iteration.

    Raises:
        UsageError: a run recorded no iterations.
    """
    value = (
        pl.col("communication_time_ns").sum()
        if measure == "communication"
        else pl.col("end_ns").max() - pl.col("start_ns").min()
    )
    by_rank = ["motif", "iteration", "rank"]
    found = [
        (case, *_cells(rows))
        for case, rows in rows_of(
            cases(given, alone),
            "iterations",
            lambda rows: _joined(rows.group_by(by_rank).agg(value=value)),
        )
    ]
    if any(cells.shape[1] > 1 for _, cells, _ in found):
        found = [(case, cells, each) for case, cells, each in found if cells.shape[1] > 1]
    names = list(dict.fromkeys(case.name for case, *_ in found))
    with style():
        wide = max((sum(case.name == name for case, *_ in found) for name in names), default=1)
        figure = new_figure(0.3 + 2.4 * max(1, len(names)))
        grid = figure.subplots(max(1, len(names)), wide, squeeze=False)
        for axes in grid.ravel():
            axes.set_visible(False)
        for row, name in zip(grid, names, strict=False):
            own = [(case, cells, each) for case, cells, each in found if case.name == name]
            low = min(float(np.nanmin(cells)) for _, cells, _ in own)
            high = max(float(np.nanmax(cells)) for _, cells, _ in own)
            divisor, unit = time_unit(high)
            image: Any = None
            for axes, (case, cells, each) in zip(row, own, strict=False):
                axes.set_visible(True)
                image = axes.imshow(
                    cells / divisor,
                    cmap="magma_r",
                    vmin=low / divisor,
                    vmax=high / divisor if high > low else high / divisor + 1,
                    aspect="auto",
                    interpolation="none",
                    extent=(-0.5, cells.shape[1] * each - 0.5, len(cells) - 0.5, -0.5),
                )
                axes.set_title(case.label if wide < 3 else f"{case.name}\n{case.condition}")
                axes.set_xlabel(
                    "iteration" if each == 1 else f"iteration (columns: mean of {each})"
                )
                for axis in (axes.xaxis, axes.yaxis):
                    axis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
                for spine in axes.spines.values():
                    spine.set_visible(False)
            row[0].set_ylabel("rank")
            bar = figure.colorbar(image, ax=row.tolist(), aspect=18, pad=0.015)
            what = "communication time" if measure == "communication" else "duration"
            bar.set_label(f"{what} ({unit})")
            bar.outline.set_visible(False)
    return figure


def _joined(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Adds `column` to the times of ranks in iterations, and `each`, the iterations of a column.

    More than `_COLUMNS` iterations share columns, with their mean.
    """
    order = rows.select("motif", "iteration").unique().sort("motif", "iteration")
    named = order.with_row_index("column").with_columns(
        each=((pl.len() + _COLUMNS - 1) // _COLUMNS).cast(pl.Int64)
    )
    return (
        rows.join(named, on=["motif", "iteration"])
        .group_by("rank", pl.col("column") // pl.col("each"), "each")
        .agg(pl.col("value").mean())
    )


def _cells(rows: pl.DataFrame) -> tuple[np.ndarray, int]:
    """Returns the times by rank and column, and the number of iterations of a column."""
    rank, column = (rows[name].to_numpy().astype(int) for name in ("rank", "column"))
    cells = np.full((int(rank.max()) + 1, int(column.max()) + 1), np.nan)
    cells[rank, column] = rows["value"].to_numpy()
    return cells, int(rows["each"][0])
