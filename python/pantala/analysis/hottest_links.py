"""The links of highest utilization, with the jobs whose bytes they carried."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from pantala.analysis.link_load import link_loads
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
