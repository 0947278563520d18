"""The links of highest utilization, with the jobs whose bytes they carried."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from pantala.analysis.link_load import LinkLoads, link_loads
from pantala.analysis.link_pass import starts_within
from pantala.run_tables.link_classes import INSIDE_GROUPS, NETWORK
from pantala.run_tables.run_like import RunLike, job_names, table

__all__ = ["ALL_CLASSES", "hottest_table", "link_name"]

#: All classes of links, terminal links included.
ALL_CLASSES = ("injection", "ejection", *NETWORK)


def hottest_table(
    run: RunLike, count: int = 12, classes: Sequence[str] = ALL_CLASSES
) -> pl.DataFrame:
    """Returns the links of highest utilization while all jobs ran, the highest first.

    The columns are those of `link_loads`, and one column per job, `job_<number>_share`: the job's
    share of the link's bytes over the same time. It is null if neither `link_windows` nor
    `link_jobs` has that time. Links that carried nothing are left out. Ties go to the lower link
    number.

    Args:
        run: the run.
        count: the maximum number of rows.
        classes: the link classes to include.
    """
    loads = link_loads(run)
    links = (
        loads.links.filter(pl.col("class").is_in(classes), pl.col("bytes") > 0)
        .sort(["utilization", "link"], descending=[True, False])
        .head(count)
    )
    carried = _carried(run, loads, links["link"])
    for job in job_names(run):
        share = pl.lit(None, pl.Float64)
        if carried is not None:
            of_job = carried.filter(pl.col("job") == job).select(
                "link", _share=pl.col("bytes") / pl.col("_all")
            )
            links = links.join(of_job, on="link", how="left", maintain_order="left")
            share = pl.col("_share").fill_null(0.0)
        links = links.with_columns(share.alias(f"job_{job}_share")).drop("_share", strict=False)
    return links


def _carried(run: RunLike, loads: LinkLoads, links: pl.Series) -> pl.DataFrame | None:
    """Returns the bytes of each job on links over the time of loads; None if they are not known.

    Over the whole run, `link_jobs` has them, with skipped time at the rates of a sample.

    Returns:
        `link`, `job`, `bytes`, and `_all`, the bytes of all jobs on the link.
    """
    whole = loads.start_ns <= 0 and loads.end_ns >= float(run.document["simulated_ns"])
    rows = table(run, "link_jobs" if whole else "link_windows")
    if rows is None:
        return None
    if not whole:
        rows = rows.filter(starts_within(loads.start_ns, loads.end_ns))
    return (
        rows.filter(pl.col("link").is_in(links.implode()))
        .group_by("link", "job")
        .agg(pl.col("bytes").sum())
        .with_columns(_all=pl.col("bytes").sum().over("link"))
        .collect(engine="streaming")
    )


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
