"""The analytical model: the paper's equations (1) to (4), and exact loads per link.

Throughput is a fraction of the injection bandwidth of all nodes. The paper has no exact loads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pantala.papers.prisacari2015.study.networks import Size, process_grid, shift_of
from pantala.scenario import Topology
from pantala.studies.link_load import Flows, Gateways, LinkLoads, gateways, link_loads

__all__ = [
    "IDEAL",
    "Prediction",
    "direct",
    "estimate",
    "flows_of",
    "predict",
    "remote_links",
    "topology",
    "wired",
]

#: The saturation of uniform traffic under Valiant's routing: each packet takes two remote links
#: instead of one.
IDEAL = 0.5


def remote_links(size: Size) -> int:
    """Returns N_r of equation (2): remote links, counted once per direction."""
    return size.groups * size.a * size.h


def estimate(size: Size) -> float:
    """Returns equation (4) for ValiantRestricted: 3/(4p), the mean of the bounds 1/(2p) and 1/p."""
    return 0.75 * remote_links(size) / (size.nodes * size.h)


def direct(size: Size) -> float:
    """Returns the throughput of the shortest path if a group sends to one other group.

    All a*p nodes of the group then share one remote link.
    """
    return 1 / size.group_nodes


@dataclass(frozen=True)
class Prediction:
    """The prediction of the exact link loads.

    Attributes:
        saturation: the rate at which the first link is full if all nodes send at the same rate; at
            most 1.
        loads: the loads of all traffic, at rate 1.
    """

    saturation: float
    loads: LinkLoads


@lru_cache(maxsize=256)
def predict(
    size: Size, pattern: str, routing: str, nodes: tuple[int, ...] | None = None
) -> Prediction:
    """Returns the prediction for a pattern on a machine.

    Args:
        size: the machine.
        pattern: the pattern.
        routing: the routing.
        nodes: the node of each rank; rank i on node i if not given.
    """
    net = wired(size)
    flows = flows_of(size, pattern, range(size.nodes) if nodes is None else nodes)
    loads = link_loads(net, flows, routing)
    ejected = np.bincount(flows.target, flows.rate).max() / net.p
    return Prediction(min(1.0, 1 / max(loads.largest, ejected)), loads)


def topology(size: Size) -> Topology:
    """Returns the network as the scenarios have it."""
    return Topology(p=size.p, a=size.a, h=size.h, g=size.groups, global_arrangement="palmtree")


@lru_cache
def wired(size: Size) -> Gateways:
    """Returns the links between groups, as the core connects them."""
    return gateways(topology(size))


def flows_of(size: Size, pattern: str, nodes: Sequence[int]) -> Flows:
    """Returns the traffic between routers, at rate 1.

    Args:
        size: the machine.
        pattern: the pattern.
        nodes: [rank] the node of each rank.
    """
    places = np.asarray(nodes)
    targets = _targets(size, pattern, np.arange(len(places)))
    source = np.tile(places, len(targets))
    share = np.full(len(source), 1 / len(targets))
    return Flows.of_nodes(source, places[np.concatenate(targets)], share, size.p)


def _targets(size: Size, pattern: str, ranks: np.ndarray) -> list[np.ndarray]:
    """Returns the destinations of every rank, which get equal shares of its packets."""
    count = len(ranks)
    if pattern == "bit_complement":
        return [count - 1 - ranks]
    if pattern == "shift":
        return [(ranks + shift_of(size) * size.group_nodes) % count]
    x, y, _ = process_grid(size)
    return [(ranks + x * y) % count, (ranks - x * y) % count]
