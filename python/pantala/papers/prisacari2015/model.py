"""The analytical model: the paper's equations (1) to (4), and exact loads per link.

Throughput is a fraction of the injection bandwidth of all nodes. The paper has no exact loads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pantala.papers.prisacari2015.runs import Size, Spec, process_grid
from pantala.scenario import Topology
from pantala.studies.link_load import Flows, Gateways, LinkLoads, gateways, link_loads

__all__ = [
    "IDEAL",
    "Prediction",
    "bounds",
    "direct",
    "estimate",
    "flows_of",
    "predict",
    "remote_links",
    "wired",
]

#: The saturation of uniform traffic under Valiant's routing: each packet takes two remote links
#: instead of one.
IDEAL = 0.5


def remote_links(size: Size) -> int:
    """Returns N_r of equation (2): remote links, counted once per direction."""
    return size.groups * size.a * size.h


def bounds(size: Size) -> tuple[float, float]:
    """Returns the bounds of equation (1) for ValiantRestricted, 1/(2p) and 1/p."""
    share = 0.5 * remote_links(size) / size.nodes
    return share / size.h, share * 2 / size.h


def estimate(size: Size) -> float:
    """Returns equation (4): the mean of the bounds, 3/(4p)."""
    return 3 / (4 * size.p)


def direct(size: Size) -> float:
    """Returns the throughput of the shortest path if a group sends to one other group.

    All a*p nodes of the group then share one remote link.
    """
    return 1 / size.group_nodes


@dataclass(frozen=True)
class Prediction:
    """The prediction of the exact link loads for a run.

    Attributes:
        saturation: the rate at which the first link is full if all nodes send at the same rate; at
            most 1.
        between_groups: the saturation for the traffic between groups alone. It differs under bit
            complement, whose middle group (the number of groups is odd) sends to itself.
        loads: the loads of all traffic, at rate 1.
        local_share: local links per packet, mean over all traffic.
    """

    saturation: float
    between_groups: float
    loads: LinkLoads
    local_share: float


def predict(spec: Spec, nodes: list[int]) -> Prediction:
    """Returns the prediction for a run with rank i on node ``nodes[i]``."""
    net = wired(spec.size)
    flows = flows_of(spec, np.asarray(nodes))
    routing = spec.configuration.routing
    loads = link_loads(net, flows, routing)
    away = flows.where(flows.source // net.a != flows.target // net.a)
    between = loads if len(away.rate) == len(flows.rate) else link_loads(net, away, routing)
    ejected = np.bincount(flows.target, flows.rate).max() / net.p
    return Prediction(
        saturation=min(1.0, 1 / max(loads.largest, ejected)),
        between_groups=min(1.0, 1 / max(between.largest, ejected)),
        loads=loads,
        local_share=float(loads.local.sum() / flows.rate.sum()),
    )


@lru_cache
def wired(size: Size) -> Gateways:
    """Returns the links between groups, as the core connects them."""
    return gateways(
        Topology(p=size.p, a=size.a, h=size.h, g=size.groups, global_arrangement="palmtree")
    )


def flows_of(spec: Spec, nodes: np.ndarray) -> Flows:
    """Returns the traffic of a run, between routers.

    Args:
        spec: the run.
        nodes: [rank] the node of each rank.
    """
    ranks = np.arange(len(nodes))
    targets, share = _targets(spec, ranks)
    source = np.tile(nodes, len(targets))
    return Flows.of_nodes(
        source, nodes[np.concatenate(targets)], np.full(len(source), share), spec.size.p
    )


def _targets(spec: Spec, ranks: np.ndarray) -> tuple[list[np.ndarray], float]:
    """Returns the destinations of every rank, and the share of its packets for each."""
    count = len(ranks)
    if spec.pattern == "bit_complement":
        return [count - 1 - ranks], 1.0
    if spec.pattern == "shift":
        return [(ranks + spec.offset_groups * spec.size.group_nodes) % count], 1.0
    x, y, z = process_grid(spec.size)
    stride = x * y
    ahead, behind = (ranks + stride) % count, (ranks - stride) % count
    if spec.variant == "open_grid":
        plane = ranks // stride
        return [np.where(plane == z - 1, behind, ahead), np.where(plane == 0, ahead, behind)], 0.5
    return [ahead, behind], 0.5
