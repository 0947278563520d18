"""Rows of boxes from quantiles: quartiles, median, mean, and the tail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, NullFormatter

from pantala.figures.style import (
    INK,
    MUTED,
    horizontal_rows,
    new_figure,
    style,
    unit_for,
    with_unit,
)

__all__ = ["QuantileBox", "quantile_boxes"]

# If the highest value exceeds the lowest median by more than this factor, the axis is logarithmic.
_LOG_FROM = 40.0


@dataclass(frozen=True)
class QuantileBox:
    """One row.

    Attributes:
        label: the label of the row.
        group: a gap separates groups.
        colour: the colour.
        pale: whether the box is pale, as that of a job alone.
        numbers: ``p50``, and as far as they are known ``mean``, ``q1`` and ``q3``, ``p95``,
            ``p99``, and the extremes ``min`` and ``max``.
    """

    label: str
    group: str
    colour: str
    pale: bool
    numbers: Mapping[str, float]


def quantile_boxes(rows: Sequence[QuantileBox], label: str, unit: str = "ns") -> Figure:
    """Draws rows of boxes: quartiles, median, mean, and p95 and p99 or the extremes.

    Args:
        rows: the rows from top to bottom, at least one.
        label: what the values are.
        unit: their unit: ``ns`` and ``B`` are scaled, others are names.
    """
    high = max(row.numbers.get("max", row.numbers.get("p99", 0.0)) for row in rows)
    low = min(row.numbers["p50"] for row in rows)
    divisor, name = unit_for(unit, high)
    with style():
        figure = new_figure(1.0 + 0.36 * len(rows))
        axes = figure.add_subplot()
        positions = _positions([row.group for row in rows])
        for y, row in zip(positions, rows, strict=True):
            _draw(axes, y, row, {key: value / divisor for key, value in row.numbers.items()})
        horizontal_rows(axes, [row.label for row in rows], positions)
        axes.set_ylim(positions[-1] + 0.6, positions[0] - 0.6)
        if low > 0 and high / low > _LOG_FROM:
            axes.set_xscale("log")
            ends = ("min", "q1", "p50")
            lowest = min(min(row.numbers.get(key, low) for key in ends) for row in rows)
            axes.set_xlim(0.85 * lowest / divisor, 1.2 * high / divisor)
            # The axis needs three labels at least; below three decades, one label per decade is too
            # few.
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 1000 else (1,)))
            axes.xaxis.set_major_formatter("{x:g}")
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.set_xlabel(f"{label} ({name}, logarithmic)" if name else f"{label} (logarithmic)")
        else:
            axes.set_xlim(0, high / divisor * 1.04)
            axes.set_xlabel(with_unit(label, name))
        known = {key for row in rows for key in row.numbers}
        key = [entry for entry, of in _key() if of <= known]
        figure.legend(handles=key, loc="outside upper left", ncols=len(key))
    return figure


def _key() -> list[tuple[Patch | Line2D, set[str]]]:
    """Returns the entries of the key, each with the numbers that it needs."""
    box = Patch(facecolor=MUTED, alpha=0.5, label="first to third quartile")
    ends = Line2D([], [], color=MUTED, lw=1.2, label="smallest to largest")
    return [
        (box, {"q1", "q3"}),
        (Line2D([], [], color=INK, ls="", marker="|", ms=9, mew=2, label="median"), {"p50"}),
        (Line2D([], [], color=INK, ls="", marker="x", ms=5, label="mean"), {"mean"}),
        (Line2D([], [], color=MUTED, ls="", marker="o", mfc="none", ms=5, label="p95"), {"p95"}),
        (Line2D([], [], color=MUTED, ls="", marker="o", ms=5, label="p99"), {"p99"}),
        (ends, {"min", "max"}),
    ]


def _positions(groups: Sequence[str]) -> list[float]:
    """Returns the positions of rows: one apart, with a gap before each new group."""
    positions, y = [], 0.0
    for index, group in enumerate(groups):
        if index:
            y += 1.0 if groups[index - 1] == group else 1.4
        positions.append(y)
    return positions


def _draw(axes: Axes, y: float, row: QuantileBox, numbers: Mapping[str, float]) -> None:
    start = numbers.get("min", numbers.get("q3", numbers["p50"]))
    end = numbers.get("max", numbers.get("p99", numbers["p50"]))
    axes.plot([start, end], [y, y], color=row.colour, lw=1.2, zorder=1)
    if "q1" in numbers:
        axes.barh(
            y,
            numbers["q3"] - numbers["q1"],
            0.62,
            numbers["q1"],
            color=row.colour,
            alpha=0.35 if row.pale else 0.9,
        )
    axes.plot(
        [numbers["p50"]] * 2, [y - 0.31, y + 0.31], color=INK, lw=2, solid_capstyle="butt", zorder=3
    )
    if "mean" in numbers:
        axes.plot(numbers["mean"], y, "x", color=INK, ms=5, zorder=4)
    if "p95" in numbers:
        axes.plot(numbers["p95"], y, "o", mfc="white", mec=row.colour, ms=5, zorder=3)
    if "p99" in numbers:
        axes.plot(numbers["p99"], y, "o", color=row.colour, ms=5, zorder=3)
