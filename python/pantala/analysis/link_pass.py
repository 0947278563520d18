"""One pass over the windows of links: the sums that utilization and binding resources need.

The table of a long run does not fit into memory. It is read in parts of whole windows, and the sums
of the parts are added up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from pantala.analysis.link_busy import BUSY_STEPS, LEAST_PART, ROUNDING, busy_windows, byte_times
from pantala.metrics.binding import SATURATED, utilization_sums
from pantala.run_tables.exact_sums import exact_sum
from pantala.run_tables.remembered import remembered
from pantala.run_tables.run_like import RunLike, job_rows, link_window_ns, stop_ns, table
from pantala.run_tables.skipped_time import skipped_between
from pantala.text.steps import announce

__all__ = ["ROUNDING", "LinkSums", "link_sums", "shared_time", "starts_within"]

#: A window of a link.
_PLACE = ["link", "window_start_ns"]
_PEAKS = ["peak_utilization", "peak_at_least", "peak_at_most"]


@dataclass(frozen=True)
class LinkSums:
    """The sums of a run over its links and windows."""

    #: The time in which all jobs ran, in whole windows; the whole run if that is unknown, or if a
    #: part of it was skipped.
    start_ns: float
    end_ns: float
    #: Whether all jobs ran during all of that time.
    shared: bool
    #: By link, over that time: `bytes`, `busy_ns`, `peak_utilization`, `peak_start_ns`,
    #: `saturated_windows`; `peak_at_least` and `peak_at_most`, the bounds of the highest window
    #: that hold for packets of any size. None if link windows were not recorded, or the jobs
    #: shared no time.
    by_link: pl.DataFrame | None
    #: `utilization_sums` of each job.
    by_job: pl.DataFrame
    #: `utilization_sums` of all jobs as if they were job 0.
    together: pl.DataFrame


def shared_time(run: RunLike) -> tuple[float, float] | None:
    """Returns the time in ns from the last job's start to the first job's end; None if empty.

    A job that its `end` stops ends there.
    """
    jobs = job_rows(run)
    ends = [
        stop_ns(run, job) if end is None else end
        for job, end in jobs.select("job", "end_ns").iter_rows()
    ]
    start, end = max(jobs["start_ns"].to_list(), default=0.0), min(ends, default=0.0)
    return (start, end) if end > start else None


@remembered
def link_sums(run: RunLike) -> LinkSums:
    """Returns the sums of a run over its links and windows.

    Without link windows, the whole run is one window.
    """
    simulated = float(run.document["simulated_ns"])
    time, recorded = shared_time(run), table(run, "link_windows")
    window = simulated if recorded is None else link_window_ns(run)
    start, end, shared = 0.0, simulated, time is not None and _is_whole(time, simulated)
    if recorded is not None and time is not None:
        first = math.ceil(time[0] / window - ROUNDING)
        last = math.floor(time[1] / window + ROUNDING)
        to_the_end = time[1] >= simulated - ROUNDING
        start, end = first * window, simulated if to_the_end else last * window
        shared = end > start
        if skipped_between(run, start, end) > 0:
            # Busy times with skipped time are known of the whole run only; peaks are of all of it.
            shared = shared and start <= 0 and end >= simulated - ROUNDING
            start, end = 0.0, simulated
        if not shared:
            start, end = 0.0, simulated
    by_job, together, loads = (pl.DataFrame() for _ in range(3))
    windows, sizes = busy_windows(run), byte_times(run).lazy()
    for at, part in enumerate(windows.parts, 1):
        if len(windows.parts) > 1:
            announce(f"load of links, part {at} of {len(windows.parts)}")
        sums = _utilization(part, windows.busy_ns, window, simulated)
        if recorded is not None and time is not None:
            sums.append(_loads(part, windows.busy_ns, sizes, window, start, end))
        found = pl.collect_all(sums, engine="streaming")
        by_job, together = _summed(by_job, found[0]), _summed(together, found[1])
        loads = _added(loads, found[2]) if found[2:] else loads
    by_link = loads.with_columns(pl.col(_PEAKS).clip(0, 1)) if loads.width else None
    return LinkSums(start, end, shared, by_link, by_job, together)


def _is_whole(time: tuple[float, float], simulated: float) -> bool:
    return time[0] <= 0 and time[1] >= simulated - ROUNDING


def starts_within(start: float, end: float) -> pl.Expr:
    """Returns whether a window starts between two times in ns; at the end, it does not."""
    at = pl.col("window_start_ns")
    return (at >= start - ROUNDING) & (at < end - ROUNDING)


def _utilization(
    part: pl.LazyFrame, busy_ns: pl.Expr, window: float, simulated: float
) -> list[pl.LazyFrame]:
    """Returns `utilization_sums` of a part, of each job and of all jobs as one."""
    length = pl.min_horizontal(pl.lit(window), simulated - pl.col("window_start_ns"))
    rows = part.with_columns(length_ns=length).filter(pl.col("length_ns") > 0)
    every = rows.group_by(_PLACE).agg(
        pl.lit(0, pl.UInt16).alias("job"),
        pl.col("bytes").sum(),
        exact_sum("stall_ns"),
        pl.col("class", "length_ns").first(),
        utilization=busy_ns / pl.col("length_ns").first(),
    )
    of_jobs = rows.filter(pl.col("job").is_not_null()).join(
        every.select(*_PLACE, "utilization"), on=_PLACE
    )
    return [utilization_sums(of_jobs), utilization_sums(every)]


def _summed(before: pl.DataFrame, part: pl.DataFrame) -> pl.DataFrame:
    return _both(before, part).group_by("job", "class").sum().sort("job", "class")


def _both(before: pl.DataFrame, part: pl.DataFrame) -> pl.DataFrame:
    return pl.concat([before, part]) if before.width else part


def _loads(
    part: pl.LazyFrame,
    busy_ns: pl.Expr,
    sizes: pl.LazyFrame,
    window: float,
    start: float,
    end: float,
) -> pl.LazyFrame:
    """Returns bytes, busy time and peaks of each link in the windows of a part between two times.

    A window that the end of the run cuts short has its own length. Only a time with a whole window
    has peaks.
    """
    at = pl.col("window_start_ns")
    inside = (
        part.filter(starts_within(start, end))
        .group_by(_PLACE)
        .agg(pl.col("bytes").sum(), busy_ns.alias("busy_ns"))
        .join(sizes, on="link")
    )
    length = pl.min_horizontal(pl.lit(window), end - at)
    least = LEAST_PART * window if end - start >= window - ROUNDING else math.inf
    long = length >= least - ROUNDING
    load = (pl.col("busy_ns") / length).filter(long)
    sent = pl.col("bytes") * pl.col("least_byte_ns")
    fewer, more = -pl.col("early_ns"), pl.col("padding_ns") + pl.col("early_ns")
    at_least, at_most = (
        (pl.when("is_measured").then("busy_ns").otherwise(busy) / length).filter(long).max()
        for busy in (sent + fewer, sent + more)
    )
    return inside.group_by("link").agg(
        pl.col("bytes").sum(),
        exact_sum("busy_ns", BUSY_STEPS),
        load.max().alias("peak_utilization"),
        at_least.alias("peak_at_least"),
        at_most.alias("peak_at_most"),
        at.filter(long).filter(load == load.max()).min().alias("peak_start_ns"),
        (load > SATURATED).sum().alias("saturated_windows"),
    )


def _added(before: pl.DataFrame, part: pl.DataFrame) -> pl.DataFrame:
    """Returns one row per link from those of the parts before and of a part."""
    peak = pl.col("peak_utilization")
    return (
        _both(before, part)
        .group_by("link")
        .agg(
            pl.col("bytes").sum(),
            pl.col("busy_ns").sum(),
            pl.col(_PEAKS).max(),
            pl.col("peak_start_ns").filter(peak == peak.max()).min(),
            pl.col("saturated_windows").sum(),
        )
    )
