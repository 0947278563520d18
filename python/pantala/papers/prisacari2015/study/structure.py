"""The paper's claims about the network itself, counted on the network without a run."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

import numpy as np

from pantala.papers.prisacari2015.study.model import topology, wired
from pantala.papers.prisacari2015.study.networks import Size, changes_of, scenario
from pantala.planning.deadlock import deadlock
from pantala.planning.topology import link_table
from pantala.scenario import Scenario
from pantala.studies.link_load import Gateways

__all__ = [
    "ROUTINGS",
    "channels",
    "longest_paths",
    "nodes_and_links",
    "offsets_of_wiring",
    "shortest_paths",
    "transit_links",
]

#: The routings of the paper: shortest path, ValiantRestricted (VR) and ValiantAny (VA).
ROUTINGS = ("minimal", "valiant_group", "valiant_node")


@lru_cache
def offsets_of_wiring(size: Size) -> tuple[int, ...]:
    """Returns the offsets of remote links from the paper's formula, modulo the number of groups.

    An offset is the number of groups between the end of a link and the group of the formula.
    """
    table = link_table(topology(size)).to_dict(as_series=False)
    first = size.p + size.a - 1
    offsets = set()
    for kind, router, port, group, target in zip(
        table["class"],
        table["source_router"],
        table["source_port"],
        table["source_group"],
        table["target_group"],
        strict=True,
    ):
        if kind == "global":
            formula = group + router % size.a * size.h + port - first
            offsets.add((target - formula) % size.groups)
    return tuple(sorted(offsets))


@lru_cache
def nodes_and_links(size: Size) -> tuple[int, int]:
    """Returns the machine's nodes, and its remote links in both directions."""
    plan = _scenario(size, "minimal").resolve()
    return plan["derived"]["nodes"], int((wired(size).exit >= 0).sum())


@lru_cache
def shortest_paths(size: Size) -> tuple[int, float]:
    """Returns the diameter in links, and the share of router pairs with one shortest path only.

    The pairs are in different groups. All paths count, also paths over two remote links.
    """
    net, a = wired(size), size.a
    routers = size.routers
    joined = np.kron(np.eye(size.groups), np.ones((a, a)) - np.eye(a))
    source, target = np.nonzero(net.exit >= 0)
    joined[source * a + net.exit[source, target], target * a + net.entry[source, target]] = 1
    known, paths, length = joined.astype(bool) | np.eye(routers, dtype=bool), joined, 1
    single = joined == 1
    while not known.all():
        paths, length = paths @ joined, length + 1
        fresh = (paths > 0) & ~known
        single |= fresh & (paths == 1)
        known |= fresh
    group = np.arange(routers) // a
    apart = group[:, None] != group[None, :]
    return length, float(single[apart].mean())


@lru_cache
def longest_paths(size: Size, routing: str) -> frozenset[str]:
    """Returns the classes of links (L, R) along the longest paths that a routing can take."""
    paths = set(_paths(wired(size), routing))
    most = max(map(len, paths))
    return frozenset(path for path in paths if len(path) == most)


def _paths(net: Gateways, routing: str) -> Iterator[str]:
    """Yields the classes along every path between routers of different groups."""
    g, a = net.groups, net.a
    for source, target in product(range(g), range(g)):
        if source == target:
            continue
        for start, end in product(range(a), range(a)):
            if routing == "minimal":
                yield _minimal_path(net, source, start, target, end)
                continue
            for third in set(range(g)) - {source, target}:
                entry = int(net.entry[source, third])
                for router in range(a) if routing == "valiant_node" else (entry,):
                    yield _minimal_path(net, source, start, third, router) + _minimal_path(
                        net, third, router, target, end
                    )


def _minimal_path(net: Gateways, source: int, start: int, target: int, end: int) -> str:
    """Returns the classes along the minimal path between two routers of a group and another."""
    return (
        "L" * int(start != net.exit[source, target])
        + "R"
        + "L" * int(end != net.entry[source, target])
    )


@lru_cache
def channels(size: Size, routing: str) -> tuple[int, bool]:
    """Returns the virtual channels of a routing, and whether its graph has a cycle."""
    graph = deadlock(_scenario(size, routing))
    return graph["virtual_channels"], graph["cycle"] is not None


def transit_links(transit: np.ndarray) -> int:
    """Returns the maximum number of a router's local links that carry transit traffic.

    Args:
        transit: as in `LinkLoads`.
    """
    return int((transit > 1e-9).sum(axis=2).max())


def _scenario(size: Size, routing: str) -> Scenario:
    changes = changes_of("shift", size) | {"routing.algorithm": routing}
    return Scenario.from_dict(scenario("structure"), changes=changes)
