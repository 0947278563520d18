"""Load, stall or saturation of each link class over simulated time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pantala.analysis.hottest_links import ALL_CLASSES
from pantala.errors import UsageError
from pantala.figures.cuts import ShownRun, mark_cuts, time_label
from pantala.figures.legend import add_key
from pantala.figures.runs import Given, recorded, refuse_without_windows
from pantala.figures.shown_parts import shown_parts
from pantala.figures.steps import stairs, steps_of
from pantala.figures.style import PERCENT, new_figure, style
from pantala.run_tables.run_like import RunLike
from pantala.run_tables.skipped_time import skipped_spans, without_skipped
from pantala.text.amounts import time_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MEASURES", "system_over_time"]

#: The measures by their column and words.
MEASURES = {
    "load": ("busy_ns", "mean share of time in which a link was sending"),
    "stall": ("stall_ns", "mean share of time in which a link stalled"),
    "saturation": ("saturated_ns", "mean share of time in which a link was saturated"),
}


def system_over_time(
    given: Given, alone: Mapping[str, RunLike] | None = None, measure: str = "load"
) -> Figure:
    """Draws the mean load, stall or saturation of each link class over time, one panel per class.

    LDMS samples such counters of a whole machine. Each run has a line; a class whose links are all
    at zero has no panel. The figure shows windows of the shortest length that the run recorded; it
    joins them if there are more than 1,000.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        measure: `load`, `stall` or `saturation`.

    Raises:
        UsageError: a run did not record its link classes.
    """
    column, words = MEASURES[measure]
    runs = shown_parts(given, alone)
    found = {each.title: _shares(each.run, column) for each in runs}
    looks = [{**each.line, "lw": 1.6} for each in runs]
    classes = [
        name
        for name in ALL_CLASSES
        if any(name in shares and shares[name].any() for _, shares in found.values())
    ]
    if not classes:
        what = "stalled" if measure == "stall" else f"has {measure}"
        raise UsageError(f"figure system-over-time: no link {what}; choose --measure load")
    divisor, unit = time_unit(max(float(edges[-1]) for edges, _ in found.values()))
    with style():
        figure = new_figure(0.75 + 1.15 * max(1, len(classes)))
        panels = figure.subplots(
            max(1, len(classes)), sharex=True, sharey=True, squeeze=False
        ).ravel()
        for axes, name in zip(panels, classes, strict=False):
            for (edges, shares), look in zip(found.values(), looks, strict=True):
                if name in shares:
                    stairs(axes, shares[name], edges / divisor, baseline=None, **look)
            axes.set_title(name)
            axes.grid(axis="y")
            axes.margins(x=0)
            axes.yaxis.set_major_formatter(PERCENT)
        panels[0].set_ylim(bottom=0)  # of all panels, after the last: a limit ends the scaling
        panels[-1].set_xlim(left=_first(found) / divisor)
        shown = [
            ShownRun(each.run, each.title if len(runs) > 1 else "", each.line["ls"])
            for each in runs
        ]
        mark_cuts([(axes, shown) for axes in panels], divisor)
        panels[-1].set_xlabel(time_label([each.run for each in runs], unit))
        figure.supylabel(words, fontsize=9)
        if len(found) > 1:
            keyed = zip(found, looks, strict=True)
            add_key(figure, [Line2D([], [], label=title, **look) for title, look in keyed])
    return figure


def _first(found: Mapping[str, tuple[NDArray[Any], dict[str, NDArray[Any]]]]) -> float:
    """Returns the start of the first window in which a link did anything."""
    starts = (
        float(edges[int(np.flatnonzero(shares)[0])])
        for edges, each in found.values()
        for shares in each.values()
        if shares.any()
    )
    return min(starts)


def _shares(run: RunLike, column: str) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:
    """Returns the edges of the windows, and the mean share of time of each class in each."""
    windows = recorded(run, "system_windows")
    refuse_without_windows(run, "system")
    frame = (
        windows.filter(
            pl.col("window_ns") == pl.col("window_ns").min(),
            pl.col("window_start_ns") < run.document["simulated_ns"],
        )
        .group_by("class", "window_start_ns", "window_ns")
        .agg(pl.col(column).sum(), pl.col(column).is_null().any().alias("unknown"), pl.max("links"))
        .collect()
    )
    if frame["unknown"].any():
        raise UsageError(
            "figure system-over-time: rows by job have no saturation; set record.system.by_job ="
            " false and run the scenario again"
        )
    spans = skipped_spans(run)
    end = float(without_skipped(spans, np.array(run.document["simulated_ns"])))
    starts = without_skipped(spans, frame["window_start_ns"].to_numpy())
    steps = steps_of(starts, float(frame["window_ns"][0]), end)
    shares = {}
    for (name,), rows in frame.group_by("class"):
        starts = without_skipped(spans, rows["window_start_ns"].to_numpy())
        times = steps.sums(starts, rows[column].to_numpy())
        shares[str(name)] = times / int(rows["links"][0]) / steps.widths_ns
    return steps.edges_ns, shares
