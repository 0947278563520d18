"""The ring of groups: stall inside groups and on the links between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pantala.errors import UsageError
from pantala.figures.legend import add_key
from pantala.figures.link_map import group_matrix
from pantala.figures.runs import Given, parts
from pantala.figures.style import INK, PALETTE, WIDTH, new_figure, style
from pantala.run_tables.run_like import RunLike
from pantala.text.amounts import time_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["group_ring", "ring_of"]

# Lines thinner than this share of the widest are left out; they cannot be seen.
_FAINT = 0.02
# More lines than this cover each other.
_MANY = 200


def group_ring(given: Given, alone: Mapping[str, RunLike] | None = None) -> Figure:
    """Draws groups as circles on a ring, and the links between them, by stall.

    The area of a circle grows with the mean stall of the links inside its group. A line between two
    groups gets wider and darker with the mean stall of the global links between them, both
    directions together. All panels share the scales. Runs whose stalls are below 2 % of the largest
    have no panel. The figure follows Kang et al. (SC22), Fig. 11.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.

    Raises:
        UsageError: no link between routers stalled.
    """
    shown = parts(given, alone)
    matrices = {title: group_matrix(run, pl.col("stall_ns")) for title, run in shown.items()}
    if not any(np.nansum(matrix) for matrix in matrices.values()):
        raise UsageError(
            "figure group-ring: no link between routers stalled: credits never ran out; name"
            " another run"
        )
    return ring_of(matrices)


def ring_of(matrices: Mapping[str, NDArray[Any]]) -> Figure:
    """Draws the ring of groups from the mean stalls of `group_matrix` in ns, by title."""
    every = {title: np.nan_to_num(matrix) for title, matrix in matrices.items()}
    circle = max(float(np.diag(matrix).max()) for matrix in every.values())
    edge = max(float(_between(matrix).max(initial=0)) for matrix in every.values())
    stalls = {
        title: matrix
        for title, matrix in every.items()
        if np.diag(matrix).max() > _FAINT * circle or _between(matrix).max() > _FAINT * edge
    } or dict(list(every.items())[-1:])
    columns = min(2, len(stalls))
    rows = -(-len(stalls) // columns)
    size = WIDTH / 2 if columns == 2 else 0.62 * WIDTH
    with style():
        figure = new_figure(rows * size + 0.4, columns * size)
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes in panels:
            axes.set_axis_off()
        for axes, (title, matrix) in zip(panels, stalls.items(), strict=False):
            _panel(axes, matrix, circle, edge)
            if len(every) > 1:
                axes.set_title(title)
        add_key(figure, _key(circle, edge), 1 if columns == 1 else 4)
    return figure


def _between(matrix: np.ndarray) -> np.ndarray:
    """Returns the mean of both directions for each pair of groups, as an upper triangle."""
    return np.triu((matrix + matrix.T) / 2, 1)


def _panel(axes: Axes, matrix: np.ndarray, circle: float, edge: float) -> None:
    groups = len(matrix)
    angle = np.pi / 2 - 2 * np.pi * np.arange(groups) / groups
    place = np.column_stack([np.cos(angle), np.sin(angle)])
    share = _between(matrix) / (edge or 1.0)
    source, target = np.nonzero(share > _FAINT)
    order = np.argsort(share[source, target], kind="stable")
    source, target = source[order], target[order]
    weight = share[source, target]
    ink = np.tile(to_rgba(INK), (len(weight), 1))
    crowded = len(weight) > _MANY
    ink[:, 3] = 0.04 + 0.76 * weight**3 if crowded else 0.06 + 0.94 * weight**2
    axes.add_collection(
        LineCollection(
            list(np.stack([place[source], place[target]], axis=1)),
            colors=ink,
            linewidths=0.3 + (1.2 if crowded else 2.2) * weight,
            zorder=1,
        )
    )
    widest = min(0.36, 0.8 * 2 * np.pi / groups)
    width = widest * np.sqrt(np.diag(matrix) / (circle or 1.0))
    width = np.maximum(width, 0.12 * widest)
    axes.add_collection(
        EllipseCollection(
            width,
            width,
            np.zeros(groups),
            units="x",
            offsets=place,
            offset_transform=axes.transData,
            facecolors=PALETTE[1],
            edgecolors=INK,
            linewidths=0.5,
            zorder=2,
        )
    )
    numbers = max(1.13, 1.06 + widest / 2)
    every = 1 if groups <= 40 else 2 if groups <= 80 else round(groups / 30)
    for group in range(0, groups, every):
        x, y = numbers * place[group]
        axes.text(x, y, str(group), ha="center", va="center", fontsize=7, color=INK)
    axes.set_xlim(-numbers - 0.09, numbers + 0.09)
    axes.set_ylim(-numbers - 0.09, numbers + 0.09)
    axes.set_aspect("equal")


def _key(circle: float, edge: float) -> list[Line2D]:
    def in_words(stall: float) -> str:
        divisor, unit = time_unit(stall)
        return f"{stall / divisor:.3g} {unit}"

    entries = [
        Line2D(
            [],
            [],
            ls="",
            marker="o",
            ms=9,
            color=PALETTE[1],
            mec=INK,
            mew=0.5,
            label=f"stall per link inside the group: at most {in_words(circle)}",
        ),
        Line2D(
            [],
            [],
            color=INK,
            lw=2.5,
            label=f"stall per global link: at most {in_words(edge)}",
        ),
    ]
    return [entry for entry, stall in zip(entries, (circle, edge), strict=True) if stall]
