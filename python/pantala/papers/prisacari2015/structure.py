"""The paper's claims about the network itself, counted on the network without a run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from pantala.papers.prisacari2015.model import remote_links, wired
from pantala.papers.prisacari2015.runs import ANY, MINIMAL, RESTRICTED, Configuration, Size, Spec
from pantala.planning import topology
from pantala.planning.deadlock import deadlock
from pantala.scenario import Topology
from pantala.studies.link_load import Gateways

__all__ = [
    "channels",
    "counts",
    "longest_paths",
    "offset_of_wiring",
    "shortest_paths",
    "transit_links",
]


def offset_of_wiring(size: Size) -> set[int]:
    """Returns the offset of remote links from the paper's formula, modulo the number of groups.

    The offset is the number of groups between the end of a link and the group of the formula.
    """
    net = wired(size)
    table = topology.link_table(_topology(size)).to_dict(as_series=False)
    ports = net.p + size.a - 1
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
            formula = group + router % size.a * size.h + port - ports
            offsets.add((target - formula) % size.groups)
    return offsets


def counts(size: Size) -> tuple[int, int, int]:
    """Returns the machine's nodes, its remote links in both directions, and N_r of equation (2)."""
    plan = Spec(size, "shift", MINIMAL).scenario(1).resolve()
    return plan["derived"]["nodes"], int((wired(size).exit >= 0).sum()), remote_links(size)


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


def longest_paths(size: Size) -> dict[str, set[str]]:
    """Returns the classes of links (L, R) along the longest paths that each routing can take."""
    net = wired(size)
    found = {}
    for configuration in (MINIMAL, RESTRICTED, ANY):
        paths = set(_paths(net, configuration))
        most = max(map(len, paths))
        found[configuration.routing] = {path for path in paths if len(path) == most}
    return found


def _paths(net: Gateways, configuration: Configuration) -> Iterator[str]:
    """Yields the classes along every path between routers of different groups.

    The paths start at router 0 of each group.
    """
    g, a = net.groups, net.a
    for source, target in product(range(g), range(g)):
        if source == target:
            continue
        for start, end in product(range(a), range(a)):
            if configuration is MINIMAL:
                yield _minimal_path(net, source, start, target, end)
                continue
            for third in set(range(g)) - {source, target}:
                entry = int(net.entry[source, third])
                for router in range(a) if configuration is ANY else (entry,):
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


def channels(size: Size) -> dict[str, tuple[int, bool]]:
    """Returns the virtual channels of each routing, and whether its graph has no cycle."""
    found = {}
    for configuration in (MINIMAL, RESTRICTED, ANY):
        graph = deadlock(Spec(size, "shift", configuration).scenario(1))
        found[configuration.routing] = (graph["virtual_channels"], graph["cycle"] is None)
    return found


def transit_links(transit: np.ndarray) -> int:
    """Returns the maximum number of a router's local links that carry transit traffic.

    Args:
        transit: as in `LinkLoads`.
    """
    return int((transit > 1e-9).sum(axis=2).max())


def _topology(size: Size) -> Topology:
    return Topology(p=size.p, a=size.a, h=size.h, g=size.groups, global_arrangement="palmtree")
