"""The keys of figures: jobs by colour, and runs by dashes."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pantala.figures.runs import Case
from pantala.figures.style import MUTED, marker

__all__ = ["add_key", "markers_key", "runs_key"]

#: The height of a line of a key, in inches.
_LINE = 0.17


def runs_key(rows: Sequence[Case]) -> list[Artist]:
    """Returns one line per run of the figure, if it has several."""
    lines = {
        case.condition or case.name: {**case.line, "color": MUTED}
        for case in rows
        if case.condition
    }
    return [Line2D([], [], label=name, **line) for name, line in lines.items()]


def markers_key(rows: Sequence[Case], names: Sequence[str]) -> list[Artist]:
    """Returns a line with the colour and the marker of each job.

    Args:
        rows: what the figure shows.
        names: the jobs; the place in the list chooses the marker.
    """
    colour = {case.name: case.colour for case in rows}
    return [
        Line2D([], [], color=colour[name], marker=marker(at), ms=4, label=name)
        for at, name in enumerate(names)
    ]


def add_key(figure: Figure, handles: Sequence[Artist], columns: int = 5) -> None:
    """Adds a key above the panels; no key without handles.

    The figure grows by the lines of a key of more than two: the panels keep their height.
    """
    if handles:
        lines = -(-len(handles) // columns)
        figure.set_figheight(figure.get_figheight() + _LINE * max(0, lines - 2))
        figure.legend(handles=handles, loc="outside upper left", ncols=min(columns, len(handles)))
