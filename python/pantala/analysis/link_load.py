"""Utilization of every link while all jobs ran, and in its peak window."""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from pantala.metrics.binding import SATURATED
from pantala.run_tables.run_like import RunLike, link_window_ns, stop_ns, table

__all__ = ["SATURATED", "LinkLoads", "link_loads", "shared_time"]

# Times in ns are multiples of a picosecond, apart from rounding.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class LinkLoads:
    """The utilization of links over a time of a run."""

    #: The time that `bytes` and `utilization` cover, ns.
    start_ns: float
    end_ns: float
    #: Whether all jobs ran during all of that time; false if that is unknown, or never held for a
    #: window.
    shared: bool
    #: The length of a window, ns; None if no whole window of link_windows lies in that time.
    window_ns: float | None
    #: The table `links` with `bytes` and `utilization` over that time. `peak_utilization`,
    #: `peak_start_ns` and `saturated_windows` (the number of windows above 95 %) come from its
    #: windows; they are null and 0 without windows. `stall_share` is the share of the whole run in
    #: which the link was stalled.
    links: pl.DataFrame


def shared_time(run: RunLike) -> tuple[float, float] | None:
    """Returns the time in ns from the last job's start to the first job's end; None if empty.

    A job that its `end` stops ends there.
    """
    jobs = run.jobs.select("job", "start_ns", "end_ns").collect()
    ends = [
        stop_ns(run, job) if end is None else end
        for job, end in jobs.select("job", "end_ns").iter_rows()
    ]
    start, end = max(jobs["start_ns"].to_list(), default=0.0), min(ends, default=0.0)
    return (start, end) if end > start else None


def link_loads(run: RunLike) -> LinkLoads:
    """Returns the utilization of every link over the whole windows in which all jobs ran.

    It covers the whole run if link windows were not recorded, or if the jobs shared no whole
    window.
    """
    simulated = float(run.document["simulated_ns"])
    window = link_window_ns(run)
    recorded = table(run, "link_windows")
    time = shared_time(run)
    links = run.links.with_columns(stall_share=pl.col("stall_ns") / (simulated or 1.0))
    if recorded is None or time is None:
        return LinkLoads(0.0, simulated, _is_whole(time, simulated), None, _without_windows(links))
    first, last = math.ceil(time[0] / window - _ROUNDING), math.floor(time[1] / window + _ROUNDING)
    to_the_end = time[1] >= simulated - _ROUNDING
    start, end = first * window, simulated if to_the_end else last * window
    shared = end > start
    if not shared:
        start, end = 0.0, simulated
    # The time per byte is the link's mean over the run: packets fill whole flits.
    byte_ns = pl.when(pl.col("bytes") > 0).then(pl.col("busy_ns") / pl.col("bytes")).otherwise(0.0)
    at, sent = pl.col("window_start_ns"), pl.col("bytes")
    inside = (
        recorded.filter(at >= start - _ROUNDING, at < end - _ROUNDING)
        .group_by("link", "window_start_ns")
        .agg(sent.sum())
    ).join(links.select("link", byte_ns.alias("byte_ns")), on="link")
    # A window that the end of the run cuts short cannot be compared with others.
    whole = at + window <= end + _ROUNDING
    load = sent * pl.col("byte_ns") / window
    found = inside.group_by("link").agg(
        sent.sum(),
        pl.col("byte_ns").first(),
        load.filter(whole).max().clip(0, 1).alias("peak_utilization"),
        at.filter(whole, load == load.filter(whole).max()).min().alias("peak_start_ns"),
        (load.filter(whole) > SATURATED).sum().alias("saturated_windows"),
    )
    joined = (
        links.drop("bytes", "utilization")
        .join(found, on="link", how="left", maintain_order="left")
        .with_columns(pl.col("bytes", "saturated_windows").fill_null(0))
        .with_columns(
            utilization=(sent * pl.col("byte_ns").fill_null(0.0) / (end - start or 1.0)).clip(0, 1)
        )
        .drop("byte_ns")
        .collect()
    )
    return LinkLoads(
        start, end, shared, window if end - start >= window - _ROUNDING else None, joined
    )


def _is_whole(time: tuple[float, float] | None, simulated: float) -> bool:
    return time is not None and time[0] <= 0 and time[1] >= simulated - _ROUNDING


def _without_windows(links: pl.LazyFrame) -> pl.DataFrame:
    nothing = pl.lit(None, pl.Float64)
    return links.with_columns(
        peak_utilization=nothing, peak_start_ns=nothing, saturated_windows=pl.lit(0, pl.UInt32)
    ).collect()
