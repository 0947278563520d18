"""Lines over time in rows and columns of panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pantala.errors import UsageError
from pantala.figures.legend import add_key
from pantala.figures.steps import stairs
from pantala.figures.style import WIDTH, new_figure, style, unit_for, with_unit
from pantala.text.amounts import time_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["StepLine", "panel_lines"]

#: The panels of a row share a scale; rows do too unless a peak exceeds another by this factor.
_ONE_SCALE = 5.0


@dataclass(frozen=True, eq=False)
class StepLine:
    """One line of steps.

    Attributes:
        row: the value of the first column of panels; its panels stand below each other.
        column: the value of the second one.
        label: its entry in the key.
        edges_ns: the edges of the steps.
        values: the value of each step; nan leaves a gap.
        look: its colour, width and dashes.
        key: its colour, width and dashes in the key, where several lines share an entry.
        filled: whether the area below it is filled.
    """

    row: str
    column: str
    label: str
    edges_ns: NDArray[Any]
    values: NDArray[Any]
    look: dict[str, Any]
    key: dict[str, Any]
    filled: bool = False


def panel_lines(lines: Sequence[StepLine], label: str, unit: str) -> Figure:
    """Draws lines over simulated time. All panels share the time, the panels of a row the scale.

    Args:
        lines: the lines.
        label: what the values are.
        unit: their unit: ``ns`` and ``B`` are scaled, others are names.

    Raises:
        UsageError: there is no line.
    """
    if not lines:
        raise UsageError("there is no value to draw; simulate runs first")
    rows, columns = (list(dict.fromkeys(getattr(line, of) for line in lines)) for of in _PLACES)
    time, time_name = time_unit(max(float(line.edges_ns[-1]) for line in lines))
    peaks = {row: max(_peak(line) for line in lines if line.row == row) for row in rows}
    divisor, shown = unit_for(unit, max(peaks.values()))
    one_scale = max(peaks.values()) <= _ONE_SCALE * min(peaks.values())
    with style():
        high = 2.3 if len(rows) == 1 else 1.3 * len(rows)
        figure = new_figure(0.9 + high, max(WIDTH, 2.2 * len(columns)))
        panels = figure.subplots(len(rows), len(columns), sharex=True, sharey="row", squeeze=False)
        for down, row in enumerate(rows):
            for across, column in enumerate(columns):
                panel = panels[down][across]
                for line in lines:
                    if (line.row, line.column) == (row, column):
                        at, values = line.edges_ns / time, line.values / divisor
                        if line.filled:
                            stairs(
                                panel, values, at, color=line.look["color"], fill=True, alpha=0.18
                            )
                        stairs(panel, values, at, baseline=None, **line.look)
                panel.set_title(", ".join(filter(None, (row, column))))
                panel.grid(axis="y")
                panel.margins(x=0)
                top = max(peaks.values()) if one_scale else peaks[row]
                panel.set_ylim(0, 1.06 * top / divisor or 1.0)
        for panel in panels[-1]:
            panel.set_xlabel(f"simulated time ({time_name})")
        figure.supylabel(with_unit(label, shown), fontsize=9)
        entries = {line.label: line.key for line in lines if line.label}
        add_key(figure, [Line2D([], [], label=name, **key) for name, key in entries.items()], 6)
    return figure


_PLACES = ("row", "column")


def _peak(line: StepLine) -> float:
    known = line.values[np.isfinite(line.values)]
    return float(known.max(initial=0.0))
