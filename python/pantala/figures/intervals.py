"""Differences with their intervals: one row per metric and job, one mark per run or experiment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pantala.errors import UsageError
from pantala.figures.legend import add_key
from pantala.figures.style import (
    MARKERS,
    MUTED,
    PERCENT,
    colours,
    horizontal_rows,
    new_figure,
    style,
)

__all__ = ["Mark", "difference_intervals"]


@dataclass(frozen=True)
class Mark:
    """One difference.

    Attributes:
        row: the label of its row, such as a metric and a job.
        title: what is compared with the base.
        value: the difference over the base's mean.
        low: the lower end of its interval; -inf without one.
        high: the upper end; inf without an interval.
    """

    row: str
    title: str
    value: float
    low: float
    high: float


def difference_intervals(marks: Sequence[Mark], base: str) -> Figure:
    """Draws differences in per cent of the base, with their intervals.

    A filled mark has an interval that excludes zero. A hollow mark has no interval, or one that
    includes zero.

    Args:
        marks: the differences, in the order of the rows.
        base: the title of the base, for the axis.

    Raises:
        UsageError: there is no difference to show.
    """
    if not marks:
        raise UsageError("there is no difference to draw; compare runs with common metrics")
    rows = list(dict.fromkeys(mark.row for mark in marks))
    titles = list(dict.fromkeys(mark.title for mark in marks))
    colour = colours(titles)
    with style():
        figure = new_figure(1.05 + (0.24 + 0.1 * len(titles)) * len(rows))
        axes = figure.add_subplot()
        axes.axvline(0, color=MUTED, lw=0.9)
        for mark in marks:
            number = titles.index(mark.title)
            y = rows.index(mark.row) + 0.7 * ((number + 0.5) / len(titles) - 0.5)
            if math.isfinite(mark.low) and math.isfinite(mark.high):
                axes.plot([mark.low, mark.high], [y, y], color=colour[mark.title], lw=1.8)
            sure = mark.low > 0 or mark.high < 0
            axes.plot(
                mark.value,
                y,
                MARKERS[number % len(MARKERS)],
                ms=5.5,
                mec=colour[mark.title],
                mfc=colour[mark.title] if sure else "white",
            )
        horizontal_rows(axes, rows, range(len(rows)))
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.xaxis.set_major_formatter(PERCENT)
        axes.set_xlabel(f"difference from {base}")
        key = [
            Line2D(
                [],
                [],
                color=colour[title],
                marker=MARKERS[number % len(MARKERS)],
                ms=5.5,
                lw=1.8,
                label=title,
            )
            for number, title in enumerate(titles)
        ]
        add_key(figure, key, 4)
    return figure
