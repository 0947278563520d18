"""Utilization of every link while all jobs ran, and in its peak window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from pantala.analysis.link_busy import ROUNDING, byte_times
from pantala.analysis.link_pass import link_sums, shared_time
from pantala.metrics.binding import SATURATED
from pantala.run_tables.remembered import remembered
from pantala.run_tables.run_like import RunLike, link_window_ns
from pantala.run_tables.skipped_time import skipped_between
from pantala.text.amounts import PAGE

__all__ = ["SATURATED", "LinkLoads", "is_rough", "link_loads", "shared_time", "span_in_words"]

#: An estimate from bytes is rough if full flits do not explain this share of a link's busy time.
_ROUGH = 0.05
#: A link that is busy for less than this share of the time does not make a count of links rough.
_IDLE = 0.05


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
    #: windows; they are null and 0 without windows. So do `peak_at_least` and `peak_at_most`: the
    #: bounds of the highest utilization of a window. They differ if it is estimated from bytes.
    #: `padding_share` is the share of the busy time that packets of full flits do not explain, 0 if
    #: port_windows has the busy time: the larger it is, the less an estimate can be relied on.
    #: `stall_share` is the share of the whole run in which the link was stalled.
    links: pl.DataFrame

    @property
    def none_saturated(self) -> bool:
        """Whether no window of a link exceeds 95 %, whatever the sizes of packets."""
        return not (self.links["peak_at_most"].fill_null(0.0) > SATURATED).any()

    @property
    def count_is_rough(self) -> bool:
        """Whether the number of links above 95 % in a window rests on a rough estimate."""
        at_least, at_most = pl.col("peak_at_least"), pl.col("peak_at_most")
        open_links = self.links.filter(
            pl.col("padding_share") >= _ROUGH, at_least <= SATURATED, at_most > SATURATED
        )
        counted, used = pl.col("saturated_windows") > 0, pl.col("utilization") >= _IDLE
        return not open_links.filter(counted | used).is_empty()


def is_rough(link: Mapping[str, Any]) -> bool:
    """Returns whether the utilization of a link in windows is a rough estimate from bytes."""
    return bool(link["padding_share"] >= _ROUGH)


def span_in_words(loads: LinkLoads, jobs: int) -> str:
    """Returns in words the time over which utilization is measured.

    Args:
        loads: the utilization.
        jobs: the number of jobs of the run.
    """
    if not loads.shared:
        return "over the whole run"
    start = PAGE.duration(loads.start_ns, exact=True) if loads.start_ns else "the start"
    ran = "all jobs" if jobs > 1 else "the job"
    return f"from {start} to {PAGE.duration(loads.end_ns)}, while {ran} ran"


@remembered
def link_loads(run: RunLike) -> LinkLoads:
    """Returns the utilization of every link over the whole windows in which all jobs ran.

    It covers the whole run if link windows were not recorded, if the jobs shared no whole window,
    or if time was skipped. Windows have simulated time only, in which the start of a run weighs
    more than in the whole run; the table `links` has skipped time, too, at the rates of a sample.
    """
    simulated, sums = float(run.document["simulated_ns"]), link_sums(run)
    links = run.links.with_columns(stall_share=pl.col("stall_ns") / (simulated or 1.0)).collect()
    links = links.join(
        byte_times(run).select("link", "padding_share"), on="link", maintain_order="left"
    )
    start, end = sums.start_ns, sums.end_ns
    if sums.by_link is None:
        nothing = pl.lit(None, pl.Float64)
        without = links.with_columns(
            peak_utilization=nothing,
            peak_start_ns=nothing,
            saturated_windows=pl.lit(0, pl.UInt32),
            peak_at_least=nothing,
            peak_at_most=nothing,
        )
        return LinkLoads(start, end, sums.shared, False, None, without)
    window = link_window_ns(run)
    length = window if end - start >= window - ROUNDING else None
    joined = links.join(
        sums.by_link, on="link", how="left", maintain_order="left", suffix="_shared"
    ).with_columns(pl.col("bytes_shared", "saturated_windows").fill_null(0))
    sampled = skipped_between(run, start, end) > 0
    if not sampled:
        busy = pl.col("busy_ns_shared").fill_null(0.0)
        joined = joined.with_columns(
            bytes="bytes_shared", utilization=(busy / ((end - start) or 1.0)).clip(0, 1)
        )
    joined = joined.drop("bytes_shared", "busy_ns_shared")
    return LinkLoads(start, end, sums.shared, sampled, length, joined)
