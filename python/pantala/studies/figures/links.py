"""The links of a run by number, where an experiment keeps traffic by job but not the links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from pantala.core import native

__all__ = ["links_of"]


def links_of(topology: Mapping[str, Any]) -> pl.DataFrame:
    """Returns all links of a network as the table `links` numbers them.

    Args:
        topology: `topology` of a plan.

    Returns:
        ``link``, ``class``, ``source_router``, ``source_group``, ``target_group``. The links of
        ports come first; an injection link, which has no router at its source, comes after them.
    """
    ports = native.ports(dict(topology))
    group = int(topology["a"])
    table = pl.DataFrame(
        {name: ports[name] for name in ("router", "class", "peer_router")},
        schema={"router": pl.UInt32, "class": pl.String, "peer_router": pl.UInt32},
    )
    of_ports = table.select(
        pl.col("class").replace("terminal", "ejection"),
        source_router="router",
        source_group=pl.col("router") // group,
        target_group=pl.col("peer_router") // group,
    )
    nodes = of_ports.filter(pl.col("class") == "ejection").height
    injection = pl.DataFrame({"class": ["injection"] * nodes})
    whole = pl.concat([of_ports, injection], how="diagonal")
    return whole.with_row_index("link")
