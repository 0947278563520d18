"""The exact load of every link of a Dragonfly under traffic that is known, by enumerating paths.

Every source injects at rate 1 (a terminal link's bandwidth). Oblivious routings send a known share
over every path: minimal all of it, Valiant's an equal share through every intermediate. So the load
of each link is a sum, and as loads grow in proportion to the rate, the rate at which the first link
is full is one over the largest load.

Nothing of a simulation is in it: no buffers, no arbiters, no packets. It is the upper bound that a
simulator with all sources at one rate must keep to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from pantala.errors import UsageError
from pantala.scenario import Topology
from pantala.topology import link_table

__all__ = ["Flows", "Gates", "LinkLoads", "gates", "link_loads"]


@dataclass(frozen=True)
class Gates:
    """Who owns the link from each group to each other one, where exactly one link joins two groups.

    Attributes:
        p: nodes a router.
        a: routers a group.
        exit: [group, group] number inside its group of the router from which the link starts; -1 on
            the diagonal.
        entry: [group, group] number inside the other group of the router at which it ends.
    """

    p: int
    a: int
    exit: np.ndarray
    entry: np.ndarray

    @property
    def groups(self) -> int:
        """Number of groups."""
        return len(self.exit)


def gates(topology: Topology) -> Gates:
    """The gates of a topology, as the core wires it.

    Raises:
        UsageError: two groups have no link, or more than one.
    """
    links = link_table(topology).filter(pl.col("class") == "global")
    source, target = links["source_group"].to_numpy(), links["target_group"].to_numpy()
    g, a = topology.g, topology.a
    count = np.zeros((g, g), dtype=int)
    np.add.at(count, (source, target), 1)
    if not (count == 1 - np.eye(g, dtype=int)).all():
        raise UsageError(
            "the exact model needs exactly one link between every two groups; take g = a*h + 1"
        )
    exits, entries = np.full((g, g), -1), np.full((g, g), -1)
    exits[source, target] = links["source_router"].to_numpy() % a
    entries[source, target] = links["target_router"].to_numpy() % a
    return Gates(topology.p, a, exits, entries)


@dataclass(frozen=True)
class Flows:
    """Traffic between routers: [flow] source router, target router, and rate while every node
    injects at rate 1.
    """

    source: np.ndarray
    target: np.ndarray
    rate: np.ndarray

    @classmethod
    def of_nodes(
        cls, source: np.ndarray, target: np.ndarray, share: np.ndarray, nodes_per_router: int
    ) -> Flows:
        """Traffic between nodes, [pair] each with a share of its source's rate, summed up by
        routers.
        """
        routers = np.stack([source // nodes_per_router, target // nodes_per_router])
        pairs, which = np.unique(routers, axis=1, return_inverse=True)
        return cls(pairs[0], pairs[1], np.bincount(which.ravel(), share))

    def where(self, chosen: np.ndarray) -> Flows:
        """Some of the flows."""
        return Flows(self.source[chosen], self.target[chosen], self.rate[chosen])


@dataclass(frozen=True)
class LinkLoads:
    """Load of every directed link, in units of its bandwidth, while every node injects at rate 1.

    Attributes:
        local: [group, router, router] from the first to the second.
        transit: the part of `local` that is of packets whose source and destination are both in
            other groups.
        global_: [group, group] from the first to the second.
    """

    local: np.ndarray
    transit: np.ndarray
    global_: np.ndarray

    @property
    def largest(self) -> float:
        """The largest load of a link between routers."""
        return float(max(self.local.max(), self.global_.max()))


def link_loads(wired: Gates, flows: Flows, routing: str) -> LinkLoads:
    """The load of every link, all links as fast as a terminal link.

    Args:
        wired: the network.
        flows: the traffic.
        routing: minimal, valiant_group or valiant_node. Traffic inside a group is minimal under all
            of them; the intermediate is uniform over all groups (or their routers) but the source's
            and the destination's.

    Raises:
        UsageError: there is no exact model of the routing.
    """
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


class _Counter:
    """Adds flows up, link by link."""

    def __init__(self, wired: Gates) -> None:
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
        """Flows from router to router inside a group; who is there already needs no link."""
        moving = here != there
        at = (group[moving], here[moving], there[moving])
        np.add.at(self.locals[int(transit)], at, rate[moving])

    def hop(self, source: np.ndarray, target: np.ndarray, rate: np.ndarray) -> None:
        """Flows over the link between two groups."""
        np.add.at(self.globals, (source, target), rate)

    def minimal(self, flows: Flows) -> None:
        """Local, global, local."""
        wired, a = self.wired, self.wired.a
        source, target = flows.source // a, flows.target // a
        self.local(source, flows.source % a, wired.exit[source, target], flows.rate)
        self.hop(source, target, flows.rate)
        self.local(target, wired.entry[source, target], flows.target % a, flows.rate)

    def valiant(self, flows: Flows, *, through_router: bool) -> None:
        """To every third group in equal shares, and on from there; `through_router`: by way of each
        of its routers.
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
