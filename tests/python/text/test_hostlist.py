"""Slurm's host lists: expansion, folding, tasks per node, and the placement of a job."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pantala as pt
from pantala.scenario.hostlist import HostlistFault, expand, fold, tasks_per_node


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("login", ["login"]),
        ("n[8-11]", ["n8", "n9", "n10", "n11"]),
        ("n[08-11]", ["n08", "n09", "n10", "n11"]),
        ("nid[007-010,002]", ["nid007", "nid008", "nid009", "nid010", "nid002"]),
        ("r[1-2]n[0-1]", ["r1n0", "r1n1", "r2n0", "r2n1"]),
        ("r[1-2]-ib, x\n y[3]z", ["r1-ib", "r2-ib", "x", "y3z"]),
        ("a1,a1,[5]", ["a1", "a1", "5"]),
    ],
)
def test_a_list_is_expanded_in_order(text: str, hosts: list[str]) -> None:
    assert expand(text) == hosts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no hosts"),
        (" ,, ", "has no hosts"),
        ("n[1-2", "has a [ without ]"),
        ("n1]", "has a ] without ["),
        ("n[[1]]", "has a [ inside brackets"),
        ("n[]", "has '', which is neither a number nor a range"),
        ("n[1-]", "has '1-', which is neither"),
        ("n[a-b]", "has 'a-b', which is neither"),
        ("n[4-2]", "has the range 4-2, which ends before it starts; write 2-4"),
        ("n[0-99999999]", "has more than 262,144 hosts"),
        ("n[0-9999][0-9999][0-9999]", "has more than 262,144 hosts"),
        ("n[0-999999999999999999999]", "which is neither a number nor a range"),
    ],
)
def test_a_wrong_list_is_refused(text: str, message: str) -> None:
    with pytest.raises(HostlistFault) as raised:
        expand(text)
    assert message in str(raised.value)


def test_hosts_are_folded() -> None:
    assert fold(["nid012", "nid013", "nid020", "x", "y9", "y10", "y9"]) == (
        "nid[012-013,020],x,y[9-10,9]"
    )
    assert fold(["n9", "n010", "n099", "n100"]) == "n[9,010,099-100]"


HOST = st.from_regex(r"\A[a-c]{0,2}[0-9]{0,4}(-[a-b])?\Z").filter(bool)


@given(st.lists(HOST, min_size=1, max_size=40))
def test_folded_hosts_expand_to_themselves(hosts: list[str]) -> None:
    assert expand(fold(hosts)) == hosts


@given(st.integers(0, 3), st.integers(0, 1200), st.integers(1, 300))
def test_a_run_of_hosts_is_one_range(width: int, first: int, count: int) -> None:
    hosts = [f"n{number:0{width}d}" for number in range(first, first + count)]
    short = fold(hosts)
    assert expand(short) == hosts
    assert "," not in short


@given(st.text("ab[],-019 ", max_size=30))
def test_any_text_is_a_list_or_a_fault(text: str) -> None:
    try:
        hosts = expand(text)
    except HostlistFault:
        return
    assert hosts
    assert expand(fold(hosts)) == hosts


def test_tasks_are_repeated() -> None:
    assert tasks_per_node("4(x2),2") == [4, 4, 2]
    assert tasks_per_node("16") == [16]
    for text in ("", "4(x2", "4x2", "0", "4(x0)", "-1", "9999999999", "1(x999999999)"):
        with pytest.raises(HostlistFault):
            tasks_per_node(text)


def job(ranks: int, **placement: Any) -> pt.Job:
    loop = pt.AllreduceLoop(message="8 B", iterations=1)
    given = {"kind": "slurm", **placement}
    ranks_per_node = given.pop("ranks_per_node", None)
    more = {} if ranks_per_node is None else {"ranks_per_node": ranks_per_node}
    return pt.Job(name="job", ranks=ranks, placement=given, workload=loop, **more)


def test_ranks_go_to_hosts_in_blocks_or_in_turn() -> None:
    block = job(10, nodes="nid[00012-00013,00005]", tasks_per_node="4(x2),2")
    assert block.placement_plan() == {
        "kind": "ranks",
        "nodes": [12] * 4 + [13] * 4 + [5] * 2,
    }
    assert (block.ranks_per_node, block.node_count) == (4, 3)
    cyclic = job(
        10, nodes="nid[00012-00013,00005]", tasks_per_node="4(x2),2", distribution="cyclic"
    )
    assert cyclic.placement_plan()["nodes"] == [12, 13, 5, 12, 13, 5, 12, 13, 12, 13]
    assert job(5, nodes="n[1-3]", ranks_per_node=2).placement_plan()["nodes"] == [1, 1, 2, 2, 3]


def test_the_hosts_of_the_machine_number_the_nodes(tmp_path: Path) -> None:
    machine = tmp_path / "hosts.txt"
    machine.write_text("r[0-1]n[0-3]\nspare\n")
    hosts = {"file": str(machine)}
    assert job(2, nodes="r1n2,spare", hosts=hosts).placement_plan()["nodes"] == [6, 8]
    nodes = tmp_path / "nodes.txt"
    nodes.write_text("b\na\n")
    given = job(2, nodes={"file": str(nodes)}, hosts="a,b").placement_plan()
    assert given["nodes"] == [1, 0]


@pytest.mark.parametrize(
    ("ranks", "placement", "message"),
    [
        (2, {"nodes": "n[1-2"}, 'placement.nodes = "n[1-2": has a [ without ]; write e.g.'),
        (2, {"nodes": "n1,n1"}, "has the host n1 twice; list each host once"),
        (2, {"nodes": "n1,m01"}, "has the host m01 and n1, which is the same node"),
        (3, {"nodes": "n[1-2]"}, "has 2 hosts, but 3 ranks need 3; set ranks_per_node or"),
        (2, {"nodes": "login,n1"}, "has the host login, whose name has no number; list the mach"),
        (2, {"nodes": "n[7-9]", "hosts": "n[1-7]"}, 'has "n[8-9]", which hosts does not list'),
        (1, {"nodes": "n1", "hosts": "n1,n1"}, 'hosts = "n1,n1": has the host n1 twice'),
        (2, {"nodes": "n[1-2]", "tasks_per_node": "2"}, "is for 1 hosts and 2 ranks, but the job"),
        (2, {"nodes": "n[1-2]", "tasks_per_node": "x"}, "has 'x', which is not a number of tasks"),
        (2, {"nodes": {"file": "none.txt"}}, 'nodes.file = "none.txt": cannot be read: No such'),
        (
            4,
            {"nodes": "n[1-2]", "tasks_per_node": "2(x2)", "ranks_per_node": 2},
            "ranks_per_node = 2: is also in placement.tasks_per_node; remove one of them",
        ),
    ],
)
def test_a_wrong_placement_is_refused(ranks: int, placement: dict[str, Any], message: str) -> None:
    with pytest.raises(pt.ScenarioError) as raised:
        job(ranks, **placement)
    assert message in str(raised.value)


def test_a_job_of_slurm_runs_on_its_hosts(tmp_path: Path) -> None:
    scenario = pt.Scenario(
        name="slurm",
        machine="kang2022",
        routing="minimal",
        mpi={"memory_latency": "100 ns"},
        jobs=[job(6, nodes="n[9,4]", tasks_per_node="4,2", distribution="cyclic")],
    )
    run = pt.run(scenario, out=tmp_path / "run", report=False, progress=False)
    assert isinstance(run, pt.Run)
    ranks = run.ranks.collect()
    assert ranks["node"].to_list() == [9, 4, 9, 4, 9, 9]
    with pytest.raises(pt.ScenarioError, match="the machine has nodes 0 to 1055"):
        pt.Scenario(
            name="slurm", machine="kang2022", routing="minimal", jobs=[job(1, nodes="n2000")]
        ).resolve()


def test_a_list_is_bounded_before_it_is_written_out() -> None:
    assert expand("n[0-3],x", 5) == ["n0", "n1", "n2", "n3", "x"]
    for text in ("n[0-3],x", "n[0-4]", "n[0-1][0-2]", "n[0,1,2,3,4]"):
        with pytest.raises(HostlistFault, match="has more than 4 hosts"):
            expand(text, 4)


def test_brackets_of_one_item_share_the_bound() -> None:
    """Each bracket alone fits; the hundred of them would need gigabytes."""
    tracemalloc.start()
    try:
        with pytest.raises(HostlistFault, match="has more than 20,000 hosts"):
            expand("n" + "[0-9999]" * 100, 20_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4_000_000
    assert len(expand("n[0-3]" + "[7]" * 100, 4)) == 4
