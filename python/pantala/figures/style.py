"""The style of all figures: colours, fonts, sizes, and numbers in readable units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from pantala.text.amounts import size_unit, time_unit

__all__ = [
    "DASHES",
    "GRID",
    "HATCHES",
    "INK",
    "MARKERS",
    "MUTED",
    "PALETTE",
    "PERCENT",
    "colours",
    "marker",
    "new_figure",
    "panels_height",
    "style",
]

#: The first six are Okabe and Ito's colours for all kinds of colour vision, without yellow and
#: black, which disappear on a white or a dark page. The others serve the jobs after the sixth.
#: Where colour vision takes two for one, markers and hatches tell them apart.
PALETTE = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#332288",
    "#882255",
    "#1A5A2A",
    "#7A4B1F",
    "#8C8C00",
    "#8F5FD6",
)

#: Marks of jobs, which differ without colour, too.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "*", "p")

#: Hatches of jobs in stacked bars, which differ without colour, too.
HATCHES = (
    "",
    "////",
    "....",
    "\\\\\\\\",
    "xxxx",
    "++++",
    "----",
    "||||",
    "oo",
    "//..",
    "--..",
    "\\\\||",
)

#: Dashes of runs that share a panel.
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (8, 3)),
)

# The report replaces these three colours by the page's own; no other element may use them.
INK = "#1b1f24"
MUTED = "#656d76"
GRID = "#dfe3e8"

#: Ticks of an axis for a share.
PERCENT = FuncFormatter(lambda share, _: f"{100 * share:.6g} %")

#: Width of a full-width figure, inches.
WIDTH = 8.6

_RC: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titley": 1.0,  # no figure has ticks at the top, which the title would have to avoid
    "axes.labelsize": 9.0,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    # 1.0002 in place of 2e-4 with "+1" at the end of the axis.
    "axes.formatter.useoffset": False,
    "axes.titlecolor": INK,
    "text.color": INK,
    "text.parse_math": False,  # a dollar in a job's name is a dollar
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "hatch.linewidth": 0.6,
    "lines.linewidth": 1.6,
    "figure.dpi": 110.0,
    "figure.facecolor": "white",
    "savefig.facecolor": "auto",
}


@contextmanager
def style() -> Iterator[None]:
    """Applies the house style to figures drawn inside the ``with`` block only."""
    with mpl.rc_context(_RC):
        yield


def new_figure(height: float, width: float = WIDTH) -> Figure:
    """Returns an empty figure, sizes in inches. It belongs to no window and needs no closing."""
    return Figure(figsize=(width, height), layout="constrained")


def panels_height(panels: int) -> float:
    """Returns the height of a figure with panels below each other, in inches.

    A single panel is as high as the label beside it needs.
    """
    return 0.75 + (2.3 if panels <= 1 else 1.45 * panels)


def marker(place: int) -> str:
    """Returns the mark of the job at a place; with its colour, it tells 144 jobs apart."""
    return MARKERS[(place + place // len(PALETTE)) % len(MARKERS)]


def colours(names: Iterable[str]) -> dict[str, str]:
    """Returns the colour of each job by its place in the list; after twelve, colours repeat."""
    return dict(zip(names, cycle(PALETTE), strict=False))


def unit_for(unit: str, most: float) -> tuple[float, str]:
    """Returns the divisor and the name of the unit that suits values of a metric.

    Args:
        unit: ``ns``, ``B``, or a unit that is not scaled; empty for a pure number.
        most: the largest value.
    """
    if unit == "ns":
        return time_unit(most)
    return size_unit(most) if unit == "B" else (1.0, unit)


def with_unit(label: str, unit: str) -> str:
    """Returns the label of an axis: ``label (unit)``, or the label alone."""
    return f"{label} ({unit})" if unit else label


def horizontal_rows(axes: Axes, labels: Sequence[str], positions: Sequence[float]) -> None:
    """Turns the y axis into a list of labels from top to bottom, with a light vertical grid."""
    axes.set_yticks(positions, labels)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")
    axes.invert_yaxis()
