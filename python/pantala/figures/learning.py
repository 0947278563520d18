"""The estimates of q_adaptive's routers over simulated time."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pantala.figures.cuts import ShownRun, mark_cuts, time_label
from pantala.figures.runs import recorded
from pantala.figures.style import MUTED, PALETTE, new_figure, style
from pantala.run_tables.run_like import RunLike
from pantala.run_tables.skipped_time import skipped_spans, without_skipped
from pantala.text.amounts import time_unit

__all__ = ["learning"]

#: The kinds of port in the table q_learning, with their labels.
_VIA = {
    "local": "to another router of the group",
    "direct": "global link to the destination's group",
    "detour": "global link to another group",
}


def learning(run: RunLike) -> Figure:
    """Draws the estimates of q_adaptive's tables over time, one panel per kind of port.

    Solid lines show the corrected estimates, dotted lines the values that packets measured. Both
    are means over the corrections of a window in all routers. Skipped time is cut out. Kang et al.
    (HPDC 2021) show the learning of their Q-adaptive routing in the same way.

    Args:
        run: a run with `record.q_learning`.

    Raises:
        UsageError: the run recorded no learning.
    """
    frame = recorded(run, "q_learning").collect()
    kinds = [via for via in _VIA if via in set(frame["via"])]
    half = float(run.document["plan"]["record"]["window_ps"]) / 2000
    spans = skipped_spans(run)
    starts = without_skipped(spans, frame["window_start_ns"].to_numpy())
    frame = frame.with_columns(shown_ns=starts + half)
    divisor, unit = time_unit(float(starts.max()) + half)
    scale, name = time_unit(float(frame["estimate_mean_ns"].to_numpy().max()))
    with style():
        figure = new_figure(0.75 + 1.45 * len(kinds))
        panels = figure.subplots(len(kinds), sharex=True, sharey=True, squeeze=False).ravel()
        for axes, via, colour in zip(panels, kinds, PALETTE, strict=False):
            of_kind = frame.filter(pl.col("via") == via).sort("window_start_ns")
            middle = of_kind["shown_ns"].to_numpy() / divisor
            axes.plot(
                middle, of_kind["feedback_mean_ns"].to_numpy() / scale, ":", color=colour, lw=1.1
            )
            axes.plot(middle, of_kind["estimate_mean_ns"].to_numpy() / scale, color=colour)
            axes.set_title(f"{via}: {_VIA[via]}")
            axes.grid(axis="y")
            axes.margins(x=0)
        panels[0].set_ylim(bottom=0)  # of all panels, after the last: a limit ends the scaling
        key = [
            Line2D([], [], color=MUTED, lw=1.1, ls=":", label="measured"),
            Line2D([], [], color=MUTED, label="estimated"),
        ]
        figure.legend(handles=key, loc="outside upper right", ncols=2)
        mark_cuts([(axes, [ShownRun(run)]) for axes in panels], divisor)
        panels[-1].set_xlabel(time_label([run], unit))
        figure.supylabel(f"time to the destination ({name})", fontsize=9)
    return figure
