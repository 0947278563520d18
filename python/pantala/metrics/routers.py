"""Metrics of the routers that serve a job."""

from __future__ import annotations

import polars as pl

from pantala.errors import UsageError
from pantala.metrics.registry import metric
from pantala.run_tables.exact_sums import exact_sum

__all__ = [
    "arrival_rate",
    "counters_of_serving_routers",
    "serving_routers",
    "traffic_on_serving_routers",
]


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
        .agg(pl.col("bytes").sum(), exact_sum("stall_ns"))
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


@metric(of="routers", unit="flits", source="Chunduri et al., IPDPS 2021, III.B and Fig. 6")
def counters_of_serving_routers(
    counters: pl.DataFrame, ranks: pl.DataFrame, *, by_router: bool = False
) -> pl.DataFrame:
    """Counters of serving routers: mean flits and stalls of a tile on a job's own routers.

    AutoPerf reads the counters of the routers to which a job's nodes are attached, and averages
    each over these routers. All traffic counts, also that of other jobs. A router counts once,
    however many nodes of the job it serves.

    Args:
        counters: one row per tile or link, with `router`, `class`, `flits` and `stalled_flits`,
            such as `Run.tiles`; with `kind`, one per tile and kind. Rows without flits (unused
            tiles) are left out.
        ranks: rows of `Run.ranks` of the job.
        by_router: whether each router has rows of its own.

    Returns:
        `class`, `tiles` (their number), `flits_mean` and `stalled_flits_mean` (of a tile),
        `stalls_to_flits` (of the sums; null without a flit), sorted. With `by_router`, `router` is
        the first column; if the counters have `kind`, so has the result.
    """
    keys = ["router"] if by_router else []
    keys += ["class"] + (["kind"] if "kind" in counters.columns else [])
    sums = pl.col("flits").sum(), pl.col("stalled_flits").sum()
    return (
        counters.filter(
            pl.col("router").is_in(serving_routers(ranks)), pl.col("flits").is_not_null()
        )
        .group_by(keys)
        .agg(
            tiles=pl.len(),
            flits_mean=pl.col("flits").mean(),
            stalled_flits_mean=pl.col("stalled_flits").mean(),
            stalls_to_flits=pl.when(sums[0] > 0).then(sums[1] / sums[0]),
        )
        .sort(keys)
    )
