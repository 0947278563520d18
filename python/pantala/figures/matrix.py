"""The communication matrix of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator

from pantala.figures.style import WIDTH, new_figure, style

if TYPE_CHECKING:
    from pantala.planning.communication import Communication

__all__ = ["communication_matrix"]

#: The maximum number of rows; beyond it a cell is a block of ranks.
_CELLS = 528


def communication_matrix(found: Communication) -> Figure:
    """Draws the bytes from each rank (row) to each rank (column), and their spread over distances.

    Beyond 528 ranks, a cell is a block of ranks. Colours are logarithmic if cells differ by more
    than a factor of ten.

    Args:
        found: a result of `pantala.planning.communication.communication`.
    """
    matrix = found.matrix(_CELLS)
    filled = matrix[matrix > 0]
    low, high = (float(filled.min()), float(filled.max())) if filled.size else (1.0, 1.0)
    norm: Normalize = LogNorm(low, high) if high > 10 * low else Normalize(0, high)
    with style():
        figure = new_figure(WIDTH * 0.56)
        axes, beside = figure.subplots(1, 2, width_ratios=[1.25, 1])
        shown = np.ma.masked_equal(matrix, 0)
        image = axes.imshow(
            shown, cmap="viridis_r", norm=norm, interpolation="nearest", extent=_extent(found.ranks)
        )
        axes.set_title(f"{found.job}: bytes from rank to rank")
        axes.set_xlabel("to rank")
        axes.set_ylabel("from rank")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(6, integer=True))
        bar = figure.colorbar(image, ax=axes, shrink=0.85, aspect=28, pad=0.02)
        bar.ax.yaxis.set_major_formatter(EngFormatter(unit="B"))
        bar.outline.set_visible(False)
        distance = np.abs(found.source.astype(np.int64) - found.destination.astype(np.int64))
        order = np.argsort(distance, kind="stable")
        share = np.cumsum(found.bytes[order].astype(np.float64))
        beside.plot(
            distance[order],
            100 * share / share[-1] if share.size else share,
            drawstyle="steps-post",
        )
        beside.set_xscale("log", base=2)
        beside.set_ylim(0, 103)
        beside.set_title("bytes by distance")
        beside.set_xlabel("distance of ranks")
        beside.set_ylabel("share of bytes (%)")
        beside.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        beside.grid(axis="both")
    return figure


def _extent(ranks: int) -> tuple[float, float, float, float]:
    return (-0.5, ranks - 0.5, ranks - 0.5, -0.5)
