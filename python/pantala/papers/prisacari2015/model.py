"""The analytical model: the paper's equations (1) to (4), and the exact per-link loads that it
leaves out.

Throughput is a fraction of the injection bandwidth of all nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pantala.papers.prisacari2015.runs import Size, Spec, process_grid
from pantala.scenario import Topology
from pantala.studies.link_load import Flows, Gates, LinkLoads, gates, link_loads

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

#: What Valiant's detour leaves of uniform traffic: every packet takes two remote links instead of
#: one.
IDEAL = 0.5


def remote_links(size: Size) -> int:
    """N_r of equation (2): remote links, counted once for each direction."""
    return size.groups * size.a * size.h


def bounds(size: Size) -> tuple[float, float]:
    """Equation (1): the least and the greatest throughput under ValiantRestricted, 1/(2p) and
    1/p.
    """
    share = 0.5 * remote_links(size) / size.nodes
    return share / size.h, share * 2 / size.h


def estimate(size: Size) -> float:
    """Equation (4): the mean of the bounds, 3/(4p)."""
    return 3 / (4 * size.p)


def direct(size: Size) -> float:
    """Shortest path, all nodes of a group sending to one other: one remote link for a*p nodes."""
    return 1 / size.group_nodes


@dataclass(frozen=True)
class Prediction:
    """What the exact link loads say of a run.

    Attributes:
        saturation: the rate at which the first link is full, all nodes sending at the same rate; at
            most 1.
        between_groups: the same for the traffic between groups alone. It differs for bit
            complement, whose middle group (the number of groups is odd) sends to itself.
        loads: of all traffic, at rate 1.
        local_share: local links that a packet takes, mean over all traffic.
    """

    saturation: float
    between_groups: float
    loads: LinkLoads
    local_share: float


def predict(spec: Spec, nodes: list[int]) -> Prediction:
    """The prediction for a run whose rank i is on node ``nodes[i]``."""
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
def wired(size: Size) -> Gates:
    """The links between groups, as the core wires them."""
    return gates(
        Topology(p=size.p, a=size.a, h=size.h, g=size.groups, global_arrangement="palmtree")
    )


def flows_of(spec: Spec, nodes: np.ndarray) -> Flows:
    """The traffic of a run, between routers.

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
    """The destinations of every rank, and the share of its packets that goes to each."""
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
