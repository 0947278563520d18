"""Groups of upright bars with intervals: a panel per job, a group per case, a bar per series."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pantala.errors import UsageError
from pantala.figures.legend import add_key
from pantala.figures.style import INK, MUTED, WIDTH, new_figure, style, unit_for, with_unit

__all__ = ["GroupedBar", "grouped_bars"]


@dataclass(frozen=True)
class GroupedBar:
    """One bar: a mean with its interval.

    Attributes:
        panel: the title of its panel.
        group: the label of its group in the panel.
        series: its place in the group: an entry of the key.
        mean: the mean.
        low: the lower end of its interval; -inf without one.
        high: the upper end; inf without an interval.
        colour: its colour.
        hatch: its hatch.
        pale: whether it is pale, as that of a job alone.
    """

    panel: str
    group: str
    series: str
    mean: float
    low: float
    high: float
    colour: str
    hatch: str = ""
    pale: bool = False


def grouped_bars(bars: Sequence[GroupedBar], label: str, unit: str = "ns") -> Figure:
    """Draws groups of bars in panels. Every panel has its own scale and its own groups.

    The figure follows Kang et al. (SC22), Fig. 4, 8 and 10.

    Args:
        bars: the bars; a combination without a bar stays empty.
        label: what the values are.
        unit: the unit of the values: ``ns`` and ``B`` are scaled, others are names.

    Raises:
        UsageError: there is no bar.
    """
    if not bars:
        raise UsageError("there is no value to draw; simulate runs first")
    names, series = (list(dict.fromkeys(getattr(bar, of) for bar in bars)) for of in _ORDERS)
    columns = min(2 if len(bars) > 12 * len(names) else 3, len(names))
    rows = -(-len(names) // columns)
    divisor, shown = unit_for(unit, max(map(_top, bars)))
    own_groups = _groups(bars, names)
    size = WIDTH if columns > 1 else 0.62 * WIDTH
    labels = _labels(own_groups, size / columns - _SCALE)
    lines = max(label.count("\n") for own in labels for label in own)
    with style():
        figure = new_figure(0.5 + (1.9 + _LINE * lines) * rows, size)
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for panel in panels[len(names) :]:
            panel.set_axis_off()
        shown_groups = zip(panels, names, own_groups, labels, strict=False)
        for panel, name, groups, below in shown_groups:
            own = [bar for bar in bars if bar.panel == name]
            longest = max(_top(bar) for bar in own)
            beside = [each for each in series if any(bar.series == each for bar in own)]
            width = 0.82 / len(beside)
            for bar in own:
                place = beside.index(bar.series) - (len(beside) - 1) / 2
                x = groups.index(bar.group) + place * width
                panel.bar(x, bar.mean / divisor, width * 0.94, **_look(bar))
                if math.isfinite(bar.low) and math.isfinite(bar.high):
                    ends = [[bar.mean - bar.low], [bar.high - bar.mean]]
                    error = [[end / divisor for end in side] for side in ends]
                    panel.errorbar(x, bar.mean / divisor, yerr=error, color=INK, lw=0.9, capsize=2)
            panel.set_title(name)
            panel.set_xticks(range(len(groups)), below)
            panel.tick_params(axis="x", length=0)
            panel.set_ylim(0, 1.05 * longest / divisor or 1.0)
            panel.grid(axis="y")
        figure.supylabel(with_unit(label, shown), fontsize=9)
        key: list[Artist] = []
        for each in filter(None, series):
            own = [bar for bar in bars if bar.series == each]
            look = _look(own[0])
            if len({bar.colour for bar in own}) > 1:
                look |= {"facecolor": MUTED}
            key.append(Patch(**look, label=each))
        if any(math.isfinite(bar.low) and math.isfinite(bar.high) for bar in bars):
            key.append(Line2D([], [], color=INK, lw=1.0, marker="|", ms=6, label="95 % interval"))
        add_key(figure, key, 6)
    return figure


_ORDERS = ("panel", "series")
#: Inches for the scale of a panel, for a letter and for a line of a label.
_SCALE, _LETTER, _LINE = 0.5, 0.075, 0.14


def _labels(groups: Sequence[Sequence[str]], width: float) -> list[list[str]]:
    """Returns the labels of the groups of panels: the parts of names below each other if need be.

    Args:
        groups: the names of the groups of each panel.
        width: the width of a panel in inches.
    """
    wide = any(_LETTER * len(name) > width / len(own) for own in groups for name in own)
    return [[name.replace(", ", "\n") if wide else name for name in own] for own in groups]


def _look(bar: GroupedBar) -> dict[str, Any]:
    return {
        "facecolor": bar.colour,
        "alpha": 0.4 if bar.pale else 1.0,
        "hatch": bar.hatch,
        "edgecolor": "#ffffff",
        "linewidth": 0,
    }


def _groups(bars: Sequence[GroupedBar], names: Sequence[str]) -> list[list[str]]:
    """Returns the groups of each panel in order."""
    return [list(dict.fromkeys(bar.group for bar in bars if bar.panel == name)) for name in names]


def _top(bar: GroupedBar) -> float:
    return max(bar.mean, bar.high if math.isfinite(bar.high) else 0.0)
