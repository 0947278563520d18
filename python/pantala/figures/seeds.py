"""Box plots of a metric over seeds: one row per job and configuration, one point per run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pantala.errors import UsageError
from pantala.figures.legend import add_key
from pantala.figures.style import (
    INK,
    MUTED,
    PALETTE,
    colours,
    horizontal_rows,
    new_figure,
    style,
    unit_for,
    with_unit,
)

__all__ = ["Box", "seed_boxes"]


@dataclass(frozen=True)
class Box:
    """The values of one row.

    Attributes:
        label: the label of the row.
        group: what gives the colour; a gap separates groups.
        values: one value per seed, at least one.
    """

    label: str
    group: str
    values: Sequence[float]


def seed_boxes(
    boxes: Sequence[Box],
    label: str,
    unit: str = "ns",
    order: Sequence[str] = (),
    axis: str = "",
    point: str = "one run",
) -> Figure:
    """Draws a metric over seeds: quartiles, median, whiskers to the extremes, and every value.

    Yang et al. (SC16), Fig. 3, and Chunduri et al. (IPDPS 2021), Fig. 3, show runs of one
    configuration as boxes. No value counts as an outlier here.

    Args:
        boxes: the rows from top to bottom.
        label: what the values are, for the axis.
        unit: the unit of the values: ``ns`` and ``B`` are scaled, others are names.
        order: all groups in the order of their colours, such as the jobs of the plan; not given: in
            the order of names.
        axis: the axis whose values the groups are, which the key names; empty if groups are jobs or
            the rows name them. More values than there are colours have one colour.
        point: what each value is, for the key.

    Raises:
        UsageError: there is no row.
    """
    if not boxes:
        raise UsageError("there is no value to draw; simulate runs first")
    # Not in the order of rows, which differs from figure to figure.
    groups = list(dict.fromkeys([*order, *sorted({box.group for box in boxes})]))
    colour = colours(groups)
    if axis and len(groups) > len(PALETTE):
        colour = dict.fromkeys(groups, PALETTE[0])
    divisor, name = unit_for(unit, max(max(box.values) for box in boxes))
    with style():
        figure = new_figure(1.0 + 0.34 * len(boxes))
        axes = figure.add_subplot()
        positions, y = [], 0.0
        for number, box in enumerate(boxes):
            if number:
                y += 1.0 if boxes[number - 1].group == box.group else 1.5
            positions.append(y)
            values = [value / divisor for value in box.values]
            if len(values) > 1:
                _draw(axes, y, values, colour[box.group])
            axes.plot(values, [y] * len(values), "o", color=colour[box.group], ms=3.5)
        horizontal_rows(axes, [box.label for box in boxes], positions)
        axes.set_ylim(positions[-1] + 0.6, positions[0] - 0.6)
        axes.use_sticky_edges = False
        axes.margins(x=0.03)
        axes.set_xlabel(with_unit(label, name))
        key: list[Artist] = [
            Patch(facecolor=MUTED, alpha=0.5, label="first to third quartile"),
            Line2D([], [], color=INK, ls="", marker="|", ms=9, mew=2, label="median"),
            Line2D([], [], color=MUTED, ls="", marker="o", ms=3.5, label=point),
        ]
        key = key if any(len(box.values) > 1 for box in boxes) else key[2:]
        drawn = {box.group for box in boxes}
        shown = [group for group in groups if group in drawn]
        if axis and len(shown) > 1 and len(groups) <= len(PALETTE):
            key.append(Line2D([], [], ls="", label=f"colours: {axis}"))
            key += [Patch(facecolor=colour[group], label=group) for group in shown]
        add_key(figure, key, 4)
    return figure


def _draw(axes: Axes, y: float, values: Sequence[float], colour: str) -> None:
    low, first, median, third, high = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
    axes.plot([low, high], [y, y], color=colour, lw=1.2, zorder=1)
    axes.barh(y, third - first, 0.62, first, color=colour, alpha=0.4)
    axes.plot([median] * 2, [y - 0.31, y + 0.31], color=INK, lw=2, solid_capstyle="butt")
