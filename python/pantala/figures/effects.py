"""Slowdowns by victim and aggressor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from pantala.attribution import MEASURES, METHODS, ratios_text, shown_measures
from pantala.errors import UsageError
from pantala.figures.style import INK, PALETTE, WIDTH, new_figure, style

__all__ = ["effect_matrix"]

_SLOWER, _FASTER = PALETTE[1], PALETTE[0]
#: The effect with the strongest colour is at least this far from one, so that noise stays pale.
_LEAST = 0.1
_PANELS_BESIDE = 3


def effect_matrix(effects: pl.DataFrame, method: str | None = None) -> Figure:
    """Draws the slowdown of each job (row) by each job (column), one panel per measure.

    A cell shows the slowdown, and its interval if there are several seeds. Orange cells are slower,
    blue cells faster; a cell whose interval includes one has no colour.

    Args:
        effects: effects of one experiment: `pantala.attribution.effects_of`, or rows of
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
    names = list(dict.fromkeys([*rows["victim"], *rows["aggressor"]]))
    far = max(_LEAST, max(abs(each - 1) for each in rows[value]))
    columns = min(_PANELS_BESIDE, len(measures))
    lines = -(-len(measures) // columns)
    with style():
        figure = new_figure(
            lines * (0.95 + 0.48 * len(names)), min(WIDTH, columns * (1.6 + 0.85 * len(names)))
        )
        panels = figure.subplots(lines, columns, squeeze=False, sharey=True).ravel()
        for axes in panels[len(measures) :]:
            axes.set_visible(False)
        for number, (axes, measure) in enumerate(zip(panels, measures, strict=False)):
            cells = rows.filter(pl.col("measure") == measure).to_dicts()
            _panel(axes, names, cells, value, far)
            axes.set_title(MEASURES[measure])
            if number % columns == 0:
                axes.set_ylabel("slowed job")
    return figure


def _panel(
    axes: Axes, names: Sequence[str], cells: Sequence[Mapping[str, Any]], value: str, far: float
) -> None:
    for cell in cells:
        place = names.index(cell["aggressor"]), names.index(cell["victim"])
        effect = float(cell[value])
        several = cell.get("runs", 1) > 1
        shown = cell["significant"] if several else True
        strength = abs(effect - 1) / far if shown else 0.0
        corner = (place[0] - 0.48, place[1] - 0.47)
        axes.add_patch(Rectangle(corner, 0.96, 0.94, fc=INK, alpha=0.04, lw=0))
        colour = _SLOWER if effect > 1 else _FASTER
        axes.add_patch(Rectangle(corner, 0.96, 0.94, fc=colour, alpha=0.6 * strength, lw=0))
        text = f"{effect:.2f} \N{MULTIPLICATION SIGN}"
        if several:
            text += f"\n{ratios_text(cell['low'], cell['high'])}"
        axes.text(*place, text, ha="center", va="center", fontsize=7.5, color=INK)
    axes.set_xticks(range(len(names)), names, rotation=30 if len(names) > 3 else 0)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(length=0)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel("by")
    for spine in axes.spines.values():
        spine.set_visible(False)
