"""Utilization of every link while all jobs ran, and in its peak window."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from pantala.analysis.link_pass import ROUNDING, link_sums, shared_time
from pantala.metrics.binding import SATURATED
from pantala.run_tables.remembered import remembered
from pantala.run_tables.run_like import RunLike, link_window_ns
from pantala.run_tables.skipped_time import skipped_between

__all__ = ["SATURATED", "LinkLoads", "link_loads", "shared_time"]


@dataclass(frozen=True)
class LinkLoads:
    """The utilization of links over a time of a run."""

    #: The time that `bytes` and `utilization` cover, ns.
    start_ns: float
    end_ns: float
    #: Whether all jobs ran during all of that time; false if that is unknown, or never held for a
    #: window.
    shared: bool
    #: Whether skipped time is in it, at the rates of a sample. Then it is the whole run.
    sampled: bool
    #: The length of a window, ns; None if no whole window of link_windows lies in that time.
    window_ns: float | None
    #: The table `links` with `bytes` and `utilization` over that time. `peak_utilization`,
    #: `peak_start_ns` and `saturated_windows` (the number of windows above 95 %) come from its
    #: windows; they are null and 0 without windows. `stall_share` is the share of the whole run in
    #: which the link was stalled.
    links: pl.DataFrame


@remembered
def link_loads(run: RunLike) -> LinkLoads:
    """Returns the utilization of every link over the whole windows in which all jobs ran.

    It covers the whole run if link windows were not recorded, if the jobs shared no whole window,
    or if time was skipped. Windows have simulated time only, in which the start of a run weighs
    more than in the whole run; the table `links` has skipped time, too, at the rates of a sample.
    """
    simulated, sums = float(run.document["simulated_ns"]), link_sums(run)
    links = run.links.with_columns(stall_share=pl.col("stall_ns") / (simulated or 1.0)).collect()
    start, end = sums.start_ns, sums.end_ns
    if sums.by_link is None:
        nothing = pl.lit(None, pl.Float64)
        without = links.with_columns(
            peak_utilization=nothing, peak_start_ns=nothing, saturated_windows=pl.lit(0, pl.UInt32)
        )
        return LinkLoads(start, end, sums.shared, False, None, without)
    window = link_window_ns(run)
    length = window if end - start >= window - ROUNDING else None
    joined = links.join(
        sums.by_link, on="link", how="left", maintain_order="left", suffix="_shared"
    ).with_columns(pl.col("bytes_shared", "saturated_windows").fill_null(0))
    sampled = skipped_between(run, start, end) > 0
    if sampled:
        shared = sums.shared and start <= 0 and end >= simulated - ROUNDING
        start, end = 0.0, simulated
    else:
        shared = sums.shared
        sent = pl.col("bytes_shared") * pl.col("byte_ns").fill_null(0.0)
        joined = joined.with_columns(
            bytes="bytes_shared", utilization=(sent / ((end - start) or 1.0)).clip(0, 1)
        )
    return LinkLoads(start, end, shared, sampled, length, joined.drop("bytes_shared", "byte_ns"))
