"""The links of highest utilization, and the jobs whose bytes they carried, as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pantala.analysis.hottest_links import ALL_CLASSES, hottest_table, link_name
from pantala.analysis.link_load import link_loads, span_in_words
from pantala.errors import UsageError
from pantala.figures.absent_links import has_links, without_links
from pantala.figures.style import (
    HATCHES,
    INK,
    MUTED,
    PERCENT,
    colours,
    horizontal_rows,
    new_figure,
    style,
)
from pantala.run_tables.run_like import RunLike, job_names

__all__ = ["hottest_links"]


def hottest_links(run: RunLike, count: int = 12, classes: Sequence[str] = ALL_CLASSES) -> Figure:
    """Draws the links of highest utilization while all jobs ran as bars, divided by job.

    A tick marks the utilization in the peak window of the link.

    Args:
        run: the run.
        count: the maximum number of links.
        classes: the link classes to include.

    Raises:
        UsageError: the machine has no links of these classes, or none carried a packet.
    """
    links = hottest_table(run, count, classes).to_dicts()
    if not links:
        if not has_links(run, classes):
            raise UsageError(without_links("hottest-links", classes))
        raise UsageError(
            f"figure hottest-links: no link of {', '.join(classes)} carried a packet; name another"
            " --class or another run"
        )
    names = job_names(run)
    fill: dict[str, dict[str, Any]] = {
        name: {
            "facecolor": colour,
            "edgecolor": "#ffffff",
            "linewidth": 0.0,
            "hatch": HATCHES[at % len(HATCHES)],
        }
        for at, (name, colour) in enumerate(colours(names.values()).items())
    }
    with style():
        figure = new_figure(0.85 + 0.25 * len(links))
        axes = figure.add_subplot()
        for y, link in enumerate(links):
            start = 0.0
            for job, name in names.items():
                share = link[f"job_{job}_share"]
                if share is not None:
                    axes.barh(y, share * link["utilization"], 0.7, start, **fill[name])
                    start += share * link["utilization"]
            if start == 0.0:
                axes.barh(y, link["utilization"], 0.7, color=MUTED)
            if link["peak_utilization"] is not None:
                axes.plot(
                    [link["peak_utilization"]] * 2,
                    [y - 0.35, y + 0.35],
                    color=INK,
                    lw=2,
                    solid_capstyle="butt",
                )
        horizontal_rows(axes, [link_name(link) for link in links], range(len(links)))
        axes.xaxis.set_major_formatter(PERCENT)
        axes.set_xlim(left=0)
        axes.set_xlabel(f"utilization {span_in_words(link_loads(run), len(names))}")
        key: list[Artist] = [Patch(**fill[name], label=name) for name in names.values()]
        if any(link["peak_utilization"] is not None for link in links):
            key.append(
                Line2D(
                    [], [], color=INK, ls="", marker="|", ms=9, mew=2, label="in its peak window"
                )
            )
        figure.legend(handles=key, loc="outside upper left", ncols=min(len(key), 6))
    return figure
