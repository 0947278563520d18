"""Compact, dispersed, hybrid and numbered placements in scenarios, and files of nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pantala as pt

SMALL = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
LOOP = {"kind": "allreduce_loop", "message": "8 B", "iterations": 1}


def scenario(jobs: list[dict[str, Any]], *, machine: Any = SMALL, seed: int = 1) -> pt.Scenario:
    named = [{"name": f"job{number}", "workload": LOOP, **each} for number, each in enumerate(jobs)]
    return pt.Scenario.from_dict(
        {"name": "s", "machine": machine, "routing": "minimal", "seed": seed, "jobs": named}
    )


def nodes_of(*arguments: Any, **named: Any) -> list[list[int]]:
    return [job["nodes"] for job in scenario(*arguments, **named).resolve()["jobs"]]


@pytest.mark.parametrize(("count", "ranks"), [(16, 256), (8, 512)])
def test_the_ensembles_of_chunduri_fit_on_theta(count: int, ranks: int) -> None:
    """Compact jobs have one or two groups; dispersed jobs have eleven or twelve."""
    for kind, spans in (("compact", {1, 2}), ("dispersed", {11, 12})):
        jobs = [{"ranks": ranks, "placement": kind}] * count
        found = nodes_of(jobs, machine="theta")
        size = 4608 // 12
        assert {len({node // size for node in nodes}) for nodes in found} <= spans
        everywhere = [node for nodes in found for node in nodes]
        assert len(everywhere) == len(set(everywhere)) == count * ranks


def test_jobs_with_own_nodes_come_first() -> None:
    found = nodes_of(
        [
            {"ranks": 8, "placement": "random"},
            {"ranks": 8, "placement": {"kind": "compact", "groups": 1}},
            {"ranks": 4, "placement": {"kind": "nodes", "nodes": [0, 2, 4, 6]}},
            {"ranks": 4, "placement": {"kind": "contiguous", "first_node": 8}},
            {"ranks": 4, "placement": "contiguous"},
            {"ranks": 9, "placement": "dispersed"},
        ]
    )
    assert found[1] == list(range(16, 24)), "groups 0 and 1 have fewer than eight free nodes"
    assert found[2:4] == [[0, 2, 4, 6], [8, 9, 10, 11]]
    assert len({node for nodes in found for node in nodes}) == 37


def test_ranks_share_the_nodes_of_a_compact_job() -> None:
    resolved = scenario([{"ranks": 10, "ranks_per_node": 4, "placement": "compact"}]).resolve()
    assert resolved["jobs"][0]["nodes"] == [0, 1, 2]


def test_jobs_share_a_random_numbering_of_groups() -> None:
    numbered = {"kind": "contiguous", "numbering": "random_groups"}
    one = nodes_of([{"ranks": 72, "placement": numbered}])[0]
    groups = [one[first : first + 8] for first in range(0, 72, 8)]
    assert all(group == list(range(group[0], group[0] + 8)) for group in groups)
    assert sorted(one) == list(range(72)) != one
    two = nodes_of([{"ranks": 36, "placement": numbered}] * 2)
    assert two[0] + two[1] == one, "the second job goes on where the first ends"
    assert nodes_of([{"ranks": 72, "placement": numbered}], seed=2)[0] != one
    with pytest.raises(pt.ScenarioError, match="remove first_node or numbering"):
        scenario([{"ranks": 8, "placement": {**numbered, "first_node": 3}}])


def test_hybrid_placement_is_that_of_yang() -> None:
    """AMG sends least in workload I; MultiGrid and CrystalRouter are random (section 6)."""
    mixed = {"preset": "yang2016.workload1", "placement": "hybrid"}
    made = pt.Scenario.from_dict(
        {"name": "s", "machine": "yang2016", "routing": "minimal", "jobs": mixed}
    )
    kinds = {job["name"]: job["placement"]["kind"] for job in made.resolve()["jobs"]}
    assert kinds.pop("amg") == "contiguous"
    assert set(kinds.values()) == {"random"}
    assert len(kinds) == 2


def test_a_threshold_decides_for_its_job() -> None:
    job = {"ranks": 8, "workload": {**LOOP, "message": "1 MB"}}
    for size, kind in (("1 kB", "random"), ("1 GB", "contiguous")):
        hybrid = {"kind": "hybrid", "random_from": size}
        plan = scenario([{**job, "placement": hybrid}]).resolve()
        assert plan["jobs"][0]["placement"] == {"kind": kind}


def test_nodes_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "nodes.txt"
    file.write_text("# two routers\n8-11, 3\n\n1 # the last\n")
    placement = {"kind": "nodes", "nodes": {"file": str(file)}}
    assert nodes_of([{"ranks": 6, "placement": placement}]) == [[8, 9, 10, 11, 3, 1]]


def test_a_file_of_nodes_lies_beside_its_scenario(tmp_path: Path) -> None:
    (tmp_path / "nodes.txt").write_text("5\n")
    (tmp_path / "s.toml").write_text(
        'name = "s"\nmachine = "kang2022"\nrouting = "minimal"\n[[jobs]]\nname = "a"\nranks = 1\n'
        'placement = { kind = "nodes", nodes = { file = "nodes.txt" } }\n'
        'workload = { kind = "allreduce_loop", message = "8 B", iterations = 1 }\n'
    )
    assert pt.Scenario.from_toml(tmp_path / "s.toml").resolve()["jobs"][0]["nodes"] == [5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read: No such file"),
        ("", "has no nodes; write node numbers"),
        ("1\nnid00012\n", 'line 2 has "nid00012", which is neither a node nor a range'),
        ("7-3", 'line 1 has "7-3", which is neither'),
        ("0-99999999", 'has "0-99999999", which is beyond the nodes of any machine'),
        ("0-99999999999", 'has "0-99999999999", which is beyond the nodes of any machine'),
        ("99999999999", 'has "99999999999", which is beyond the nodes of any machine'),
    ],
)
def test_a_wrong_file_of_nodes_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    file = tmp_path / "nodes.txt"
    if text is not None:
        file.write_text(text)
    with pytest.raises(pt.ScenarioError) as raised:
        scenario([{"ranks": 1, "placement": {"kind": "nodes", "nodes": {"file": str(file)}}}])
    assert message in str(raised.value)
    assert "jobs[0].placement.nodes.file" in str(raised.value)


@pytest.mark.parametrize(
    ("placement", "message"),
    [
        (
            {"kind": "compact", "groups": 1},
            "jobs[0].placement.groups = 1: no range of 20 free nodes lies in so few groups; raise",
        ),
        ({"kind": "dispersed", "groups": 2}, "groups = 2: no 2 of the 9 groups with free nodes"),
        ({"kind": "dispersed", "groups": 21}, "are more groups than the job has nodes (20)"),
        (
            {"kind": "dispersed", "groups": 12},
            "groups = 12: are more groups than have free nodes (9); write at most 9",
        ),
        ({"kind": "compact", "groups": 0}, "groups = 0: must be at least 1"),
        ({"kind": "hybrid", "random_from": "0 B"}, 'random_from = "0 B": must be more than zero'),
        ("disperse", "did you mean 'dispersed'?"),
    ],
)
def test_a_wrong_placement_is_refused(placement: Any, message: str) -> None:
    with pytest.raises(pt.ScenarioError) as raised:
        scenario([{"ranks": 20, "placement": placement}]).resolve()
    assert message in str(raised.value)


def test_too_many_ranks_are_refused_as_for_any_placement() -> None:
    for placement in ("compact", "dispersed", "hybrid", "random"):
        with pytest.raises(pt.ScenarioError, match="jobs = 73 ranks: more ranks than the machine"):
            scenario([{"ranks": 73, "placement": placement}]).resolve()


def test_a_numbering_without_room_is_refused() -> None:
    numbered = {"kind": "contiguous", "numbering": "random_groups"}
    taken = {"kind": "nodes", "nodes": list(range(0, 72, 4))}
    with pytest.raises(pt.ScenarioError, match="no 8 consecutive nodes are free under this num"):
        scenario([{"ranks": 8, "placement": numbered}, {"ranks": 18, "placement": taken}]).resolve()


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        ("nodes.txt", 'jobs[0].placement.nodes = "nodes.txt": is not a list; write e.g. [1, 2],'),
        (7, "jobs[0].placement.nodes = 7: is not a list; write e.g. [1, 2], or"),
        ([1, -2], "jobs[0].placement.nodes[1] = -2: must be at least 0"),
        ({"flie": "x"}, "jobs[0].placement.nodes.flie = \"x\": unknown key; did you mean 'file'?"),
    ],
)
def test_wrong_lists_of_nodes_have_one_fault(nodes: object, text: str) -> None:
    job = {"name": "a", "ranks": 2, "workload": LOOP}
    placement = {"kind": "nodes", "nodes": nodes}
    data = {"name": "s", "machine": "kang2022", "routing": "minimal"}
    with pytest.raises(pt.ScenarioError) as raised:
        pt.Scenario.from_dict({**data, "jobs": [{**job, "placement": placement}]})
    assert text in str(raised.value)
    assert "tuple" not in str(raised.value)
