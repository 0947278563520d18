"""The exact link utilization, against closed forms, a count of all paths, and the core."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pantala as pt
from pantala.errors import UsageError
from pantala.planning.topology import link_table
from pantala.studies.link_load import Flows, Gateways, LinkLoads, gateways, link_loads

pytestmark = pytest.mark.native


def wired(
    p: int, a: int, h: int, global_arrangement: str = "palmtree"
) -> tuple[pt.Topology, Gateways]:
    data: dict[str, Any] = {
        "p": p,
        "a": a,
        "h": h,
        "g": a * h + 1,
        "global_arrangement": global_arrangement,
    }
    topology = pt.Topology.model_validate(data)
    return topology, gateways(topology)


def permutation(net: Gateways, targets: np.ndarray) -> Flows:
    """Returns the traffic in which every node sends its whole load to its target."""
    source = np.arange(len(targets))
    return Flows.of_nodes(source, targets, np.ones(len(source)), net.p)


def complement(net: Gateways) -> np.ndarray:
    nodes = net.groups * net.a * net.p
    return nodes - 1 - np.arange(nodes)


def shift(net: Gateways, groups: int) -> np.ndarray:
    nodes = net.groups * net.a * net.p
    return (np.arange(nodes) + groups * net.a * net.p) % nodes


@pytest.mark.parametrize("size", [(2, 3, 2), (2, 4, 2), (3, 6, 3)])
def test_minimal_shares_one_link_among_the_nodes_of_a_group(size: tuple[int, int, int]) -> None:
    p, a, h = size
    _, net = wired(*size)
    for targets in (complement(net), shift(net, h + 1)):
        assert link_loads(net, permutation(net, targets), "minimal").largest == pytest.approx(a * p)


@pytest.mark.parametrize("p", [2, 3, 4, 5])
def test_an_aligned_shift_under_valiant_group_has_its_closed_form(p: int) -> None:
    # With m = h + 1, the h groups linked to one switch send to the h groups linked to another
    # one. Then h flows of p*a / (g - 2) share one local link.
    _, net = wired(p, 2 * p, p)
    groups = net.groups
    transit = link_loads(net, permutation(net, shift(net, p + 1)), "valiant_group").transit
    assert transit.max() == pytest.approx(p * 2 * p * p / (groups - 2))


def test_uniform_traffic_under_valiant_fills_global_links_twice() -> None:
    _, net = wired(2, 4, 2)
    nodes = net.groups * net.a * net.p
    source, target = (
        pairs.ravel() for pairs in np.meshgrid(np.arange(nodes), np.arange(nodes), indexing="ij")
    )
    flows = Flows.of_nodes(source, target, np.full(len(source), 1 / nodes), net.p)
    away = 1 - 1 / net.groups
    for routing in ("valiant_group", "valiant_node"):
        loads = link_loads(net, flows, routing).global_[~np.eye(net.groups, dtype=bool)]
        assert loads == pytest.approx(
            2 * away
        )  # p = h, so the nodes of a group fill its global links once


def one_by_one(
    topology: pt.Topology, targets: np.ndarray, routing: str
) -> dict[tuple[int, int], float]:
    """Returns the utilization of every pair of linked routers, counted path by path."""
    a, p, groups = topology.a, topology.p, topology.g
    across = {}
    for row in link_table(topology).iter_rows(named=True):
        if row["class"] == "global":
            across[row["source_group"], row["target_group"]] = (
                row["source_router"],
                row["target_router"],
            )
    loads: dict[tuple[int, int], float] = defaultdict(float)

    def walk(routers: list[int], share: float) -> None:
        for here, there in pairwise(routers):
            if here != there:
                loads[here, there] += share

    def minimal(here: int, there: int) -> list[int]:
        if here // a == there // a:
            return [here, there]
        return [here, *across[here // a, there // a], there]

    for node, target in enumerate(targets):
        here, there = node // p, int(target) // p
        source, end = here // a, there // a
        if source == end or routing == "minimal":
            walk(minimal(here, there), 1.0)
            continue
        thirds = [group for group in range(groups) if group not in (source, end)]
        for third in thirds:
            entry = across[source, third][1]
            stops = [entry] if routing == "valiant_group" else range(third * a, third * a + a)
            for stop in stops:
                walk(minimal(here, stop) + minimal(stop, there), 1 / len(thirds) / len(stops))
    return loads


@pytest.mark.parametrize(
    ("size", "routing"),
    list(product([(2, 3, 2), (2, 4, 2)], ["minimal", "valiant_group", "valiant_node"])),
)
@pytest.mark.parametrize("global_arrangement", ["palmtree", "absolute"])
def test_the_model_agrees_with_counting_every_path(
    size: tuple[int, int, int], routing: str, global_arrangement: str
) -> None:
    topology, net = wired(*size, global_arrangement)
    rng = np.random.default_rng(7)
    nodes = net.groups * net.a * net.p
    for targets in (complement(net), shift(net, 3), rng.permutation(nodes)):
        counted = one_by_one(topology, targets, routing)
        assert by_routers(
            net, link_loads(net, permutation(net, targets), routing)
        ) == pytest.approx(counted)


def by_routers(net: Gateways, loads: LinkLoads) -> dict[tuple[int, int], float]:
    a = net.a
    found = {}
    for group, here, there in np.argwhere(loads.local > 0):
        found[int(group * a + here), int(group * a + there)] = float(
            loads.local[group, here, there]
        )
    for here, there in np.argwhere(loads.global_ > 0):
        routers = int(here * a + net.exit[here, there]), int(there * a + net.entry[here, there])
        found[routers] = float(loads.global_[here, there])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("routing", ["minimal", "valiant_group", "valiant_node"])
def test_the_core_loads_every_link_as_predicted(routing: str, tmp_path: Path) -> None:
    _, net = wired(2, 4, 2)
    load = 0.1
    data = {
        "name": "loads",
        "machine": "prisacari2015(2,4,2)",
        "routing": routing,
        "jobs": [
            {
                "name": "traffic",
                "ranks": 72,
                "placement": "contiguous",
                "workload": {"kind": "pattern", "pattern": "shift", "offset": 24, "load": load},
            }
        ],
        "stop": {"duration": "2 ms"},
        "record": {"packets": "off", "link_windows": False},
    }
    run = pt.run(pt.Scenario.from_dict(data), tmp_path / "run", report=False)
    assert isinstance(run, pt.Run)
    links = run.links.filter(pl.col("class").is_in(["local", "global"])).collect()
    predicted = by_routers(net, link_loads(net, permutation(net, shift(net, 3)), routing))
    for here, there, measured in links.select(
        "source_router", "target_router", "utilization"
    ).iter_rows():
        expected = load * predicted.get((here, there), 0.0)
        assert measured == pytest.approx(expected, rel=0.05, abs=0.003)


def test_several_links_per_pair_have_no_exact_model() -> None:
    with pytest.raises(UsageError, match="exactly one link"):
        gateways(pt.Topology(p=2, a=4, h=2, g=5, links_per_pair=2))
    _, net = wired(2, 3, 2)
    with pytest.raises(UsageError, match="ugal_g"):
        link_loads(net, permutation(net, complement(net)), "ugal_g")


def test_flows_are_between_routers_of_the_network() -> None:
    _, net = wired(2, 3, 2)
    nodes = np.arange(net.groups * net.a * net.p)
    share = np.ones(len(nodes))
    for source, target, says in (
        (nodes, nodes + 1, r"flows\.target = 21: is no router"),
        (nodes - 1, nodes, r"flows\.source = -1: is no router"),
    ):
        with pytest.raises(UsageError, match=says):
            link_loads(net, Flows.of_nodes(source, target, share, net.p), "minimal")
    with pytest.raises(UsageError, match=r"flows\.rate"):
        link_loads(net, Flows.of_nodes(nodes, nodes, share * np.nan, net.p), "minimal")
