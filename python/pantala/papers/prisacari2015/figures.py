"""Figure 3 of the paper, panel by panel: measured values as points, models as lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from pantala.figures.style import INK, MUTED, PALETTE, PERCENT, new_figure, style
from pantala.papers.prisacari2015.evidence import Evidence, Result
from pantala.papers.prisacari2015.model import IDEAL, estimate
from pantala.papers.prisacari2015.runs import (
    ANY,
    MINIMAL,
    PATTERNS,
    RANDOMISED,
    RESTRICTED,
    Configuration,
    Size,
)

__all__ = ["PANELS", "Panel", "draw", "draw_all", "in_words"]


@dataclass(frozen=True)
class Panel:
    """One panel of the paper's figure 3.

    Attributes:
        letter: a to f.
        pattern: one of `PATTERNS`.
        configurations: the configurations that it shows as points.
        estimate: whether it shows equation (4).
        title: its title.
    """

    letter: str
    pattern: str
    configurations: tuple[Configuration, ...]
    estimate: bool
    title: str

    @property
    def key(self) -> str:
        """The name of the panel in files and ids."""
        return f"figure-3{self.letter}"


_LIMITED, _OPTIMISED = (MINIMAL, RESTRICTED), (ANY, RANDOMISED)

#: The panels, in the paper's order.
PANELS = tuple(
    Panel(
        "abcdef"[2 * row + column],
        pattern,
        (_LIMITED, _OPTIMISED)[column],
        column == 0,
        f"{title}, {words}",
    )
    for row, (pattern, title) in enumerate(PATTERNS.items())
    for column, words in enumerate(("limited by a bottleneck", "the bottleneck relieved"))
)

_COLOURS = {MINIMAL: PALETTE[0], RESTRICTED: PALETTE[1], ANY: PALETTE[2], RANDOMISED: PALETTE[3]}
_POINT: dict[str, Any] = {"ms": 5.5, "mec": "white", "mew": 0.6}
_MARKERS = {MINIMAL: "s", RESTRICTED: "o", ANY: "D", RANDOMISED: "^"}


def draw(panel: Panel, evidence: Evidence) -> Figure:
    """Returns one panel as a figure."""
    with style():
        figure = new_figure(3.5, 5.4)
        axes = figure.subplots()
        _fill(axes, panel, evidence)
        _label(axes)
        figure.legend(handles=_handles([panel], evidence), loc="outside lower center", ncols=2)
    return figure


def draw_all(evidence: Evidence) -> Figure:
    """Returns all six panels as one figure, as in the paper."""
    with style():
        figure = new_figure(9.2)
        grid = figure.subplots(3, 2, sharex=True, sharey=True)
        for axes, panel in zip(grid.ravel(), PANELS, strict=True):
            _fill(axes, panel, evidence)
        for axes in grid[-1]:
            axes.set_xlabel(_X)
        for axes in grid[:, 0]:
            axes.set_ylabel(_Y)
        figure.legend(handles=_handles(PANELS, evidence), loc="outside lower center", ncols=3)
    return figure


_X = "nodes of the balanced Dragonfly"
_Y = "throughput (share of injection)"


def _label(axes: Axes) -> None:
    axes.set_xlabel(_X)
    axes.set_ylabel(_Y)


def _fill(axes: Axes, panel: Panel, evidence: Evidence) -> None:
    """Draws a panel: measurements with confidence intervals, exact model, equation (4), ideal."""
    sizes = evidence.sizes
    places = [size.nodes for size in sizes]
    axes.axhline(IDEAL, color=MUTED, lw=1.0)
    if panel.estimate:
        axes.plot(places, [estimate(size) for size in sizes], color=INK, lw=1.2, ls=(0, (5, 2)))
    for configuration in panel.configurations:
        colour = _COLOURS[configuration]
        results = [evidence.get(size, panel.pattern, configuration) for size in sizes]
        axes.plot(places, [r.prediction.saturation for r in results], color=colour, lw=1.4)
        if _differs(results):
            axes.plot(
                places,
                [r.prediction.between_groups for r in results],
                color=colour,
                lw=1.0,
                ls=(0, (1, 1)),
            )
        axes.errorbar(
            places,
            [result.accepted for result in results],
            [result.record["half_width"] for result in results],
            color=colour,
            fmt=_MARKERS[configuration],
            **_POINT,
            elinewidth=1.0,
            zorder=4,
            clip_on=False,
        )
    axes.set_title(f"({panel.letter}) {panel.title}")
    axes.set_xscale("log")
    axes.set_xlim(places[0] / 1.25, places[-1] * 1.25)
    axes.set_xticks(places, [_tick(size) for size in sizes])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_ylim(0, 0.55)
    axes.yaxis.set_major_locator(FixedLocator([0, 0.1, 0.2, 0.3, 0.4, 0.5]))
    axes.yaxis.set_major_formatter(PERCENT)
    axes.grid(axis="y")


def _tick(size: Size) -> str:
    nodes = size.nodes
    if nodes < 1000:
        return f"{nodes}"
    return f"{nodes / 1000:.{0 if nodes >= 10_000 else 1}f} k"


def _differs(results: Sequence[Result]) -> bool:
    return any(abs(r.prediction.saturation - r.prediction.between_groups) > 1e-9 for r in results)


def _handles(panels: Sequence[Panel], evidence: Evidence) -> list[Line2D]:
    """Returns the legend of panels: the entries that one of them shows."""
    shown = list(
        dict.fromkeys(configuration for panel in panels for configuration in panel.configurations)
    )
    handles = [
        Line2D(
            [], [], color=_COLOURS[each], marker=_MARKERS[each], **_POINT, ls="", label=each.title
        )
        for each in shown
    ]
    first = _COLOURS[shown[-1]]
    handles.append(Line2D([], [], color=first, lw=1.4, label="exact model: first link full"))
    if any(_differs(list(evidence.of(c, [p.pattern]))) for p in panels for c in p.configurations):
        label = "exact model, traffic between groups only"
        handles.append(Line2D([], [], color=first, lw=1.0, ls=(0, (1, 1)), label=label))
    if any(panel.estimate for panel in panels):
        handles.append(
            Line2D([], [], color=INK, lw=1.2, ls=(0, (5, 2)), label="equation (4): 3/(4p)")
        )
    handles.append(Line2D([], [], color=MUTED, lw=1.0, label="uniform traffic at best: 50 %"))
    return handles


def in_words(panel: Panel, evidence: Evidence) -> str:
    """Returns a description of the panel in words, as alternative text."""
    parts = []
    for configuration in panel.configurations:
        results = [evidence.get(size, panel.pattern, configuration) for size in evidence.sizes]
        values = ", ".join(
            f"{result.spec.size.nodes:,} nodes {100 * result.accepted:.1f} %" for result in results
        )
        parts.append(f"{configuration.title}: {values}.")
    return f"Throughput of {panel.title}. " + " ".join(parts)
