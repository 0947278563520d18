"""Topologies and links of a scenario: dimensions, cables, service nodes, changes of presets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pantala as pt

GRID = {"kind": "dragonfly_2d", "p": 2, "rows": 2, "columns": 3, "h": 2}


def machine(preset: str = "kang2022", **changes: Any) -> pt.Machine:
    return pt.Machine.of(preset, **changes)


def test_counts_of_a_one_dimensional_topology() -> None:
    shape = pt.Topology(p=2, a=4, h=2)
    assert (shape.g, shape.rows, shape.columns, shape.nodes) == (9, 1, 4, 72)
    assert shape.ports() == {"terminal": 2, "local": 3, "global": 2}
    assert pt.Topology(p=2, a=4, h=2, links_per_local_pair=3).ports()["local"] == 9


def test_counts_of_a_two_dimensional_topology() -> None:
    shape = pt.Topology(**GRID, links_per_column_pair=3)
    assert (shape.a, shape.g, shape.nodes) == (6, 13, 156)
    assert shape.ports() == {"terminal": 2, "row": 2, "column": 3, "global": 2}
    plan = shape.as_plan()
    assert plan["a"] == plan["rows"] * plan["columns"] == 6
    assert "cables_per_pair" not in plan


def test_cables_become_links() -> None:
    assert pt.Topology(**GRID, g=3, cables_per_pair=3).links_per_pair == 6
    assert pt.Topology(**GRID, g=3, cables_per_pair=3, links_per_cable=1).links_per_pair == 3
    theta = machine("theta")
    assert theta.topology.links_per_pair == 24
    assert machine("theta", topology={"links_per_cable": 1}).topology.links_per_pair == 12
    assert machine("theta", topology={"links_per_pair": 5}).topology.links_per_pair == 5
    assert machine("kang2022", topology={"g": 5, "cables_per_pair": 2}).topology.links_per_pair == 4


@pytest.mark.parametrize("name", pt.machine_presets())
def test_a_topology_reads_its_own_output(name: str) -> None:
    shape = machine(name).topology
    assert pt.Topology.model_validate(shape.model_dump()) == shape
    assert pt.Topology.model_validate(shape.as_given()) == shape
    whole = machine(name)
    spelled = whole.model_dump(mode="json", exclude={"preset"})
    assert pt.Machine.model_validate(spelled) == whole.model_copy(update={"preset": None})


def test_local_stands_for_row_and_column() -> None:
    links = machine(topology=GRID).links
    assert links.local is None
    assert links.row == links.column == machine().links.local
    changed = machine(
        topology=GRID, links={"local": {"latency": "5 ns"}, "row": {"latency": "6 ns"}}
    ).links
    assert {name: str(link.latency) for name, link in changed.classes().items()} == {
        "terminal": "10 ns",
        "row": "6 ns",
        "column": "5 ns",
        "global": "300 ns",
    }
    theta = machine("theta", links={"local": {"latency": "5 ns"}}).links
    assert [str(link.latency) for link in (theta.row, theta.column) if link] == ["5 ns", "5 ns"]
    link = pt.Link(bandwidth="1 GB/s", latency="1 ns")
    made = machine(topology=GRID, links=pt.Links(terminal=link, local=link, global_=link))
    assert set(made.links.classes()) == {"terminal", "row", "column", "global"}


def test_a_preset_with_all_groups_keeps_all_groups() -> None:
    assert machine(topology={"a": 4}).topology.g == 17
    assert machine(topology={"a": 4, "g": 5}).topology.g == 5
    assert machine(topology={"p": 2}).topology.g == 33
    assert machine("theta", topology={"rows": 3}).topology.g == 12


@pytest.mark.parametrize(
    ("name", "nodes", "ranges"),
    [
        ("theta", 4392, [(366, 383), (750, 767)]),
        ("cori", 9668, [(9668, 13055)]),
        ("kang2022", 1056, []),
    ],
)
def test_service_nodes_are_the_last_of_each_group(
    name: str, nodes: int, ranges: list[tuple[int, int]]
) -> None:
    chosen = machine(name)
    assert chosen.job_nodes == nodes
    service = chosen.service_ranges()
    assert service[:2] == ranges
    assert sum(last - first + 1 for first, last in service) == chosen.nodes - nodes
    if name == "theta":
        assert {last - first + 1 for first, last in service} == {18}
        assert len(service) == 12


def test_uneven_service_nodes_fill_the_first_groups() -> None:
    chosen = machine(topology={"p": 2, "a": 2, "h": 1, "g": 3}, compute_nodes=8)
    assert chosen.service_ranges() == [(2, 3), (7, 7), (11, 11)]
    assert machine(
        topology={"p": 2, "a": 2, "h": 1, "g": 3}, compute_nodes=10
    ).service_ranges() == [(3, 3), (7, 7)]
    assert machine("theta", topology={"g": 3}).job_nodes == 1152, (
        "a new shape drops the service nodes"
    )


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (
            lambda: machine(topology={"rows": 2}),
            "topology.rows = 2: is not a key of a one-dimensional Dragonfly; remove",
        ),
        (
            lambda: machine(topology=GRID | {"links_per_local_pair": 2}),
            "topology.links_per_local_pair = 2: is not a key of a two-dimensional Dragonfly",
        ),
        (
            lambda: machine(topology=GRID | {"a": 5}),
            "topology.a = 5: follows from rows and columns; remove it",
        ),
        (lambda: machine(topology=GRID | {"rows": 0}), "topology.rows = 0: must be at least 1"),
        (
            lambda: machine(topology={"kind": "dragonfly_2d", "p": 1, "rows": 2, "h": 1}),
            "topology.columns: is missing",
        ),
        (
            lambda: machine(topology={"kind": "torus"}),
            'topology.kind = "torus": is not known; choose one of dragonfly,',
        ),
        (
            lambda: machine(links={"row": {"latency": "3 ns"}}),
            "links.row: is not a link class of a one-dimensional Dragonfly",
        ),
        (
            lambda: machine("theta", topology={"kind": "dragonfly", "p": 1, "a": 2, "h": 1}),
            "links.local: is missing; add links.local",
        ),
        (
            lambda: machine(topology={"cables_per_pair": 2, "links_per_pair": 3}),
            "topology.links_per_pair = 3: is not cables_per_pair * links_per_cable = 4; give",
        ),
        (
            lambda: machine(compute_nodes=2000),
            "compute_nodes = 2000: is more than the 1,056 nodes of the machine",
        ),
        (
            lambda: machine(nic={"responses": "yes"}),
            'nic.responses = "yes": is neither true nor false',
        ),
        (
            lambda: machine("prisacari2015(4,8)"),
            'preset = "prisacari2015(4,8)": takes 3 numbers: p, a, h; write e.g.',
        ),
        (lambda: machine("prisacari2015(4,0,4)"), "takes 3 numbers: p, a, h"),
        (
            lambda: machine("theta(4)"),
            "preset = \"theta(4)\": does not take numbers; write 'theta'",
        ),
        (lambda: machine("tetha"), "is not a preset; did you mean 'theta'?"),
    ],
)
def test_a_wrong_machine_is_one_line(make: Callable[[], object], says: str) -> None:
    with pytest.raises(pt.ScenarioError) as refused:
        make()
    assert says in str(refused.value)


def test_responses_can_be_switched_on() -> None:
    for value, is_on in ((True, True), ("on", True), ("off", False), (False, False)):
        assert machine(nic={"responses": value}).nic.responses is is_on
    assert machine("theta").nic.responses
    assert not machine("wang2020_2d").nic.responses
