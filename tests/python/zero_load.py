"""Latency without other traffic, along each kind of path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
import pytest

from pantala.planning.topology import link_table
from pantala.runs.curve_setup import curve_setup
from validation import measure

#: Routers and links of each kind of path.
WAYS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    "one router": (1, ()),
    "local": (2, ("local",)),
    "global": (2, ("global",)),
    "local, global": (3, ("local", "global")),
    "local, global, local": (4, ("local", "global", "local")),
}


def ends(call: Mapping[str, Any], way: str) -> tuple[int, int]:
    """Returns two nodes with such a path between them in both directions."""
    topology = curve_setup(**call).scenario.machine.topology
    p, a = topology.p, topology.a
    row = link_table(topology).filter(pl.col("class") == "global").row(0, named=True)
    here, there = row["source_router"], row["target_router"]
    beside = [(router // a) * a + (router + 1) % a for router in (here, there)]
    routers = {
        "one router": (here, here),
        "local": (here, beside[0]),
        "global": (here, there),
        "local, global": (beside[0], there),
        "local, global, local": (beside[0], beside[1]),
    }[way]
    return routers[0] * p, routers[1] * p + 1


def alone(call: Mapping[str, Any], way: str) -> float:
    """Returns the latency of packets between two nodes, with no other traffic."""
    why = measure.missing(call)
    if why is not None:
        pytest.skip(f"not available yet: {why}")
    point = measure.between(call, ends(call, way), 0.01)
    assert point["link_hops_mean"] == len(WAYS[way][1])
    latency: float = point["latency_mean_ns"]
    assert point["packets"] > 0
    return latency
