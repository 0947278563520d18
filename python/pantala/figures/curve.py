"""Latency and accepted throughput over offered load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pantala.figures.style import GRID, MUTED, colours, new_figure, style
from pantala.runs.curve_states import STATES
from pantala.text.amounts import time_unit

__all__ = ["curve"]

Points = Sequence[Mapping[str, Any]]
_WORDS = {"mean": "mean", "p50": "median", "p95": "95th percentile of", "p99": "99th percentile of"}


def curve(
    series: Mapping[str, Points], statistic: Literal["mean", "p50", "p95", "p99"] = "mean"
) -> Figure:
    """Draws latency (left) and accepted throughput (right) over offered load, one line per series.

    Points that show no steady state depend on the measured window. They are hollow, the line to
    them is dotted, and the key names their states: saturated, draining, collapsing, filling or
    learning. A point above the latency axis is drawn as a triangle at the top of the axis.

    Points of several seeds have vertical bars: the 95 % intervals of the means.

    Args:
        series: the name of each line and its points. A point has `load`, `accepted`, `saturated`,
            `state` (may be absent) and `latency_*_ns`, as ``pantala curve --json`` prints them.
        statistic: the latency to draw.
    """
    key = f"latency_{statistic}_ns"
    ordered = {
        name: sorted(points, key=lambda point: point["load"]) for name, points in series.items()
    }
    top = _top(ordered, key)
    divisor, unit = time_unit(top)
    with style():
        figure = new_figure(3.4)
        latency, accepted = figure.subplots(1, 2)
        for name, colour in colours(ordered).items():
            _line(latency, ordered[name], key, colour, 1 / divisor, top)
            _line(accepted, ordered[name], "accepted", colour, 1.0, float("inf"))
        latency.set_ylim(0, top * 1.06 / divisor)
        latency.set_ylabel(f"{_WORDS[statistic]} packet latency ({unit})")
        reach = max((point["load"] for points in ordered.values() for point in points), default=1.0)
        accepted.plot([0, reach], [0, reach], color=GRID, lw=1.2, zorder=0)
        accepted.set_ylim(bottom=0)
        accepted.set_ylabel("accepted throughput")
        for axes in (latency, accepted):
            axes.set_xlim(0, reach * 1.04)
            axes.set_xlabel("offered load")
            axes.grid()
        handles = [
            Line2D([], [], color=c, marker="o", ms=4, label=name)
            for name, c in colours(ordered).items()
        ]
        states = {_state(point) for points in ordered.values() for point in points} - {"steady"}
        if states:
            label = ", ".join(state for state in STATES if state in states)
            handles.append(
                Line2D([], [], color=MUTED, ls=":", marker="o", mfc="white", ms=4, label=label)
            )
        if any(
            point[key] is not None and point[key] > top
            for points in ordered.values()
            for point in points
        ):
            label = "above the axis"
            handles.append(
                Line2D([], [], color=MUTED, ls="", marker="^", mfc="white", ms=5, label=label)
            )
        handles.append(Line2D([], [], color=GRID, lw=1.2, label="accepted = offered"))
        figure.legend(handles=handles, loc="outside upper left", ncols=min(5, len(handles)))
    return figure


def _state(point: Mapping[str, Any]) -> str:
    """Returns the state of a point; that of a file without states follows from `saturated`."""
    return str(point.get("state") or ("saturated" if point["saturated"] else "steady"))


def _top(series: Mapping[str, Points], key: str) -> float:
    """Returns the top of the latency axis in ns.

    All steady points fit below it, and other points up to three times the highest steady one.
    """
    known = [point for points in series.values() for point in points if point[key] is not None]
    highest = max((float(point[key]) for point in known), default=1.0)
    steady = [float(point[key]) for point in known if _state(point) == "steady"]
    return min(highest, 3 * max(steady)) if steady else highest


def _line(axes: Axes, points: Points, key: str, colour: str, scale: float, top: float) -> None:
    known = [
        (point["load"], float(point[key]), _state(point))
        for point in points
        if point[key] is not None
    ]
    for (x0, y0, _), (x1, y1, state) in pairwise(known):
        line = "-" if state == "steady" else ":"
        axes.plot([x0, x1], [y0 * scale, y1 * scale], color=colour, ls=line)
    for point in points:
        interval = (point.get("intervals") or {}).get(key)
        if interval is not None and interval[1] <= top:
            low, high = (each * scale for each in interval)
            axes.plot([point["load"]] * 2, [low, high], "_-", color=colour, ms=5, lw=1.2, zorder=2)
    for x, y, state in known:
        above = y > top
        axes.plot(
            x,
            min(y, top * 1.03) * scale,
            "^" if above else "o",
            color=colour,
            mfc=colour if state == "steady" else "white",
            ms=5 if above else 4.5,
            zorder=3,
            clip_on=False,
        )
