"""A grid of bars over two axes of an experiment: one row of panels per job."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pantala.errors import UsageError
from pantala.figures.legend import add_key
from pantala.figures.style import INK, MUTED, WIDTH, colours, new_figure, style, unit_for, with_unit

__all__ = ["Bar", "bar_grid"]


@dataclass(frozen=True)
class Bar:
    """One bar: the mean over seeds of a metric of a job, in one unit.

    Attributes:
        job: the job, whose panels are a row.
        row: the value of the first axis: the bar's label.
        column: the value of the second axis: the column of panels; empty with one axis.
        mean: the mean.
        low: the lower end of its interval; -inf without one.
        high: the upper end; inf without an interval.
        alone: the mean of the job alone; None if it did not run alone.
    """

    job: str
    row: str
    column: str
    mean: float
    low: float
    high: float
    alone: float | None = None


def bar_grid(
    bars: Sequence[Bar],
    label: str,
    axes: Sequence[str],
    unit: str = "ns",
    order: Sequence[str] = (),
) -> Figure:
    """Draws the mean of a metric of every job in every combination of two axes, with intervals.

    The panels of one job share a scale. The comparison of routings and placements follows Kang et
    al. (SC22), Fig. 4 and 8.

    Args:
        bars: the bars; a combination without a bar stays empty.
        label: what the values are.
        axes: the names of the first and, if there is one, of the second axis.
        unit: the unit of the values: ``ns`` and ``B`` are scaled, others are names.
        order: all jobs in the order of their colours; not given: in that of the bars.

    Raises:
        UsageError: there is no bar.
    """
    if not bars:
        raise UsageError("there is no value to draw; simulate runs first")
    jobs, rows, columns = (
        list(dict.fromkeys(getattr(bar, name) for bar in bars)) for name in ("job", "row", "column")
    )
    colour = colours(dict.fromkeys([*order, *jobs]))
    with style():
        figure = new_figure(
            1.1 + len(jobs) * (0.4 + 0.27 * len(rows)), max(WIDTH, 1.9 * len(columns))
        )
        panels = figure.subplots(len(jobs), len(columns), sharex="row", sharey=True, squeeze=False)
        for across, job in enumerate(jobs):
            own = [bar for bar in bars if bar.job == job]
            longest = max(_longest(bar) for bar in own)
            divisor, name = unit_for(unit, longest)
            for down, column in enumerate(columns):
                panel = panels[across][down]
                for bar in own:
                    if bar.column == column:
                        _draw(panel, rows.index(bar.row), bar, divisor, colour[job])
                if across == 0 and column:
                    panel.set_title(column)
                panel.grid(axis="x")
                panel.set_xlim(0, 1.04 * longest / divisor or 1.0)
                panel.tick_params(axis="y", length=0)
                panel.set_xlabel(with_unit(job, name))
        panels[0][0].set_yticks(range(len(rows)), rows)
        panels[0][0].set_ylim(len(rows) - 0.5, -0.5)
        figure.supylabel(axes[0], fontsize=9)
        key: list[Artist] = [Patch(facecolor=MUTED, label=f"{label}, mean over seeds")]
        if any(math.isfinite(bar.low) and math.isfinite(bar.high) for bar in bars):
            key.append(Line2D([], [], color=INK, lw=1.0, marker="|", ms=6, label="95 % interval"))
        if any(bar.alone is not None for bar in bars):
            key.append(Line2D([], [], color=INK, ls="", marker="D", ms=4, label="mean alone"))
        if len(axes) > 1:
            # In the key, where no number of columns and no note below the figure can meet it.
            key.append(Line2D([], [], ls="", label=f"columns: {axes[1]}"))
        add_key(figure, key)
    return figure


def _longest(bar: Bar) -> float:
    high = bar.high if math.isfinite(bar.high) else bar.mean
    return max(bar.mean, high, bar.alone or 0.0)


def _draw(panel: Axes, y: float, bar: Bar, divisor: float, colour: str) -> None:
    panel.barh(y, bar.mean / divisor, 0.72, color=colour)
    if math.isfinite(bar.low) and math.isfinite(bar.high):
        ends = [[bar.mean - bar.low], [bar.high - bar.mean]]
        panel.errorbar(
            bar.mean / divisor,
            y,
            xerr=[[end / divisor for end in side] for side in ends],
            color=INK,
            lw=1.0,
            capsize=2.5,
        )
    if bar.alone is not None:
        panel.plot(bar.alone / divisor, y, "D", color=INK, ms=4)
