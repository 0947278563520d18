"""The figures of the validation page: a peer's runs as points, Pantala's as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from pantala.figures.style import GRID, MUTED, PALETTE, new_figure, style
from validation.peers import Series

__all__ = ["learning", "peer"]

#: A series, and Pantala's results by load, at the series' loads and between them.
Drawn = tuple[Series, Mapping[float, Mapping[str, Any]]]

#: If less than this share of the load is accepted, the network is still filling, not steady.
STEADY = 0.97


def peer(title: str, drawn: Sequence[Drawn]) -> Figure:
    """Draws latency and accepted throughput over offered load, with one row of panels per pattern.

    A pattern with many series has one row per routing.
    """
    panels = _panels(drawn)
    with style():
        figure = new_figure(0.35 + 2.6 * len(panels))
        grid = figure.subplots(len(panels), 2, squeeze=False)
        for (heading, lines), (latency, accepted) in zip(panels, grid, strict=True):
            _panel(heading, lines, latency, accepted)
        handles = [
            Line2D([], [], color=MUTED, marker=".", ms=4, label="Pantala"),
            Line2D([], [], color=MUTED, ls=":", label="Pantala, not steady"),
            Line2D([], [], color=MUTED, ls="", marker="o", mfc="none", label=title),
        ]
        figure.legend(handles=handles, loc="outside upper left", ncols=3)
    return figure


def learning(theirs: Mapping[int, float], ours: Mapping[int, float]) -> Figure:
    """Draws the accepted throughput of SST and Pantala at the end of each step, time in us."""
    with style():
        figure = new_figure(2.6)
        axes = figure.add_subplot()
        axes.plot(list(ours), list(ours.values()), color=PALETTE[0], label="Pantala")
        axes.plot(
            list(theirs),
            list(theirs.values()),
            "o",
            color=PALETTE[0],
            mfc="none",
            mew=1.4,
            label="SST",
        )
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("time (µs)")
        axes.set_ylabel("accepted throughput")
        axes.grid()
        figure.legend(loc="outside upper left", ncols=2)
    return figure


def _panels(drawn: Sequence[Drawn]) -> list[tuple[str, list[tuple[str, Drawn]]]]:
    """Returns the series by pattern, and by routing if a pattern has more series than colours."""
    panels = []
    by_pattern = sorted(drawn, key=lambda item: item[0].pattern, reverse=True)  # uniform first
    for pattern, items in groupby(by_pattern, key=lambda item: item[0].pattern):
        group = list(items)
        if len(group) <= len(PALETTE):
            panels.append((pattern, [(_name(item[0], whole=True), item) for item in group]))
            continue
        by_routing = sorted(group, key=lambda item: item[0].routing)
        for routing, some in groupby(by_routing, key=lambda item: item[0].routing):
            panels.append(
                (f"{pattern}, {routing}", [(_name(item[0], whole=False), item) for item in some])
            )
    return panels


def _name(series: Series, *, whole: bool) -> str:
    settings = "/".join(series.settings)
    return " ".join([series.routing, settings]).strip() if whole else settings


def _panel(heading: str, lines: Sequence[tuple[str, Drawn]], latency: Axes, accepted: Axes) -> None:
    for (name, (series, ours)), colour in zip(lines, PALETTE, strict=False):
        _line(series, ours, latency, "latency_mean_ns", colour)
        _line(series, ours, accepted, "accepted", colour)
        accepted.plot([], [], color=colour, label=name)
    reach = max(point.load for _, (series, _) in lines for point in series.points)
    accepted.plot([0, reach], [0, reach], color=GRID, lw=1.2, zorder=0)
    accepted.legend(loc="upper left", labelspacing=0.3)
    accepted.set_ylim(bottom=0)
    accepted.set_ylabel("accepted throughput")
    latency.set_title(heading)
    latency.set_ylabel(f"mean packet latency ({lines[0][1][0].peer.unit})")
    latency.set_yscale("log")
    latency.set_ylim(*_span(lines))
    latency.yaxis.set_major_locator(LogLocator(10, (1, 2, 5)))
    latency.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    latency.yaxis.set_minor_locator(NullLocator())
    for axes in (latency, accepted):
        axes.set_xlim(0, reach * 1.04)
        axes.set_xlabel("offered load")
        axes.grid()


def _line(
    series: Series, ours: Mapping[float, Mapping[str, Any]], axes: Axes, key: str, colour: str
) -> None:
    for low, high in pairwise(sorted(ours)):
        filling = ours[high]["accepted"] < STEADY * high
        axes.plot(
            [low, high], [ours[low][key], ours[high][key]], color=colour, ls=":" if filling else "-"
        )
    loads = [point.load for point in series.points]
    axes.plot(loads, [ours[load][key] for load in loads], ".", color=colour, ms=3.5)
    axes.plot(
        loads,
        [point.theirs[key] for point in series.points],
        "o",
        color=colour,
        mfc="none",
        mew=1.2,
        ms=6.5,
    )


def _span(lines: Sequence[tuple[str, Drawn]]) -> tuple[float, float]:
    """Returns the range of the latency axis, which covers all of the peer's values."""
    theirs = [
        point.theirs["latency_mean_ns"] for _, (series, _) in lines for point in series.points
    ]
    return 0.8 * min(theirs), 1.3 * max(theirs)
