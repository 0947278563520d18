"""The links of highest utilization, and the jobs whose bytes they carried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pantala.errors import UsageError
from pantala.figures.link_load import link_loads
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
from pantala.run_tables.link_classes import INSIDE_GROUPS, NETWORK
from pantala.run_tables.run_like import RunLike, job_names, table

__all__ = ["ALL_CLASSES", "hottest_links", "hottest_table", "link_name"]

#: All classes of links, terminal links included.
ALL_CLASSES = ("injection", "ejection", *NETWORK)


def hottest_table(
    run: RunLike, count: int = 12, classes: Sequence[str] = ALL_CLASSES
) -> pl.DataFrame:
    """Returns the links of highest utilization while all jobs ran, the highest first.

    The columns are those of `link_loads`, and one column per job, `job_<number>_share`: the job's
    share of the link's bytes over the whole run. It is null if `link_jobs` was not recorded. Links
    that carried nothing are left out. Ties go to the lower link number.

    Args:
        run: the run.
        count: the maximum number of rows.
        classes: the link classes to include.
    """
    links = (
        link_loads(run)
        .links.filter(pl.col("class").is_in(classes), pl.col("bytes") > 0)
        .sort(["utilization", "link"], descending=[True, False])
        .head(count)
    )
    by_job = table(run, "link_jobs")
    for job in job_names(run):
        share = pl.lit(None, pl.Float64)
        if by_job is not None:
            carried = by_job.with_columns(_all=pl.col("bytes").sum().over("link"))
            of_job = carried.filter(pl.col("job") == job).select(
                "link", _share=pl.col("bytes") / pl.col("_all")
            )
            links = links.join(of_job.collect(), on="link", how="left", maintain_order="left")
            share = pl.col("_share").fill_null(0.0)
        links = links.with_columns(share.alias(f"job_{job}_share")).drop("_share", strict=False)
    return links


def link_name(link: dict[str, object]) -> str:
    """Returns the name of a row of `links`: its class and its ends."""
    kind = link["class"]
    if kind == "global":
        groups = f"group {link['source_group']} → {link['target_group']}"
        return f"global, {groups} (router {link['source_router']} → {link['target_router']})"
    if kind in INSIDE_GROUPS:
        return (
            f"{kind}, group {link['source_group']} (router {link['source_router']} →"
            f" {link['target_router']})"
        )
    ends = f"node {link['node']} → router {link['target_router']}"
    if kind == "ejection":
        ends = f"router {link['source_router']} → node {link['node']}"
    return f"{kind}, {ends}"


def hottest_links(run: RunLike, count: int = 12, classes: Sequence[str] = ALL_CLASSES) -> Figure:
    """Draws the links of highest utilization while all jobs ran as bars, divided by job.

    A tick marks the utilization in the peak window of the link.

    Args:
        run: the run.
        count: the maximum number of links.
        classes: the link classes to include.

    Raises:
        UsageError: no link of these classes carried a packet.
    """
    links = hottest_table(run, count, classes).to_dicts()
    if not links:
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
        axes.set_xlabel("utilization")
        key: list[Artist] = [Patch(**fill[name], label=name) for name in names.values()]
        if any(link["peak_utilization"] is not None for link in links):
            key.append(
                Line2D(
                    [], [], color=INK, ls="", marker="|", ms=9, mew=2, label="in its peak window"
                )
            )
        figure.legend(handles=key, loc="outside upper left", ncols=min(len(key), 6))
    return figure
