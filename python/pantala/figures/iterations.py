"""Ranks and iterations: how long each rank takes for each iteration."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pantala.figures.cuts import BREAK, break_line
from pantala.figures.runs import Given, cases, rows_of
from pantala.figures.style import MUTED, new_figure, style
from pantala.run_tables.run_like import RunLike
from pantala.run_tables.skipped_time import skipped_spans
from pantala.text.amounts import time_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["IterationTimes", "rank_iterations"]

#: The quantities of a cell.
IterationTimes = Literal["communication", "duration"]

#: The maximum number of columns of a panel.
_COLUMNS = 1000
#: The width of a break, as a share of the columns.
_BLANK = 0.015
#: Ticks of a panel with breaks: at most so many, at multiples of these, and so far from each other.
_TICKS, _APART = 6, 0.13
_STEPS = [part * 10**power for power in range(7) for part in (1, 2, 5)]


def rank_iterations(
    given: Given,
    alone: Mapping[str, RunLike] | None = None,
    measure: IterationTimes = "communication",
    jobs: Collection[str] = (),
) -> Figure:
    """Draws a heat map of ranks (rows) and iterations (columns), one panel per job and run.

    Panels of one job share one scale. A blank cell is an iteration that the rank did not finish.
    Jobs with one iteration have no panel, unless no job has more. More than 1,000 iterations share
    columns, with their mean. A double line is where a run skipped iterations.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        measure: the time inside MPI calls, or the duration of the iteration.
        jobs: only these jobs; all by default.

    Raises:
        UsageError: a run recorded no iterations, or there is no such job.
    """
    value = (
        pl.col("communication_time_ns").sum()
        if measure == "communication"
        else pl.col("end_ns").max() - pl.col("start_ns").min()
    )
    by_rank = ["motif", "iteration", "rank"]
    found = [
        (case, _columns(rows, bool(skipped_spans(case.run))))
        for case, rows in rows_of(
            cases(given, alone, jobs),
            "iterations",
            lambda rows: _joined(rows.group_by(by_rank).agg(value=value)),
        )
    ]
    if any(columns.cells.shape[1] > 1 for _, columns in found):
        found = [(case, columns) for case, columns in found if columns.cells.shape[1] > 1]
    names = list(dict.fromkeys(case.name for case, _ in found))
    with style():
        wide = max((sum(case.name == name for case, _ in found) for name in names), default=1)
        figure = new_figure(0.3 + 2.4 * max(1, len(names)))
        grid = figure.subplots(max(1, len(names)), wide, squeeze=False)
        for axes in grid.ravel():
            axes.set_visible(False)
        for row, name in zip(grid, names, strict=False):
            own = [(case, columns) for case, columns in found if case.name == name]
            low = min(float(np.nanmin(columns.cells)) for _, columns in own)
            high = max(float(np.nanmax(columns.cells)) for _, columns in own)
            divisor, unit = time_unit(high)
            image: Any = None
            for axes, (case, columns) in zip(row, own, strict=False):
                cells, each = columns.cells, columns.each
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
                if columns.breaks:
                    _break(axes, columns)
                for spine in axes.spines.values():
                    spine.set_visible(False)
            row[0].set_ylabel("rank")
            bar = figure.colorbar(image, ax=row.tolist(), aspect=18, pad=0.015)
            what = "communication time" if measure == "communication" else "duration"
            bar.set_label(f"{what} ({unit})")
            bar.outline.set_visible(False)
    return figure


def _joined(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Adds `column` to the times of ranks in iterations, and facts of the columns.

    More than `_COLUMNS` iterations share columns, with their mean. Iterations before and after
    those that a run skipped do not. The facts are `each`, the iterations of a column; `number`, its
    first iteration, counted over the motifs of a sequence; `last`, its last one; and `stretch`, the
    number of gaps before it.
    """
    order = rows.select("motif", "iteration").unique().sort("motif", "iteration")
    lengths = order.group_by("motif").agg(length=pl.col("iteration").max().cast(pl.Int64) + 1)
    before = lengths.sort("motif").select(
        "motif", before=pl.col("length").cum_sum() - pl.col("length")
    )
    numbered = order.join(before, on="motif").sort("motif", "iteration")
    numbered = numbered.with_columns(number=pl.col("before") + pl.col("iteration").cast(pl.Int64))
    gap = (pl.col("number").diff() > 1).fill_null(False)
    each = ((pl.len() + _COLUMNS - 1) // _COLUMNS).cast(pl.Int64)
    place = pl.int_range(pl.len()).over("stretch") // pl.col("each")
    named = numbered.with_columns(stretch=gap.cast(pl.Int64).cum_sum(), each=each).with_columns(
        column=pl.struct("stretch", place.alias("place")).rank("dense").cast(pl.Int64) - 1
    )
    return (
        rows.join(named.drop("before"), on=["motif", "iteration"])
        .group_by("rank", "column", "each", "stretch")
        .agg(pl.col("value").mean(), pl.col("number").min(), last=pl.col("number").max())
    )


@dataclass(frozen=True, eq=False)
class _Columns:
    """The cells of a panel.

    Attributes:
        cells: the times by rank and column; nan where there is none.
        each: the number of iterations of a column.
        breaks: the column of each break, which is blank, and the iterations that are skipped there.
        numbers: by column, its first iteration.
    """

    cells: NDArray[np.float64]
    each: int
    breaks: Sequence[tuple[float, int]]
    numbers: Sequence[int | None]


def _columns(rows: pl.DataFrame, skipping: bool) -> _Columns:
    """Returns the cells of a panel; of a run that skipped time with blank columns for breaks."""
    rank, column = (rows[name].to_numpy().astype(int) for name in ("rank", "column"))
    cells = np.full((int(rank.max()) + 1, int(column.max()) + 1), np.nan)
    cells[rank, column] = rows["value"].to_numpy()
    each = int(rows["each"][0])
    firsts = (
        rows.sort("column")
        .group_by("column", maintain_order=True)
        .agg(pl.col("number", "stretch").min(), pl.col("last").max())
    )
    numbers: list[int | None] = firsts["number"].to_list()
    starts = np.flatnonzero(np.diff(firsts["stretch"].to_numpy())) + 1
    if not skipping or not len(starts):
        return _Columns(cells, each, [], numbers)
    blank = max(1, round(_BLANK * cells.shape[1]))
    breaks = []
    for at, start in reversed(list(enumerate(starts.tolist()))):
        skipped = firsts["number"][start] - firsts["last"][start - 1] - 1
        breaks.append((start + blank * (at + 0.5) - 0.5, skipped))
        cells = np.insert(cells, [start] * blank, np.nan, axis=1)
        numbers[start:start] = [None] * blank
    return _Columns(cells, each, breaks[::-1], numbers)


def _break(axes: Axes, columns: _Columns) -> None:
    """Marks the breaks of a panel, and gives its columns the numbers of their iterations."""
    count, each = len(columns.numbers), columns.each
    for at, _ in columns.breaks:
        break_line(axes, at * each)
    skipped = sum(number for _, number in columns.breaks)
    axes.set_title(
        f"{BREAK} {skipped:,} skipped", loc="right", fontsize=8, fontweight="normal", color=MUTED
    )
    known = {number: at for at, number in enumerate(columns.numbers) if number is not None}
    # First those at the start of the panel and after a break, then as many as there is room for.
    wanted = [number for number, at in known.items() if at == 0 or columns.numbers[at - 1] is None]
    for step in (columns.each * part for part in _STEPS):
        if count * each / step <= _TICKS:
            wanted += [number for number in known if number % step == 0]
            break
    shown: list[int] = []
    for number in wanted:
        if all(abs(known[number] - known[other]) >= _APART * count for other in shown):
            shown.append(number)
    axes.set_xticks([known[number] * each for number in sorted(shown)], map(str, sorted(shown)))
