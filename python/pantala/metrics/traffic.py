"""Metrics of traffic: what jobs inject, and what links and groups carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from pantala.errors import UsageError
from pantala.metrics.registry import metric
from pantala.run_tables.link_classes import NETWORK

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "congestion_index",
    "group_means",
    "injection_rate",
    "link_load",
    "link_throughput",
    "peak_ingress_volume",
    "relative_throughput",
]


@metric(of="jobs", unit="GB/s", source="Kang et al., SC 2022, IV and Table I")
def injection_rate(sent_bytes: float, execution_time_ns: float) -> float | None:
    """Injection rate: the bytes of all messages of a job over its execution time.

    One byte per nanosecond is 1 GB/s (10^9 B/s).

    Returns:
        The rate; None if the execution time is zero.

    Raises:
        UsageError: a number is negative.
    """
    _not_negative(sent_bytes=sent_bytes, execution_time_ns=execution_time_ns)
    return sent_bytes / execution_time_ns if execution_time_ns else None


@metric(of="ranks", unit="B", source="Kang et al., SC 2022, IV and Table I")
def peak_ingress_volume(ranks: pl.DataFrame, busy: float = 0.0) -> int | None:
    """Peak ingress volume: the most bytes that a rank sends without receiving in between.

    It is one message of an Alltoall, two of a sweep or an Allreduce, and one message to each
    neighbour of a stencil.

    Args:
        ranks: rows of `Run.ranks`, with `peak_ingress_bytes`, `messages_sent` and
            `messages_received`.
        busy: only ranks with at least this share of the messages of the busiest rank count. At 0.9,
            ranks at the edge of a grid are left out.

    Returns:
        The largest value of the ranks; None without ranks.
    """
    messages = pl.col("messages_sent") + pl.col("messages_received")
    peak: int | None = ranks.filter(messages >= busy * messages.max())["peak_ingress_bytes"].max()  # type: ignore[assignment]
    return peak


@metric(of="links", unit="B", source="Wang et al., IPDPS 2020, VI.C; Yang et al., SC 2016, 3.3")
def link_load(links: pl.DataFrame) -> pl.DataFrame:
    """Link load: the bytes that the links of each class have carried by the end of the run.

    Args:
        links: rows of `Run.links`, with `class` and `bytes`.

    Returns:
        `class`, `links`, `bytes_total`, `bytes_mean` and `bytes_max` (of a link), sorted by class.
    """
    sent = pl.col("bytes")
    return (
        links.group_by("class")
        .agg(links=pl.len(), bytes_total=sent.sum(), bytes_mean=sent.mean(), bytes_max=sent.max())
        .sort("class")
    )


@metric(of="links", unit="GB/s", source="Kang et al., SC 2022, VI.B")
def link_throughput(links: pl.DataFrame, time_ns: float) -> pl.Series:
    """Throughput of each link: its bytes over a time.

    Args:
        links: rows with `bytes`.
        time_ns: the time in which the bytes were sent.

    Raises:
        UsageError: the time is not positive.
    """
    _positive(time_ns=time_ns)
    return (links["bytes"] / time_ns).alias("throughput_gb_per_s")


@metric(of="links", unit="", source="Kang et al., SC 2022, VI.B and Fig. 12")
def congestion_index(links: pl.DataFrame, groups: int) -> NDArray[np.float64]:
    """Congestion index: mean throughput over capacity of the links from group to group.

    The diagonal has the links inside a group. Throughput over capacity is the share of time in
    which a link sends: its utilization.

    Args:
        links: rows of `Run.links`, with `class`, `source_group`, `target_group`, `utilization`.
        groups: the number of groups.

    Returns:
        A matrix of shape (groups, groups), from 0 to 1: rows are the groups that send. nan where
        there is no link.
    """
    return group_means(links, groups, pl.col("utilization"))


def group_means(
    links: pl.DataFrame, groups: int, value: pl.Expr, classes: Sequence[str] = NETWORK
) -> NDArray[np.float64]:
    """Returns the mean of a value over the links from each group (row) to each group (column)."""
    import numpy as np

    frame = (
        links.filter(pl.col("class").is_in(classes))
        .group_by("source_group", "target_group")
        .agg(value.mean().alias("value"))
        .sort("source_group", "target_group")
    )
    matrix: NDArray[Any] = np.full((groups, groups), np.nan)
    matrix[frame["source_group"].to_numpy(), frame["target_group"].to_numpy()] = frame[
        "value"
    ].to_numpy()
    return matrix


@metric(of="jobs", unit="", source="Prisacari et al., IV.A")
def relative_throughput(
    accepted_bytes: float, nodes: int, time_ns: float, gb_per_s: float
) -> float:
    """Relative throughput: accepted traffic over the injection bandwidth of all nodes.

    Args:
        accepted_bytes: bytes delivered in the time.
        nodes: nodes that inject.
        time_ns: the time.
        gb_per_s: bandwidth of an injection link.

    Raises:
        UsageError: nodes, time or bandwidth are not positive.
    """
    _positive(nodes=nodes, time_ns=time_ns, gb_per_s=gb_per_s)
    return accepted_bytes / (nodes * time_ns * gb_per_s)


def _not_negative(**values: float) -> None:
    for name, value in values.items():
        if value < 0:
            raise UsageError(f"{name} = {value}: is negative; give zero or more")


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not value > 0:
            raise UsageError(f"{name} = {value}: is not positive; give more than zero")
