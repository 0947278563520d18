"""Waiting time by victim and aggressor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from pantala.analysis.blame import blame_of
from pantala.errors import UsageError
from pantala.figures.legend import add_key
from pantala.figures.runs import Given, recorded, runs_of
from pantala.figures.style import INK, WIDTH, new_figure, style
from pantala.run_tables.run_like import RunLike, job_names
from pantala.text.amounts import time_unit

__all__ = ["blame_matrix", "has_numbers"]

#: The width of the names beside a matrix, the least one of a cell with numbers, that of a letter
#: of a name and the height of a line of names, in inches.
_LABELS, _CELL, _LETTER, _LINE = 1.9, 0.55, 0.075, 0.13
#: The letters of a name below a matrix.
_MOST = 40
#: The shares of the key, per cent.
_KEY = (5, 25, 50, 100)


def blame_matrix(given: Given, classes: Sequence[str] | None = None) -> Figure:
    """Draws how long the packets of each job (row) waited because of each job (column).

    A row sums to the whole waiting time of the job's packets. A cell shows the time and its share
    of the row; darker is a larger share. Cells of more jobs than have room (`has_numbers`) have the
    colour only.

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
    size = min(WIDTH / columns, _LABELS + 0.95 * jobs)
    numbers = has_numbers(jobs, len(found))
    width = (size - _LABELS) / jobs
    high = jobs * (0.52 if numbers else min(0.52, width))
    longest = max(len(_short(name)) for names, _ in found.values() for name in names)
    turned = _LETTER * longest > width
    with style():
        height = 0.75 + high + _LETTER * longest * turned
        figure = new_figure(rows * height + 0.3 * (not numbers), columns * size)
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes in panels[len(found) :]:
            axes.set_visible(False)
        for axes, (title, (names, matrix)) in zip(panels, found.items(), strict=False):
            _panel(axes, names, matrix, numbers=numbers)
            if turned:
                axes.tick_params(axis="x", rotation=90)
            if width < _LINE:
                axes.tick_params(labelsize=max(4.0, 8.5 * width / _LINE))
            if len(found) > 1:
                axes.set_title(title)
        if not numbers:
            key = [
                Patch(facecolor=INK, alpha=_alpha(share / 100), label=f"{share} % of the row")
                for share in _KEY
            ]
            add_key(figure, key, len(key))
    return figure


def has_numbers(jobs: int, panels: int = 1) -> bool:
    """Returns whether the cells of `blame_matrix` have room for a time and a share.

    Args:
        jobs: the number of jobs.
        panels: the number of runs.
    """
    return WIDTH / min(2, panels) - _LABELS >= _CELL * jobs


def _alpha(share: float) -> float:
    return 0.03 + 0.82 * share


def _matrix(run: RunLike, classes: Sequence[str] | None) -> tuple[list[str], np.ndarray]:
    rows = recorded(run, "blame")
    if classes is not None:
        rows = rows.filter(pl.col("class").is_in(classes))
    names = list(job_names(run).values())
    return names, np.array(blame_of(rows.collect(), names).wait_ns)


def _short(name: str) -> str:
    return name if len(name) <= _MOST else f"{name[: _MOST - 1]}…"


def _panel(axes: Axes, names: Sequence[str], matrix: np.ndarray, *, numbers: bool) -> None:
    totals = matrix.sum(axis=1, keepdims=True)
    share = np.divide(matrix, totals, out=np.zeros_like(matrix), where=totals > 0)
    for (victim, aggressor), part in np.ndenumerate(share):
        corner = (aggressor - 0.48, victim - 0.47)
        axes.add_patch(Rectangle(corner, 0.96, 0.94, fc=INK, alpha=_alpha(part), lw=0))
        if not numbers:
            continue
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
    axes.set_xticks(range(len(names)), [_short(name) for name in names])
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(length=0)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel("aggressor")
    axes.set_ylabel("victim")
    for spine in axes.spines.values():
        spine.set_visible(False)
