"""Heat maps of links, group by group."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.colors import Normalize, TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from pantala.analysis.link_load import link_loads
from pantala.errors import UsageError
from pantala.figures.style import PERCENT, WIDTH, new_figure, style
from pantala.metrics.traffic import group_means
from pantala.run_tables.run_like import RunLike
from pantala.text.amounts import time_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["group_matrix", "link_load_map", "link_shift_map", "map_of"]

Measure = Literal["utilization", "stall"]


def group_matrix(run: RunLike, value: pl.Expr, *, shared: bool = False) -> NDArray[Any]:
    """Returns the mean of `value` over the links from each group (row) to each group (column).

    The diagonal holds the mean over the links inside the group: local, or row and column. The mean
    is nan if there is no link.

    Args:
        run: the run whose `links` table is read.
        value: an expression over the columns of `links`.
        shared: whether `bytes` and `utilization` count only the time in which all jobs ran, as in
            `link_loads`.
    """
    links = link_loads(run).links.lazy() if shared else run.links
    return group_means(links.collect(), int(run.document["plan"]["topology"]["g"]), value)


def link_load_map(
    runs: Mapping[str, RunLike], measure: Measure = "utilization", shared: Collection[str] = ()
) -> Figure:
    """Draws one heat map per run: the mean of the global links between each pair of groups.

    The diagonal shows the links inside groups. `utilization` is the congestion index of Kang et al.
    (SC22, Fig. 12): mean link throughput over its capacity. `stall` is the time in which a packet
    was ready, the link idle, and no packet had credit.

    Args:
        runs: the title of each panel and its run.
        measure: the quantity to draw; all panels share its scale.
        shared: the panels that count only the time in which all jobs ran.
    """
    value = pl.col("utilization" if measure == "utilization" else "stall_ns")
    matrices = {
        title: group_matrix(run, value, shared=title in shared) for title, run in runs.items()
    }
    return map_of(matrices, measure)


def map_of(matrices: Mapping[str, NDArray[Any]], measure: Measure = "utilization") -> Figure:
    """Draws heat maps from the means of `group_matrix`, by title: shares, or stalls in ns.

    Raises:
        UsageError: if no matrix has a link.
    """
    if all(np.isnan(matrix).all() for matrix in matrices.values()):
        raise _no_links("link-load-map")
    top = max(float(np.nanmax(matrix, initial=0.0)) for matrix in matrices.values())
    divisor, unit = (1.0, "") if measure == "utilization" else time_unit(top)
    columns = min(3, len(matrices))
    rows = -(-len(matrices) // columns)
    with style():
        figure = new_figure(WIDTH / 3 * rows + 0.25, WIDTH if columns > 1 else WIDTH / 2)
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, (title, matrix) in zip(panels, matrices.items(), strict=False):
            image = _panel(
                axes, title, matrix / divisor, Normalize(0, top / divisor or 1), "magma_r"
            )
        for axes in panels[len(matrices) :]:
            axes.set_visible(False)
        _labels(panels[: len(matrices)], columns)
        bar = figure.colorbar(image, ax=panels.tolist(), shrink=0.8, aspect=25, pad=0.015)
        if measure == "utilization":
            bar.ax.yaxis.set_major_formatter(PERCENT)
        bar.set_label(
            "mean utilization of the links"
            if measure == "utilization"
            else f"mean stall time per link ({unit})"
        )
        bar.outline.set_visible(False)
    return figure


def link_shift_map(together: RunLike, alone: Mapping[str, RunLike]) -> Figure:
    """Draws the bytes per link together minus the sum of all runs alone.

    If every job ended by itself in both runs, it sent equal messages between equal nodes, and only
    the routing moves bytes. Otherwise the difference also shows more or less work.

    Args:
        together: the run of all jobs together.
        alone: the run of each job alone, by name.

    Raises:
        UsageError: if the machine has one router.
    """
    megabytes = pl.col("bytes") / 1e6
    shift = group_matrix(together, megabytes) - sum(
        group_matrix(run, megabytes) for run in alone.values()
    )
    if np.isnan(shift).all():
        raise _no_links("link-shift-map")
    reach = float(np.nanmax(np.abs(shift))) or 1.0
    with style():
        figure = new_figure(WIDTH / 2 - 0.3, WIDTH / 2 + 0.5)
        axes = figure.add_subplot()
        image = _panel(
            axes, "together minus alone", shift, TwoSlopeNorm(0, -reach, reach), "PuOr_r"
        )
        _labels([axes], 1)
        bar = figure.colorbar(image, ax=axes, shrink=0.8, aspect=25, pad=0.02)
        bar.set_label("MB per link")
        bar.outline.set_visible(False)
    return figure


def _no_links(kind: str) -> UsageError:
    return UsageError(
        f"figure {kind}: the machine has one router, hence no link between routers; name a run of a"
        " larger machine"
    )


def _panel(
    axes: Axes, title: str, matrix: NDArray[Any], norm: Normalize, colours: str
) -> AxesImage:
    image = axes.imshow(matrix, norm=norm, cmap=colours, interpolation="none")
    axes.set_title(title)
    for spine in axes.spines.values():
        spine.set_visible(False)
    ticks = np.arange(0, len(matrix), max(1, round(len(matrix) / 8)))
    axes.set_xticks(ticks)
    axes.set_yticks(ticks)
    axes.tick_params(length=2, labelsize=7.5)
    return image


def _labels(panels: Any, columns: int) -> None:
    for index, axes in enumerate(panels):
        axes.set_xlabel("to group", fontsize=8.5)
        if index % columns == 0:
            axes.set_ylabel("from group", fontsize=8.5)
