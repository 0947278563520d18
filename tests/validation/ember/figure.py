"""The figure of the measured cases: times of PingPong, and the errors of all cases."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from pantala.figures.style import GRID, MUTED, PALETTE, horizontal_rows, new_figure, style
from validation.ember.bars import time_limit
from validation.ember.cases import Case
from validation.ember.page import Replayed
from validation.tables import bar

__all__ = ["cases"]

#: The metrics of a row: the end of the metric's name, label, marker.
_METRICS = (
    ("simulated_end", "end of the run", "o"),
    ("total.comm.mean", "communication time", "s"),
    ("one_way", "one way (PingPong)", "D"),
    ("printed_latency", "latency (collectives)", "^"),
    ("mean_packet_latency", "packet latency (no bar)", "x"),
)

#: The axis of errors reaches at least this far, in percent.
_REACH = 6.0


def cases(replayed: Sequence[Replayed]) -> Figure:
    """Draws the one-way times of PingPong over message size, and one row of errors per case."""
    with style():
        figure = new_figure(3.2 + 0.24 * len(replayed))
        heights = [2.6, 0.24 * len(replayed)]
        times, errors = figure.subplots(2, 1, height_ratios=heights)
        _ping_pong(times, replayed)
        _errors(errors, replayed)
    return figure


def _ping_pong(axes: Axes, replayed: Sequence[Replayed]) -> None:
    sizes = {
        int(each.metric.split(".")[1].removesuffix("B")): each
        for item in replayed
        for each in item.compared
        if each.metric.endswith(".one_way")
    }
    order = sorted(sizes)
    axes.plot(order, [sizes[size].ours / 1e3 for size in order], color=PALETTE[0], label="Pantala")
    axes.plot(
        order,
        [sizes[size].theirs / 1e3 for size in order],
        "o",
        color=PALETTE[1],
        mfc="none",
        mew=1.4,
        label="SST",
    )
    axes.set_title("PingPong: eager up to 12,000 B, then rendezvous")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks([8**power for power in range(8)])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda size, _: f"{size:,.0f}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda time, _: f"{time:g}"))
    axes.set_xlabel("message (B)")
    axes.set_ylabel("one way (µs)")
    axes.grid()
    axes.legend(loc="upper left")


def _errors(axes: Axes, replayed: Sequence[Replayed]) -> None:
    reach = _REACH
    for row, item in enumerate(replayed):
        limit = 100 * time_limit(item.case)
        band, end = ("bar of the times", "end, 1 ns more or less") if row == 0 else (None, None)
        axes.barh(row, 2 * limit, left=-limit, height=0.7, color=GRID, zorder=0, label=band)
        spread = [100 * error for error in (_end(item), *item.shifted)]
        axes.plot([min(spread), max(spread)], [row, row], color=MUTED, lw=2.4, zorder=1, label=end)
        reach = max(reach, *(1.1 * abs(error) for error in spread))
    for (end, label, marker), colour in zip(_METRICS, PALETTE, strict=False):
        drawn = [
            (100 * each.error, row)
            for row, item in enumerate(replayed)
            for each in item.compared
            if each.metric.endswith(end) and not each.metric.startswith("job")
        ]
        if not drawn:
            continue
        across, down = zip(*drawn, strict=True)
        reach = max(reach, *(1.1 * abs(error) for error in across))
        axes.scatter(across, down, s=22, marker=marker, color=colour, label=label, zorder=2)
    horizontal_rows(axes, [_label(item.case) for item in replayed], range(len(replayed)))
    axes.set_xlim(-reach, reach)
    for row, item in enumerate(replayed):
        axes.text(reach, row, bar(time_limit(item.case)), color=MUTED, ha="right", va="center")
    axes.set_title("Errors of Pantala")
    axes.set_xlabel("error (%)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.35, -0.09), ncols=4)


def _end(item: Replayed) -> float:
    """Returns the error of the end of the run."""
    end = item.of("simulated_end")
    assert end is not None
    return end.error


def _label(case: Case) -> str:
    """Returns the name of a case, with its routing if it is not minimal."""
    return case.name if case.routing == "minimal" else f"{case.name} ({case.routing})"
