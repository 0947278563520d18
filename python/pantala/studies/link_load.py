"""The exact load of every link of a Dragonfly under known traffic, by enumeration of paths.

Every source injects at rate 1 (a terminal link's bandwidth). Oblivious routings send a known share
over every path: minimal routing all of it, Valiant's routing an equal share through every
intermediate. So the load of each link is a sum. Loads grow in proportion to the rate, so the first
link is full at a rate of one over the largest load.

The model has no buffers, arbiters or packets. It is an upper bound for a simulator in which all
sources send at one rate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from pantala.errors import UsageError
from pantala.planning.topology import link_table
from pantala.scenario import Topology

__all__ = ["Flows", "Gateways", "LinkLoads", "gateways", "link_loads"]


@dataclass(frozen=True)
class Gateways:
    """The gateway routers: the two ends of the link between each pair of groups.

    Exactly one link must join each pair of groups.

    Attributes:
        p: nodes per router.
        a: routers per group.
        exit: [group, group] number inside its group of the router from which the link starts; -1 on
            the diagonal.
        entry: [group, group] number inside the other group of the router at which the link ends.
    """

    p: int
    a: int
    exit: np.ndarray
    entry: np.ndarray

    @property
    def groups(self) -> int:
        """Number of groups."""
        return len(self.exit)


def gateways(topology: Topology) -> Gateways:
    """Returns the gateway routers of a topology, as the core connects it.

    Raises:
        UsageError: two groups have no link, or more than one, or a group lacks links.
    """
    table = link_table(topology)
    links = table.filter(pl.col("class") == "global")
    source, target = links["source_group"].to_numpy(), links["target_group"].to_numpy()
    g, a = topology.g, topology.a
    count = np.zeros((g, g), dtype=int)
    np.add.at(count, (source, target), 1)
    if not (count == 1 - np.eye(g, dtype=int)).all():
        raise UsageError(
            "the exact model needs exactly one link between every two groups; take g = a*h + 1"
        )
    if table.height - links.height != g * a * (a - 1):
        raise UsageError(
            "the exact model needs a link between every two routers of a group; remove failed_links"
        )
    exits, entries = np.full((g, g), -1), np.full((g, g), -1)
    exits[source, target] = links["source_router"].to_numpy() % a
    entries[source, target] = links["target_router"].to_numpy() % a
    return Gateways(topology.p, a, exits, entries)


@dataclass(frozen=True)
class Flows:
    """Traffic between routers, if every node injects at rate 1.

    Attributes:
        source: [flow] the router that sends.
        target: [flow] the router that receives.
        rate: [flow] in units of the bandwidth of a terminal link.
    """

    source: np.ndarray
    target: np.ndarray
    rate: np.ndarray

    @classmethod
    def of_nodes(
        cls, source: np.ndarray, target: np.ndarray, share: np.ndarray, nodes_per_router: int
    ) -> Flows:
        """Returns traffic between nodes, summed by routers.

        Args:
            source: [pair] the node that sends.
            target: [pair] the node that receives.
            share: [pair] the share of the source's traffic, from 0 to 1.
            nodes_per_router: p of the topology.
        """
        routers = np.stack([source // nodes_per_router, target // nodes_per_router])
        pairs, which = np.unique(routers, axis=1, return_inverse=True)
        return cls(pairs[0], pairs[1], np.bincount(which.ravel(), share))

    def where(self, chosen: np.ndarray) -> Flows:
        """Returns a selection of the flows."""
        return Flows(self.source[chosen], self.target[chosen], self.rate[chosen])


@dataclass(frozen=True)
class LinkLoads:
    """Load of every directed link, in units of its bandwidth, if every node injects at rate 1.

    Attributes:
        local: [group, router, router] from the first to the second.
        transit: the part of `local` that belongs to packets whose source and destination are both
            in other groups.
        global_: [group, group] from the first to the second.
    """

    local: np.ndarray
    transit: np.ndarray
    global_: np.ndarray

    @property
    def largest(self) -> float:
        """The largest load of a link between routers."""
        return float(max(self.local.max(), self.global_.max()))


def link_loads(wired: Gateways, flows: Flows, routing: str) -> LinkLoads:
    """Returns the load of every link; all links are as fast as a terminal link.

    Args:
        wired: the network.
        flows: the traffic.
        routing: minimal, valiant_group or valiant_node. Traffic inside a group is minimal under all
            of them. The intermediate is uniform over all groups (or their routers) except those of
            source and destination.

    Raises:
        UsageError: there is no exact model of the routing, or a flow is not between two routers of
            the network.
    """
    _check(flows, wired)
    count = _Counter(wired)
    a = wired.a
    inside = flows.source // a == flows.target // a
    home = flows.where(inside)
    count.local(home.source // a, home.source % a, home.target % a, home.rate)
    away = flows.where(~inside)
    if routing == "minimal":
        count.minimal(away)
    elif routing in ("valiant_group", "valiant_node"):
        count.valiant(away, through_router=routing == "valiant_node")
    else:
        raise UsageError(
            f"routing = '{routing}': has no exact model; take minimal, valiant_group or"
            " valiant_node"
        )
    return LinkLoads(count.locals[0] + count.locals[1], count.locals[1], count.globals)


def _check(flows: Flows, wired: Gateways) -> None:
    routers = wired.groups * wired.a
    for name in ("source", "target"):
        found = np.asarray(getattr(flows, name))
        outside = found[(found < 0) | (found >= routers)]
        if outside.size:
            raise UsageError(
                f"flows.{name} = {outside[0]}: is no router of the network; its {routers:,} routers"
                f" have numbers from 0, and node n is at router n // {wired.p}"
            )
    if not np.all(np.isfinite(flows.rate) & (np.asarray(flows.rate) >= 0)):
        raise UsageError("flows.rate: has a number that is no rate; write finite numbers from 0")


class _Counter:
    """Adds up flows, link by link."""

    def __init__(self, wired: Gateways) -> None:
        self.wired = wired
        g, a = wired.groups, wired.a
        #: [0: ends of a path, 1: transit; group, router, router]
        self.locals = np.zeros((2, g, a, a))
        self.globals = np.zeros((g, g))

    def local(
        self,
        group: np.ndarray,
        here: np.ndarray,
        there: np.ndarray,
        rate: np.ndarray,
        *,
        transit: bool = False,
    ) -> None:
        """Adds flows between routers inside a group; a flow to its own router needs no link."""
        moving = here != there
        at = (group[moving], here[moving], there[moving])
        np.add.at(self.locals[int(transit)], at, rate[moving])

    def hop(self, source: np.ndarray, target: np.ndarray, rate: np.ndarray) -> None:
        """Adds flows over the link between two groups."""
        np.add.at(self.globals, (source, target), rate)

    def minimal(self, flows: Flows) -> None:
        """Adds minimal paths: local, global, local."""
        wired, a = self.wired, self.wired.a
        source, target = flows.source // a, flows.target // a
        self.local(source, flows.source % a, wired.exit[source, target], flows.rate)
        self.hop(source, target, flows.rate)
        self.local(target, wired.entry[source, target], flows.target % a, flows.rate)

    def valiant(self, flows: Flows, *, through_router: bool) -> None:
        """Adds paths through every third group in equal shares.

        With `through_router` the paths go through each router of the third group.
        """
        wired, a, g = self.wired, self.wired.a, self.wired.groups
        for third in range(g):
            taken = flows.where((flows.source // a != third) & (flows.target // a != third))
            source, target, rate = taken.source // a, taken.target // a, taken.rate / (g - 2)
            group = np.full(len(rate), third)
            enters, leaves = wired.entry[source, third], wired.exit[third, target]
            self.local(source, taken.source % a, wired.exit[source, third], rate)
            self.hop(source, group, rate)
            if through_router:
                for router in range(a):
                    stop = np.full(len(rate), router)
                    self.local(group, enters, stop, rate / a, transit=True)
                    self.local(group, stop, leaves, rate / a, transit=True)
            else:
                self.local(group, enters, leaves, rate, transit=True)
            self.hop(group, target, rate)
            self.local(target, wired.entry[third, target], taken.target % a, rate)
