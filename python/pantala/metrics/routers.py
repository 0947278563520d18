"""Metrics of the routers that serve a job."""

from __future__ import annotations

import polars as pl

from pantala.errors import UsageError
from pantala.metrics.catalogue import metric

__all__ = ["arrival_rate", "serving_routers", "traffic_on_serving_routers"]


@metric(of="routers", unit="", source="Yang et al., SC 2016, 4.2; Chunduri et al., 2021, III.B")
def serving_routers(ranks: pl.DataFrame) -> list[int]:
    """Serving routers: the routers to which the nodes of a job are attached, in order.

    Args:
        ranks: rows of `Run.ranks` of one job, with `router`.
    """
    return sorted(ranks["router"].unique().to_list())


@metric(of="routers", unit="B", source="Yang et al., SC 2016, 3.3, 4.2 and Fig. 4")
def traffic_on_serving_routers(links: pl.DataFrame, ranks: pl.DataFrame) -> pl.DataFrame:
    """Traffic on serving routers: bytes sent and stall by link class on a job's own routers.

    All traffic counts, also that of other jobs.

    Args:
        links: rows of `Run.links`, with `source_router`, `class`, `bytes` and `stall_ns`.
        ranks: rows of `Run.ranks` of the job.

    Returns:
        `router`, `class`, `bytes`, `stall_ns`, sorted; injection links are of no router.
    """
    return (
        links.filter(pl.col("source_router").is_in(serving_routers(ranks)))
        .group_by(pl.col("source_router").alias("router"), "class")
        .agg(pl.col("bytes").sum(), pl.col("stall_ns").sum())
        .sort("router", "class")
    )


@metric(of="routers", unit="GB/s", source="Wang et al., IPDPS 2020, IV.D (windows of 0.5 ms)")
def arrival_rate(windows: pl.DataFrame, ranks: pl.DataFrame) -> pl.DataFrame:
    """Arrival rate: bytes of each job per time on the routers that serve one job.

    Args:
        windows: rows of `Run.router_windows` of one window length.
        ranks: rows of `Run.ranks` of the job whose routers count.

    Returns:
        `window_start_ns`, `job`, `rate_gb_per_s`: the sum over those routers, sorted.

    Raises:
        UsageError: the rows have several window lengths.
    """
    if windows["window_ns"].n_unique() > 1:
        raise UsageError("the rows have several window lengths; filter by window_ns")
    return (
        windows.filter(pl.col("router").is_in(serving_routers(ranks)))
        .group_by("window_start_ns", "job")
        .agg(rate_gb_per_s=(pl.col("bytes") / pl.col("window_ns")).sum())
        .sort("window_start_ns", "job")
    )
