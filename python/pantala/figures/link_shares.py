"""Distributions over links: traffic and saturation time by link class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pantala.errors import UsageError
from pantala.figures.legend import add_key
from pantala.figures.runs import Given, parts, recorded
from pantala.figures.style import DASHES, PALETTE, new_figure, style
from pantala.run_tables.link_classes import INSIDE_GROUPS
from pantala.run_tables.run_like import RunLike
from pantala.text.amounts import size_unit, time_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PANELS", "saturation_shares", "shares_of", "traffic_shares"]

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
    """
    values = {
        title: run.links.select("class", value=pl.col("bytes").cast(pl.Float64)).collect()
        for title, run in parts(given, alone).items()
    }
    divisor, unit = size_unit(_most(values))
    return _draw(values, divisor, f"traffic of a link ({unit})")


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
    values = {}
    for title, run in parts(given, alone).items():
        whole = [pl.col(name).is_null() for name in ("vc", "job", "kind")]
        windows = recorded(run, "port_windows").filter(*whole)
        length = windows.select(pl.col("window_ns").max()).collect().item()
        if length is None:
            raise UsageError(
                f"{title}: record.ports splits every row, and saturation times of parts have no"
                " sum; remove record.ports.split and run the scenario again"
            )
        # Windows of several lengths cover the same time.
        time = (
            windows.filter(pl.col("window_ns") == length)
            .group_by("link")
            .agg(value=pl.col("saturated_ns").sum())
        )
        values[title] = (
            run.links.select("link", "class")
            .join(time, on="link", how="left")
            .with_columns(pl.col("value").fill_null(0.0))
            .collect()
        )
    divisor, unit = time_unit(_most(values))
    return _draw(values, divisor, f"saturation time of a link ({unit})")


def _most(values: Mapping[str, pl.DataFrame]) -> float:
    return max(float(frame["value"].to_numpy().max(initial=0)) for frame in values.values())


def _draw(values: Mapping[str, pl.DataFrame], divisor: float, label: str) -> Figure:
    return shares_of(
        {
            name: {
                title: frame.filter(pl.col("class").is_in(classes))["value"].to_numpy() / divisor
                for title, frame in values.items()
            }
            for name, classes in PANELS.items()
        },
        label,
    )


def shares_of(
    panels: Mapping[str, Mapping[str, NDArray[Any]]],
    label: str,
    columns: int = len(PANELS),
    looks: Mapping[str, dict[str, Any]] | None = None,
    what: str = "links",
) -> Figure:
    """Draws the share of links with at most x: a panel per title, a line per run.

    Args:
        panels: the values of each line, in one unit.
        label: what the values are, with the unit.
        columns: the number of panels beside each other.
        looks: the colour and dashes of each line; then every column of panels has its own scale.
        what: what has the values.
    """
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    shared: Literal["col"] | bool = "col"
    if looks is None:
        shared = True
        titles = dict.fromkeys(title for lines in panels.values() for title in lines)
        looks = {
            title: {"color": PALETTE[at % len(PALETTE)], "ls": DASHES[at % len(DASHES)]}
            for at, title in enumerate(titles)
        }
    with style():
        figure = new_figure(0.9 + 2.0 * rows)
        grid = figure.subplots(rows, columns, sharex=shared, sharey=True, squeeze=False)
        for axes in grid.ravel()[len(panels) :]:
            axes.set_visible(False)
        for axes, (name, lines) in zip(grid.ravel(), panels.items(), strict=False):
            for title, values in lines.items():
                if len(values):
                    rising = np.sort(values)
                    share = np.arange(len(rising) + 1) / len(rising)
                    at = np.append(rising[:1], rising)
                    axes.step(at, share, where="post", **looks[title])
            axes.set_title(name)
            axes.grid()
        grid[0][0].set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
        for axes in grid[0]:  # after the last panel: a limit ends the scaling
            axes.set_xlim(left=0)
        grid[0][0].set_ylim(0, 1)
        for row in grid:
            row[0].set_ylabel(f"share of {what}")
        grid[-1][columns // 2].set_xlabel(label)
        if len(looks) > 1:
            fit = 6 if max(map(len, looks)) <= _SHORT else 3
            lines_of = [Line2D([], [], label=name, **look) for name, look in looks.items()]
            add_key(figure, lines_of, fit)
    return figure
