"""The links that carried most, and whose bytes they were."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pantala.figures.runs import RunLike, job_names, table
from pantala.figures.style import MUTED, PERCENT, colours, horizontal_rows, new_figure, style
from pantala.link_classes import INSIDE_GROUPS, NETWORK

__all__ = ["hottest_links", "hottest_table", "link_name"]


def hottest_table(run: RunLike, count: int = 12, classes: Sequence[str] = NETWORK) -> pl.DataFrame:
    """Links by falling load: the columns of `links`, `stall_share`, and each job's share of the bytes.

    Shares are in `job_<number>_share`, one column a job of the run; they are null when `link_jobs` was not recorded.
    Links that carried nothing are left out. Ties go to the lower link number.

    Args:
        run: The run.
        count: Most rows to return.
        classes: Link classes to look at, by default those between routers.
    """
    links = (
        run.links.filter(pl.col("class").is_in(classes), pl.col("bytes") > 0)
        .sort(["load", "link"], descending=[True, False])
        .head(count)
        .with_columns(stall_share=pl.col("stall_ns") / float(run.document["simulated_ns"]))
        .collect()
    )
    by_job = table(run, "link_jobs")
    for job in job_names(run):
        share = pl.lit(None, pl.Float64)
        if by_job is not None:
            carried = by_job.filter(pl.col("job") == job).select("link", pl.col("bytes").alias("_bytes")).collect()
            links = links.join(carried, on="link", how="left", maintain_order="left")
            share = pl.col("_bytes").fill_null(0) / pl.col("bytes")
        links = links.with_columns(share.alias(f"job_{job}_share")).drop("_bytes", strict=False)
    return links


def link_name(link: dict[str, object]) -> str:
    """Name a row of `links` by its class and its ends."""
    kind = link["class"]
    if kind == "global":
        groups = f"group {link['source_group']} → {link['target_group']}"
        return f"global, {groups} (router {link['source_router']} → {link['target_router']})"
    if kind in INSIDE_GROUPS:
        return f"{kind}, group {link['source_group']} (router {link['source_router']} → {link['target_router']})"
    ends = f"node {link['node']} → router {link['target_router']}"
    if kind == "ejection":
        ends = f"router {link['source_router']} → node {link['node']}"
    return f"{kind}, {ends}"


def hottest_links(run: RunLike, count: int = 12, classes: Sequence[str] = NETWORK) -> Figure:
    """Draw the links of the highest load as bars, divided by the job whose bytes they carried.

    Args:
        run: The run.
        count: Most links to draw.
        classes: Link classes to look at, by default those between routers.
    """
    links = hottest_table(run, count, classes).to_dicts()
    names = job_names(run)
    colour = colours(names.values())
    with style():
        figure = new_figure(0.85 + 0.25 * len(links))
        axes = figure.add_subplot()
        for y, link in enumerate(links):
            start = 0.0
            for job, name in names.items():
                share = link[f"job_{job}_share"]
                if share is not None:
                    axes.barh(y, share * link["load"], 0.7, start, color=colour[name])
                    start += share * link["load"]
            if start == 0.0:
                axes.barh(y, link["load"], 0.7, color=MUTED)
        horizontal_rows(axes, [link_name(link) for link in links], range(len(links)))
        axes.xaxis.set_major_formatter(PERCENT)
        axes.set_xlim(left=0)
        axes.set_xlabel("load: share of the simulated time in which the link was sending")
        figure.legend(
            handles=[Patch(color=colour[name], label=name) for name in names.values()],
            loc="outside upper left",
            ncols=len(names),
        )
    return figure
