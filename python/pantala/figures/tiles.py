"""Stalls against flits, tile by tile or link by link."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, FixedLocator, NullFormatter

from pantala.analysis.hottest_links import ALL_CLASSES
from pantala.analysis.tiles import TILE_CLASSES, has_tiles, link_counters, tile_counters, tile_map
from pantala.errors import UsageError
from pantala.figures.legend import add_key
from pantala.figures.runs import Given
from pantala.figures.shown_parts import shown_parts
from pantala.figures.style import GRID, MARKERS, MUTED, PALETTE, new_figure, style
from pantala.run_tables.run_like import RunLike

__all__ = ["counters_of", "scatter_of", "stall_scatter", "stalls_and_flits"]

#: More points than this are drawn as an image inside a vector figure.
_VECTOR = 6000


def stalls_and_flits(run: RunLike) -> pl.DataFrame:
    """Returns `link`, `class`, `flits` and `stalled_flits` of each link with a flit or a stall.

    The classes are those of tiles if the routers have 48 tiles. Stalled flits are the stall time
    over the time of a flit.
    """
    moved = (pl.col("flits") > 0) | (pl.col("stall_ns") > 0)
    return counters_of(run).filter(moved).select("link", "class", "flits", "stalled_flits")


def counters_of(run: RunLike) -> pl.DataFrame:
    """Returns the counters of all tiles if the routers have 48 tiles, else of all links.

    `pantala.analysis.tiles` has the columns: those of `tile_counters` or of `link_counters`.
    """
    plan = run.document["plan"]
    links = run.links.collect()
    counters = link_counters(links, plan["derived"]["flit_time_ps"])
    if has_tiles(plan.get("topology", {})):
        return tile_counters(tile_map(links, plan["topology"]), counters)
    return counters


def stall_scatter(given: Given, alone: Mapping[str, RunLike] | None = None) -> Figure:
    """Draws each tile or link as a point: flits sent, and stalled flits, one panel per class.

    Grey lines mark equal stalls-to-flits ratios. Links without a stall lie on the horizontal axis.
    A class has no panel if none of its links stalled, but others did. The figure follows Chunduri
    et al. (IPDPS 2021), Fig. 10 and 12, whose points are the tiles of Aries routers
    (`pantala.analysis.tiles`). On machines without tiles, each link is a point. Counts are of the
    whole run; runs of different lengths say how long they lasted.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.

    Raises:
        UsageError: no link carried a packet.
    """
    shown = shown_parts(given, alone, spans=", over ")
    return scatter_of(
        {each.title: stalls_and_flits(each.run) for each in shown},
        [(each.colour, each.marker) for each in shown],
    )


def scatter_of(
    found: Mapping[str, pl.DataFrame], looks: Sequence[tuple[str, str]] | None = None
) -> Figure:
    """Draws the points of `stall_scatter`.

    Args:
        found: the rows of `stalls_and_flits` of each run, by title.
        looks: the colour and the mark of each run; by default in the order of all colours.

    Raises:
        UsageError: no link carried a packet.
    """
    classes = [
        each
        for each in (*TILE_CLASSES, *ALL_CLASSES)
        if any((frame["class"] == each).any() for frame in found.values())
    ]
    if not classes:
        raise UsageError("figure stall-scatter: no link carried a packet; name another run")
    classes = [each for each in classes if _stalls(found.values(), each)] or classes
    looks = looks or [
        (PALETTE[at % len(PALETTE)], MARKERS[at % len(MARKERS)]) for at in range(len(found))
    ]
    columns = min(2, max(1, len(classes)))
    rows = -(-max(1, len(classes)) // columns)
    with style():
        figure = new_figure(0.6 + 2.5 * rows)
        panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
        for axes in panels[len(classes) :]:
            axes.set_visible(False)
        for axes, name in zip(panels, classes, strict=False):
            for frame, look in zip(found.values(), looks, strict=True):
                _points(axes, frame.filter(pl.col("class") == name), *look)
            axes.set_title(name)
        every = pl.concat(found.values()).filter(pl.col("flits") > 0)
        flits = every["flits"].to_numpy()
        low, high = (float(flits.min()), float(flits.max())) if len(flits) else (1.0, 1.0)
        top = max(10.0, 1.5 * float(every["stalled_flits"].to_numpy().max(initial=0)))
        for axes in panels[: len(classes)]:
            axes.tick_params(labelbottom=True)
            _ratios(axes, 0.6 * low, 1.4 * high, top)
        points = "tile" if set(classes) <= set(TILE_CLASSES) else "link"
        for axes in panels[max(0, len(classes) - columns) : len(classes)]:
            axes.set_xlabel(f"flits sent by a {points}")
        figure.supylabel("stalled flits", fontsize=9)
        if len(found) > 1:
            add_key(
                figure,
                [
                    Line2D([], [], ls="", marker=marker, mfc="none", color=colour, label=title)
                    for title, (colour, marker) in zip(found, looks, strict=True)
                ],
            )
    return figure


def _stalls(frames: Iterable[pl.DataFrame], name: str) -> bool:
    of_class = pl.col("class") == name
    return any(frame.filter(of_class)["stalled_flits"].sum() > 0 for frame in frames)


def _points(axes: Axes, frame: pl.DataFrame, colour: str, marker: str) -> None:
    axes.plot(
        frame["flits"].to_numpy(),
        frame["stalled_flits"].to_numpy(),
        marker,
        ms=3,
        mfc="none",
        mew=0.6,
        alpha=0.7,
        color=colour,
        clip_on=False,
        rasterized=frame.height > _VECTOR,
    )
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=1)


def _ratios(axes: Axes, low: float, high: float, top: float) -> None:
    """Sets the limits and ticks, and adds lines of equal ratios."""
    axes.set_xlim(low, high)
    axes.set_ylim(0, top)
    for ratio in (0.001, 0.01, 0.1, 1, 10):
        axes.plot([low, high], [ratio * low, ratio * high], color=GRID, lw=0.8, zorder=0)
        # The number stands where the line leaves the panel: at the right, or at the top.
        end = (high, ratio * high) if ratio * high <= top else (top / ratio, top)
        if end[0] > 1.5 * low and end[1] > 2:
            axes.annotate(
                f"{ratio:g}",
                end,
                (-2, -2) if end[0] == high else (-4, -2),
                textcoords="offset points",
                ha="right",
                va="top" if end[0] != high else "bottom",
                fontsize=7,
                color=MUTED,
            )
    powers = 10.0 ** np.arange(0, np.ceil(np.log10(top)) + 1)
    axes.yaxis.set_major_locator(FixedLocator([0, *powers]))
    axes.yaxis.set_minor_locator(FixedLocator([]))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(EngFormatter(sep=""))
    axes.xaxis.set_minor_formatter(NullFormatter())
