"""The recorded packets that passed a link, with their paths."""

from __future__ import annotations

from typing import Any

import polars as pl

from pantala.results.run import Run
from pantala.run_tables.run_like import table

__all__ = ["MOST", "packets_over"]

#: The packets that waited longest for the link.
MOST = 400


def packets_over(run: Run, link: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Returns the hops of the recorded packets that passed a link between routers or to a node.

    Returns:
        A row per packet and router of its path: the columns of packet_hops, the packet's `job`,
        `rank`, `destination_rank`, `source_node`, `destination_node`, `bytes`, `injected_ns`,
        `delivered_ns`, `latency_ns` and `nonminimal`, `next` (the link that it left by), and
        `at` (whether that is the link asked for). Packets are ordered by their waiting time there.
        The facts have the number of packets, `most` of which are in the rows.
    """
    hops, packets = table(run, "packet_hops"), table(run, "packets")
    if hops is None or packets is None:
        return pl.DataFrame(), {"needs": "packet_hops"}
    sender = (
        run.links.filter(pl.col("link") == link).select("source_router", "source_port").collect()
    )
    if sender.is_empty() or sender["source_router"][0] is None:
        return pl.DataFrame(), {"packets": 0, "most": MOST}
    router, port = sender.row(0)
    passed = (
        hops.filter(pl.col("router") == router, pl.col("port_out") == port)
        .select("packet", _wait="wait_ns", _departed="departed_ns")
        .collect()
    )
    chosen = passed.sort("_wait", "packet", descending=[True, False]).head(MOST)
    facts = packets.select(
        "packet",
        "job",
        "rank",
        "destination_rank",
        "source_node",
        "destination_node",
        "bytes",
        "injected_ns",
        "delivered_ns",
        "latency_ns",
        "nonminimal",
    )
    leaves = run.links.filter(pl.col("source_router").is_not_null()).select(
        pl.col("source_router").alias("router"),
        pl.col("source_port").cast(pl.UInt16).alias("port_out"),
        pl.col("link").alias("next"),
    )
    rows = (
        hops.join(chosen.lazy(), on="packet")
        .join(facts, on="packet")
        .join(leaves, on=["router", "port_out"], how="left")
        .with_columns(at=((pl.col("next") == link).fill_null(value=False)).cast(pl.UInt8))
        .with_columns(pl.col("nonminimal").cast(pl.UInt8), pl.col("packet").cast(pl.String))
        .sort(["_wait", "packet", "hop"], descending=[True, False, False])
        .drop("_wait", "_departed")
        .collect()
    )
    return rows, {"packets": passed.height, "most": MOST}
