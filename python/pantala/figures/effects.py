"""Slowdowns by victim and aggressor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from pantala.analysis.attribution import (
    MEASURES,
    METHODS,
    in_plan_order,
    ratios_text,
    shown_measures,
)
from pantala.errors import UsageError
from pantala.figures.style import INK, PALETTE, WIDTH, new_figure, style

__all__ = ["effect_matrix"]

_SLOWER, _FASTER = PALETTE[1], PALETTE[0]
#: The effect with the strongest colour is at least this far from one, so that noise stays pale.
_LEAST = 0.1
_PANELS_BESIDE = 3
#: The width of a cell with an interval, and the least one, in inches. Narrower cells have none.
_CELL, _NARROW = 0.8, 0.5
#: The letters of an interval of the usual length: 0.95 to 1.02.
_LETTERS = 12
#: The width of the names of victims, and of a letter of a title, in inches.
_LABELS, _LETTER = 1.0, 0.09


def effect_matrix(effects: pl.DataFrame, method: str | None = None) -> Figure:
    """Draws the slowdown of each job (row) by each job (column), one panel per measure.

    A cell shows the slowdown, and its interval if there are several seeds and the cell has room.
    Orange cells are slower, blue cells faster; a cell whose interval includes one, or that lacks an
    interval because only one seed has the effect, has no colour.

    Args:
        effects: effects of one experiment: `pantala.analysis.attribution.effects_of`, or rows of
            `Experiment.effects` of one case.
        method: pairs or leave_one_out; the first one that the effects have if not given.

    Raises:
        UsageError: there is no effect of this method.
    """
    value = "effect" if "effect" in effects.columns else "mean"
    known = effects.filter(pl.col(value).is_not_null())
    chosen = method or (known["method"][0] if known.height else "")
    rows = known.filter(pl.col("method") == chosen)
    if rows.is_empty():
        raise UsageError(
            "there are no effects of jobs on each other; run the scenario with interference ="
            f" {' or '.join(repr(each) for each in METHODS)}"
        )
    measures = shown_measures(rows)
    order = in_plan_order(rows)
    victims = [name for name in order if name in rows["victim"]]
    aggressors = [name for name in order if name in rows["aggressor"]]
    several = "runs" in rows.columns and bool((rows["runs"] > 1).any())
    far = max(_LEAST, max(abs(each - 1) for each in rows[value]))
    longest = max((len(_interval(cell)) for cell in rows.to_dicts()), default=0) if several else 0
    needed = _CELL * max(1.0, longest / _LETTERS)
    title = _LETTER * max(len(MEASURES[measure]) for measure in measures)
    fitting = int((WIDTH - _LABELS) // max(0.2 + title, needed * len(aggressors)))
    columns = max(1, min(_PANELS_BESIDE, len(measures), fitting))
    lines = -(-len(measures) // columns)
    width = min(WIDTH, _LABELS + columns * (0.2 + max(title, 0.85 * len(aggressors))))
    cell = (width - _LABELS) / (columns * len(aggressors)) * _CELL / needed
    with style():
        figure = new_figure(lines * (0.95 + 0.48 * len(victims)), width)
        panels = figure.subplots(lines, columns, squeeze=False, sharey=True).ravel()
        for axes in panels[len(measures) :]:
            axes.set_visible(False)
        for number, (axes, measure) in enumerate(zip(panels, measures, strict=False)):
            cells = rows.filter(pl.col("measure") == measure).to_dicts()
            _panel(axes, (victims, aggressors), cells, value, far, several=several, width=cell)
            axes.set_title(MEASURES[measure])
            if number % columns == 0:
                axes.set_ylabel("victim")
    return figure


def _panel(
    axes: Axes,
    jobs: tuple[Sequence[str], Sequence[str]],
    cells: Sequence[Mapping[str, Any]],
    value: str,
    far: float,
    *,
    several: bool,
    width: float,
) -> None:
    """Draws one measure.

    Args:
        axes: the panel.
        jobs: the victims and the aggressors.
        cells: the effects.
        value: the column of the effects.
        far: the distance from one with the strongest colour.
        several: whether there are several seeds; an effect of one of them has no interval then.
        width: the width of a cell in inches, for an interval of the usual length.
    """
    victims, aggressors = jobs
    size = min(7.5, 7.5 * max(width, _NARROW) / _CELL)
    for cell in cells:
        place = aggressors.index(cell["aggressor"]), victims.index(cell["victim"])
        effect = float(cell[value])
        shown = cell["significant"] if several else True
        strength = abs(effect - 1) / far if shown else 0.0
        corner = (place[0] - 0.48, place[1] - 0.47)
        axes.add_patch(Rectangle(corner, 0.96, 0.94, fc=INK, alpha=0.04, lw=0))
        colour = _SLOWER if effect > 1 else _FASTER
        axes.add_patch(Rectangle(corner, 0.96, 0.94, fc=colour, alpha=0.6 * strength, lw=0))
        text = f"{effect:.2f} \N{MULTIPLICATION SIGN}"
        if several and width >= _NARROW:
            text += f"\n{_interval(cell)}"
        axes.text(*place, text, ha="center", va="center", fontsize=size, color=INK)
    axes.set_xticks(range(len(aggressors)), aggressors)
    if len(aggressors) > 3:
        axes.tick_params(axis="x", rotation=30)
    axes.set_yticks(range(len(victims)), victims)
    axes.tick_params(length=0)
    axes.set_xlim(-0.5, len(aggressors) - 0.5)
    axes.set_ylim(len(victims) - 0.5, -0.5)
    axes.set_xlabel("aggressor")
    for spine in axes.spines.values():
        spine.set_visible(False)


def _interval(cell: Mapping[str, Any]) -> str:
    return ratios_text(cell["low"], cell["high"]) if cell["runs"] > 1 else "1 seed"
