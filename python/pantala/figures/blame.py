"""Waiting time by victim and aggressor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from pantala.analysis.blame import blame_of
from pantala.errors import UsageError
from pantala.figures.runs import Given, recorded, runs_of
from pantala.figures.style import INK, WIDTH, new_figure, style
from pantala.run_tables.run_like import RunLike, job_names
from pantala.text.amounts import time_unit

__all__ = ["blame_matrix"]


def blame_matrix(given: Given, classes: Sequence[str] | None = None) -> Figure:
    """Draws how long the packets of each job (row) waited because of each job (column).

    A row sums to the whole waiting time of the job's packets. A cell shows the time and its share
    of the row; darker is a larger share.

    Args:
        given: one run, or several runs by title; each has a panel.
        classes: the link classes at which packets waited; all by default.

    Raises:
        UsageError: a run recorded no blame, or no packet waited there.
    """
    found = {title: _matrix(run, classes) for title, run in runs_of(given).items()}
    if not any(matrix.any() for _, matrix in found.values()):
        where = "" if classes is None else f" for links of {', '.join(classes)}"
        raise UsageError(
            f"figure blame-matrix: no packet waited{where}; name another --class or another run"
        )
    columns = min(2, len(found))
    rows = -(-len(found) // columns)
    jobs = max(len(names) for names, _ in found.values())
    size = min(WIDTH / columns, 1.9 + 0.95 * jobs)
    with style():
        figure = new_figure(rows * (0.75 + 0.52 * jobs), columns * size)
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes in panels[len(found) :]:
            axes.set_visible(False)
        for axes, (title, (names, matrix)) in zip(panels, found.items(), strict=False):
            _panel(axes, names, matrix)
            if len(found) > 1:
                axes.set_title(title)
    return figure


def _matrix(run: RunLike, classes: Sequence[str] | None) -> tuple[list[str], np.ndarray]:
    rows = recorded(run, "blame")
    if classes is not None:
        rows = rows.filter(pl.col("class").is_in(classes))
    names = list(job_names(run).values())
    return names, np.array(blame_of(rows.collect(), names).wait_ns)


def _panel(axes: Axes, names: Sequence[str], matrix: np.ndarray) -> None:
    totals = matrix.sum(axis=1, keepdims=True)
    share = np.divide(matrix, totals, out=np.zeros_like(matrix), where=totals > 0)
    for (victim, aggressor), part in np.ndenumerate(share):
        corner = (aggressor - 0.48, victim - 0.47)
        axes.add_patch(Rectangle(corner, 0.96, 0.94, fc=INK, alpha=0.03 + 0.82 * part, lw=0))
        waited = float(matrix[victim, aggressor])
        divisor, unit = time_unit(waited)
        axes.text(
            aggressor,
            victim,
            f"{waited / divisor:.3g} {unit}\n{100 * part:.0f} %" if waited else "0",
            ha="center",
            va="center",
            fontsize=7.5,
            color="#ffffff" if part > 0.5 else INK,
        )
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(length=0)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel("aggressor")
    axes.set_ylabel("victim")
    for spine in axes.spines.values():
        spine.set_visible(False)
