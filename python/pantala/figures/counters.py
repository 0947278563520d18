"""Counters of the whole machine, before and after: flits, stalls and their ratio over windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from pantala.errors import UsageError
from pantala.figures.runs import Given, recorded
from pantala.figures.shown_parts import shown_parts
from pantala.figures.style import INK, PALETTE, horizontal_rows, new_figure, style
from pantala.run_tables.link_classes import NETWORK
from pantala.run_tables.run_like import RunLike

__all__ = ["COUNTERS", "counter_boxes", "system_counters", "windows_of"]

#: The counters of a window, with their words.
COUNTERS = {
    "flits": "flits per window",
    "stalled_flits": "stalled flits per window",
    "stalls_to_flits": "stalls-to-flits ratio",
}
_COUNTS = ("flits", "stalled_flits")


def windows_of(
    rows: pl.DataFrame, flit_time_ps: Mapping[str, int], keys: Sequence[str] = ()
) -> pl.DataFrame:
    """Returns flits, stalled flits and their ratio in each window, over all given rows.

    Windows without a flit and the last one, which may be shorter, are left out.

    Args:
        rows: rows of `system_windows` of one length of windows, with ``class``, ``flits`` and
            ``stall_ns``.
        flit_time_ps: the time of a flit by link class.
        keys: columns that tell runs apart.
    """
    times = {name: time / 1000 for name, time in flit_time_ps.items()}
    times |= dict.fromkeys(("injection", "ejection"), times["terminal"])
    stalled = pl.col("stall_ns") / pl.col("class").replace_strict(times, return_dtype=pl.Float64)
    found = (
        rows.with_columns(stalled_flits=stalled)
        .group_by(*keys, "window_start_ns", maintain_order=True)
        .agg(pl.col("flits", "stalled_flits").sum())
        .filter(pl.col("flits") > 0)
    )
    last = pl.col("window_start_ns").max()
    found = found.filter(pl.col("window_start_ns") < (last.over(keys) if keys else last))
    return found.with_columns(stalls_to_flits=pl.col("stalled_flits") / pl.col("flits"))


def system_counters(
    given: Given,
    alone: Mapping[str, RunLike] | None = None,
    classes: Sequence[str] = NETWORK,
) -> Figure:
    """Draws flits, stalled flits and their ratio over windows of time, a box per run.

    The counters are sums over all links of the chosen classes, as LDMS samples them on a machine.
    Two runs are, for example, a machine before and after a change of its default routing. Chunduri
    et al. (IPDPS 2021), V.C and Fig. 13.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        classes: the link classes that count.

    Raises:
        UsageError: a run did not record its link classes in windows.
    """
    found, shades = {}, {}
    for each in shown_parts(given, alone, spans=", over "):
        title, run = each.title, each.run
        shades[title] = each.colour
        rows = (
            recorded(run, "system_windows")
            .filter(pl.col("window_ns") == pl.col("window_ns").min())
            .filter(pl.col("class").is_in(classes))
            .collect()
        )
        found[title] = windows_of(rows, run.document["plan"]["derived"]["flit_time_ps"])
        if found[title].is_empty():
            raise UsageError(
                f"figure system-counters: {title} has no two windows with a flit on these links;"
                ' set shorter record.system.windows, such as ["10 us"], and run the scenario again'
            )
    return counter_boxes({title: (title, rows) for title, rows in found.items()}, shades)


def counter_boxes(
    found: Mapping[str, tuple[str, pl.DataFrame]], colours: Mapping[str, str] | None = None
) -> Figure:
    """Draws the boxes of `system_counters`: quartiles, median, extremes.

    Args:
        found: for each row its label and its rows of `windows_of`.
        colours: the colour of each row.
    """
    with style():
        figure = new_figure(1.2 + 0.5 * len(found))
        panels = figure.subplots(1, len(COUNTERS), sharey=True)
        for axes, (column, words) in zip(panels, COUNTERS.items(), strict=True):
            for at, (name, (_, rows)) in enumerate(found.items()):
                colour = (colours or {}).get(name, PALETTE[at % len(PALETTE)])
                values = rows[column].to_numpy()
                low, first, median, third, high = np.quantile(values, (0, 0.25, 0.5, 0.75, 1))
                axes.plot([low, high], [at, at], color=colour, lw=1.2, zorder=1)
                axes.barh(at, third - first, 0.6, first, color=colour, alpha=0.5)
                axes.plot([median] * 2, [at - 0.3, at + 0.3], color=INK, lw=2)
            axes.set_xlim(left=0)
            if column in _COUNTS:
                axes.xaxis.set_major_formatter(EngFormatter(sep=""))
            axes.set_xlabel(words)
            axes.grid(axis="x")
        labels = [label for label, _ in found.values()]
        horizontal_rows(panels[0], labels, range(len(found)))
        for axes in panels[1:]:
            axes.tick_params(axis="y", length=0)
            axes.spines["left"].set_visible(False)
    return figure
