"""Metrics of congestion: stalls, saturation, and their ratios to traffic."""

from __future__ import annotations

import polars as pl

from pantala.errors import UsageError
from pantala.metrics.registry import metric
from pantala.run_tables.exact_sums import exact_sum

__all__ = ["saturation_time", "stall_time", "stalled_flits", "stalls_to_flits"]


@metric(of="links", unit="ns", source="Kang et al., SC 2022, VI.B and Fig. 11")
def stall_time(links: pl.DataFrame) -> pl.DataFrame:
    """Stall time: how long packets were ready and the link idle, but no packet had credit.

    Args:
        links: rows with `class` and `stall_ns`, such as `Run.links`.

    Returns:
        `class`, `links`, `stall_total_ns`, `stall_mean_ns`, `stall_max_ns` (of a link), by class.
    """
    stall = pl.col("stall_ns")
    return (
        links.group_by("class")
        .agg(
            links=pl.len(),
            stall_total_ns=stall.sum(),
            stall_mean_ns=stall.mean(),
            stall_max_ns=stall.max(),
        )
        .sort("class")
    )


@metric(of="links", unit="ns", source="Yang et al., SC 2016, 3.3")
def saturation_time(ports: pl.DataFrame) -> pl.DataFrame:
    """Saturation time: how long the buffer behind a link lacked room for a whole packet.

    Args:
        ports: rows of `Run.port_windows` of one window length. Rows of a virtual channel, a job or
            a kind do not count: a port is saturated while any of its virtual channels is, and the
            times of its channels overlap.

    Returns:
        `link` and `saturated_ns`, the sum over windows, sorted by link.

    Raises:
        UsageError: no row is of a whole link, or the rows have several window lengths.
    """
    if ports["window_ns"].n_unique() > 1:
        raise UsageError("the rows have several window lengths; filter by window_ns")
    whole = ports.filter(pl.col(name).is_null() for name in ("vc", "job", "kind"))
    if whole.is_empty() and not ports.is_empty():
        raise UsageError(
            "no row is of a whole link, and saturation times of parts overlap; keep the rows"
            " without vc, job and kind"
        )
    return whole.group_by("link").agg(exact_sum("saturated_ns")).sort("link")


@metric(of="links", unit="flits", source="Chunduri et al., IPDPS 2021, III.B")
def stalled_flits(stall_ns: pl.Series, flit_ns: pl.Series | float) -> pl.Series:
    """Stalled flits: stall time over the time of a flit on the link.

    Aries' tile counters count cycles in which a flit was stalled; a flit moves in one cycle.
    """
    return (stall_ns / flit_ns).alias("stalled_flits")


@metric(of="links", unit="", source="Chunduri et al., IPDPS 2021, IV.A and V.B")
def stalls_to_flits(stalled: float, flits: float) -> float | None:
    """Stalls-to-flits ratio: stalled flits over flits sent.

    A high ratio on a tile with few flits says little: look at both numbers (IV.A).

    Returns:
        The ratio; None if no flit was sent.
    """
    return stalled / flits if flits else None
