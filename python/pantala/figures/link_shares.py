"""Distributions over links: traffic and saturation time by link class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pantala.errors import UsageError
from pantala.figures.legend import add_key
from pantala.figures.runs import Given, recorded
from pantala.figures.shown_parts import ShownPart, shown_parts
from pantala.figures.style import new_figure, style
from pantala.run_tables.link_classes import INSIDE_GROUPS
from pantala.run_tables.run_like import RunLike
from pantala.text.amounts import size_unit, time_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PANELS", "by_column", "saturation_shares", "shares_of", "traffic_shares"]

#: The characters of an entry of the key of which six fit beside each other.
_SHORT = 18
#: The kinds of links, a panel each, with their classes.
PANELS = {
    "terminal": ("injection", "ejection"),
    "inside groups": INSIDE_GROUPS,
    "global": ("global",),
}


def traffic_shares(given: Given, alone: Mapping[str, RunLike] | None = None) -> Figure:
    """Draws the share of links that carried at most x bytes, one panel per kind of link.

    The figure follows Yang et al. (SC16), Fig. 2 (a) to (c).

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.

    Raises:
        UsageError: no link carried a packet.
    """
    shown = shown_parts(given, alone)
    values = [
        each.run.links.select("class", value=pl.col("bytes").cast(pl.Float64)).collect()
        for each in shown
    ]
    if not _most(values):
        raise UsageError("figure traffic-shares: no link carried a packet; name another run")
    divisor, unit = size_unit(_most(values))
    return _draw(shown, values, divisor, f"traffic of a link ({unit})")


def saturation_shares(given: Given, alone: Mapping[str, RunLike] | None = None) -> Figure:
    """Draws the share of links that were saturated for at most x, one panel per kind of link.

    A port is saturated while the buffer of one of its virtual channels lacks room for a packet of
    maximum size. The figure follows Yang et al. (SC16), Fig. 2 (d) to (f).

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.

    Raises:
        UsageError: a run recorded no ports, or only parts of them.
    """
    shown = shown_parts(given, alone)
    values = []
    for each in shown:
        run = each.run
        whole = [pl.col(name).is_null() for name in ("vc", "job", "kind")]
        windows = recorded(run, "port_windows").filter(*whole)
        length = windows.select(pl.col("window_ns").max()).collect().item()
        if length is None:
            raise UsageError(
                f"{each.title}: record.ports splits every row, and saturation times of parts have"
                " no sum; remove record.ports.split and run the scenario again"
            )
        # Windows of several lengths cover the same time.
        time = (
            windows.filter(pl.col("window_ns") == length)
            .group_by("link")
            .agg(value=pl.col("saturated_ns").sum())
        )
        values.append(
            run.links.select("link", "class")
            .join(time, on="link", how="left")
            .with_columns(pl.col("value").fill_null(0.0))
            .collect()
        )
    divisor, unit = time_unit(_most(values))
    return _draw(shown, values, divisor, f"saturation time of a link ({unit})")


def _most(values: Sequence[pl.DataFrame]) -> float:
    return max(float(frame["value"].to_numpy().max(initial=0)) for frame in values)


def _draw(
    shown: Sequence[ShownPart], values: Sequence[pl.DataFrame], divisor: float, label: str
) -> Figure:
    return shares_of(
        {
            name: {
                each.title: frame.filter(pl.col("class").is_in(classes))["value"].to_numpy()
                / divisor
                for each, frame in zip(shown, values, strict=True)
            }
            for name, classes in PANELS.items()
        },
        label,
        {each.title: each.line for each in shown},
    )


def by_column(panels: Iterable[str], columns: int = len(PANELS)) -> dict[str, str]:
    """Returns the scales of panels of which those below each other share one."""
    return {name: str(at % columns) for at, name in enumerate(panels)}


def shares_of(
    panels: Mapping[str, Mapping[str, NDArray[Any]]],
    label: str,
    looks: Mapping[str, dict[str, Any]],
    scales: Mapping[str, str] | None = None,
    columns: int = len(PANELS),
    what: str = "links",
) -> Figure:
    """Draws the share of links with at most x: a panel per title, a line per run.

    Args:
        panels: the values of each line, in one unit.
        label: what the values are, with the unit.
        looks: the colour and dashes of each line.
        scales: by panel, what it shares its scale with; all share one by default.
        columns: the number of panels beside each other.
        what: what has the values.
    """
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    scale = [(scales or {}).get(name, "") for name in panels]
    with style():
        figure = new_figure(0.9 + 2.0 * rows)
        grid = figure.subplots(rows, columns, sharey=True, squeeze=False)
        every = list(grid.ravel())
        for axes in every[len(panels) :]:
            axes.set_visible(False)
        by_columns = scale[:-columns] == scale[columns:]
        for place, own in enumerate(scale):
            every[place].sharex(every[scale.index(own)])
            lowest = place + columns >= len(panels)
            every[place].tick_params(labelbottom=lowest or not by_columns)
        for axes, (name, lines) in zip(grid.ravel(), panels.items(), strict=False):
            for title, values in lines.items():
                if len(values):
                    rising = np.sort(values)
                    share = np.arange(len(rising) + 1) / len(rising)
                    at = np.append(rising[:1], rising)
                    axes.step(at, share, where="post", **looks[title])
            drawn = [values for values in lines.values() if len(values)]
            if drawn and not any(np.any(values) for values in drawn):  # a line on the frame
                middle = {"ha": "center", "va": "center", "transform": axes.transAxes}
                axes.text(0.5, 0.5, "all are 0", **middle)
            axes.set_title(name)
            axes.grid()
        grid[0][0].set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
        for own in set(scale):  # after the last panel: a limit ends the scaling
            every[scale.index(own)].set_xlim(left=0)
        grid[0][0].set_ylim(0, 1)
        for row in grid:
            row[0].set_ylabel(f"share of {what}")
        last = len(panels) - (rows - 1) * columns
        grid[-1][min(columns // 2, last - 1)].set_xlabel(label)
        if len(looks) > 1:
            fit = 6 if max(map(len, looks)) <= _SHORT else 3
            lines_of = [Line2D([], [], label=name, **look) for name, look in looks.items()]
            add_key(figure, lines_of, fit)
    return figure
