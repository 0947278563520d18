"""Messages that ranks send through their NICs: those to other nodes.

Ranks of one node exchange messages through memory. The table of ranks counts these, too.
"""

from __future__ import annotations

import polars as pl

from pantala.run_tables.run_like import RunLike, table

__all__ = ["through_nics"]

_RANK = ["job", "rank"]


def through_nics(run: RunLike) -> pl.DataFrame:
    """Returns the table of ranks with `nic_messages` and `nic_bytes`, what the NIC takes of each.

    The table of messages tells them apart. If a run did not record it, ranks that share their node
    with others of their job have no messages, and no more bytes than their NIC sent: both are lower
    bounds. Control messages do not count.
    """
    ranks = run.ranks.collect()
    own = ranks.with_columns(nic_messages="messages_sent", nic_bytes="bytes_sent")
    mpi = run.document["plan"].get("mpi") or {}
    shared = pl.len().over("job", "node") > 1
    if (
        not (mpi.get("gap_ps") or mpi.get("gap_per_byte_fs"))
        or not ranks.select(shared.any()).item()
    ):
        return own
    messages = table(run, "messages")
    parts = _of_links(run, ranks) if messages is None else _of_messages(messages, ranks)
    counted = {
        f"nic{part}": pl.when(shared)
        .then(pl.col(f"{part[1:]}_sent") * pl.col(part).fill_null(0.0))
        .otherwise(pl.col(f"{part[1:]}_sent"))
        for part in ("_messages", "_bytes")
    }
    return (
        ranks.join(parts, on=_RANK, how="left", maintain_order="left")
        .with_columns(**counted)
        .drop("_messages", "_bytes")
    )


def _of_messages(messages: pl.LazyFrame, ranks: pl.DataFrame) -> pl.DataFrame:
    """Returns the shares of the messages of each rank, and of their bytes, to other nodes."""
    nodes = ranks.select("job", "rank", "node").lazy()
    source = nodes.rename({"rank": "source_rank", "node": "_source"})
    target = nodes.rename({"rank": "destination_rank", "node": "_target"})
    away = pl.col("_source") != pl.col("_target")
    return (
        messages.select("job", "source_rank", "destination_rank", "bytes")
        .join(source, on=["job", "source_rank"])
        .join(target, on=["job", "destination_rank"])
        .group_by("job", rank="source_rank")
        .agg(
            _messages=away.mean(),
            _bytes=pl.col("bytes").filter(away).sum() / pl.max_horizontal(pl.col("bytes").sum(), 1),
        )
        .collect(engine="streaming")
    )


def _of_links(run: RunLike, ranks: pl.DataFrame) -> pl.DataFrame:
    """Returns no messages, and the bytes on the injection links of nodes over those of ranks."""
    sent = table(run, "link_jobs")
    if sent is None:
        return ranks.select(*_RANK, _messages=pl.lit(0.0), _bytes=pl.lit(0.0))
    injection = run.links.filter(pl.col("class") == "injection").select("link", "node")
    by_node = sent.join(injection, on="link").select("job", "node", _sent="bytes").collect()
    of_node = pl.max_horizontal(pl.col("bytes_sent").sum().over("job", "node"), 1)
    return ranks.join(by_node, on=["job", "node"], how="left").select(
        *_RANK,
        _messages=pl.lit(0.0),
        _bytes=(pl.col("_sent").fill_null(0) / of_node).clip(0.0, 1.0),
    )
