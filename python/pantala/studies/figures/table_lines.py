"""A figure of the columns of a study's table, such as measured points and a model's lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from pantala.errors import UsageError, nearest, show
from pantala.figures.legend import add_key
from pantala.figures.style import DASHES, MARKERS, MUTED, PALETTE, new_figure, style
from pantala.studies.figures.entry import Series, TableLines

__all__ = ["check_table_lines", "table_lines"]

_ACROSS = 3


def check_table_lines(lines: TableLines, rows: pl.DataFrame) -> None:
    """Checks that a table has the columns of its lines.

    Args:
        lines: what to draw.
        rows: the table; one without columns is not checked, as its function had no runs.

    Raises:
        UsageError: it lacks a column, or one has no numbers, or none that its axis can show.
    """
    if not rows.columns:
        return
    asked = [*lines.numbers, *filter(None, [lines.panels])]
    for column in asked:
        if column not in rows.columns:
            close = nearest(column, rows.columns)
            hint = f"did you mean '{close}'?" if close else f"choose {', '.join(rows.columns)}"
            raise UsageError(f"lines: '{column}': the table has no such column; {hint}")
    for column in lines.numbers:
        kind = rows.schema[column]
        if rows[column].null_count() < len(rows) and not kind.is_numeric():
            raise UsageError(
                f"lines: '{column}': the column has {show(rows[column].drop_nulls()[0])}, which is"
                " no number; choose a column of numbers"
            )
    if lines.log and (least := _least(rows, [lines.x])) <= 0:
        raise UsageError(
            f"lines: log = true: column '{lines.x}' has {least:g}, which a logarithmic axis cannot"
            " show; remove log"
        )


def table_lines(rows: pl.DataFrame, lines: TableLines, labels: Mapping[str, str]) -> Figure:
    """Draws columns of a table over one of them, a panel per value of another.

    All panels share both axes. A series has its colour and its marker; a line without points is
    dashed, in grey.

    Args:
        rows: the table, with at least one number in a column of the series.
        lines: what to draw.
        labels: words for values in the titles of panels.
    """
    parts: dict[str, pl.DataFrame] = {"": rows}
    if lines.panels is not None:
        found = rows.partition_by(lines.panels, maintain_order=True, as_dict=True)
        parts = {labels.get(str(value), str(value)): part for (value,), part in found.items()}
    across = min(_ACROSS, len(parts))
    down = -(-len(parts) // across)
    with style():
        figure = new_figure(1.0 + 2.9 * down)
        panels = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
        for panel, (title, part) in zip(panels.flat, parts.items(), strict=False):
            for at, each in enumerate(lines.series):
                _draw(panel, part.drop_nulls(lines.x).sort(lines.x), lines.x, each, at)
            panel.set_title(title)
            panel.grid(axis="y")
        for panel in panels.flat[len(parts) :]:
            panel.set_visible(False)
        for panel in panels.flat[max(0, len(parts) - across) : len(parts)]:  # none is below
            panel.tick_params(labelbottom=True)
            panel.set_xlabel(lines.x_label or lines.x)
        panels[0][0].set_ylim(bottom=min(0.0, _least(rows, lines.numbers[1:])))
        if lines.log:
            _log(panels[0][0], rows[lines.x])
        figure.supylabel(lines.label, fontsize=9)
        keys = [
            Line2D([], [], label=each.label, **_points(each, at), **_line(each, at))
            for at, each in enumerate(lines.series)
        ]
        add_key(figure, keys, 3)
    return figure


def _draw(panel: Any, part: pl.DataFrame, x: str, each: Series, at: int) -> None:
    if each.line is not None:
        own = part.drop_nulls(each.line)
        panel.plot(own[x].to_numpy(), own[each.line].to_numpy(), **_line(each, at))
    if each.points is not None:
        own = part.drop_nulls(each.points)
        panel.plot(own[x].to_numpy(), own[each.points].to_numpy(), ls="", **_points(each, at))


def _points(each: Series, at: int) -> dict[str, Any]:
    if each.points is None:
        return {}
    return {"marker": MARKERS[at], "ms": 4.5, "mec": "white", "mew": 0.5, "mfc": PALETTE[at]}


def _line(each: Series, at: int) -> dict[str, Any]:
    if each.line is None:
        return {"ls": ""}
    if each.points is None:
        return {"color": MUTED, "ls": DASHES[1], "lw": 1.2}
    return {"color": PALETTE[at], "ls": "-", "lw": 1.2}


def _least(rows: pl.DataFrame, columns: Sequence[str]) -> float:
    """Returns the least number of some columns; infinity if they have none."""
    found = [rows[each].cast(pl.Float64).min() for each in columns]
    return min((float(each) for each in found if isinstance(each, float)), default=math.inf)


def _log(panel: Any, x: pl.Series) -> None:
    """Makes the x axis logarithmic, with the values of the table as ticks where they have room."""
    values = sorted(map(float, x.drop_nulls().unique()))
    if not values:
        return
    panel.set_xscale("log")
    room = (values[-1] / values[0]) ** 0.2
    ticks: list[float] = []
    for value in values:
        if not ticks or value >= ticks[-1] * room:
            ticks.append(value)
    panel.xaxis.set_major_locator(FixedLocator(ticks))
    panel.xaxis.set_minor_locator(NullLocator())
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
