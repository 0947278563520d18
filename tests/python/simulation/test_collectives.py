"""The choice of collectives: presets, priorities, and names known to the core."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

import pantala as pt

OPERATIONS = [name for name in pt.Collectives.model_fields if name != "preset"]
NAMES = [
    (operation, name)
    for operation, kind in get_type_hints(pt.Collectives).items()
    if operation in OPERATIONS
    for name in get_args(kind)
]


def scenario(machine: object, **mpi: Any) -> pt.Scenario:
    workload = {"kind": "allreduce_loop", "message": "60 kB", "iterations": 1}
    jobs = [{"name": "job", "ranks": 8, "workload": workload}]
    return pt.Scenario(name="x", machine=machine, routing="minimal", jobs=jobs, mpi=mpi)


def chosen(scenario: pt.Scenario) -> dict[str, str]:
    collectives: dict[str, str] = scenario.plan()["mpi"]["collectives"]
    assert list(collectives) == OPERATIONS
    return collectives


@pytest.mark.parametrize("spelled", ["mpich", {"preset": "mpich"}, pt.Collectives(preset="mpich")])
def test_a_preset_sets_every_collective(spelled: object) -> None:
    assert set(chosen(scenario("kang2022", collectives=spelled)).values()) == {"mpich"}


def test_given_keys_replace_the_preset() -> None:
    collectives = chosen(scenario("kang2022", collectives={"preset": "mpich", "alltoall": "ring"}))
    assert collectives.pop("alltoall") == "ring"
    assert set(collectives.values()) == {"mpich"}


def test_a_preset_of_collectives_replaces_the_machines_choices() -> None:
    assert chosen(scenario("theta"))["allreduce"] == "recursive_doubling"
    assert (
        chosen(scenario("theta", collectives={"alltoall": "bruck"}))["allreduce"]
        == "recursive_doubling"
    )
    assert chosen(scenario("theta", collectives="sst")) == chosen(scenario("kang2022"))


def test_an_unknown_preset_is_rejected() -> None:
    with pytest.raises(pt.ScenarioError, match=r'mpi.collectives.*"openmpi"'):
        scenario("kang2022", collectives="openmpi")


def test_the_core_knows_every_name() -> None:
    for operation, name in NAMES:
        plan = scenario("kang2022", collectives={operation: name}).resolve()
        assert plan["mpi"]["collectives"][operation] == name


@pytest.mark.parametrize(
    ("algorithm", "messages", "copies"),
    [
        ("binary_tree", 14, 14),
        ("recursive_doubling", 24, 24),
        ("ring", 112, 14),
        ("rabenseifner", 48, 14),
    ],
)
def test_an_allreduce_sends_its_closed_form(
    algorithm: str, messages: int, copies: int, tmp_path: Path
) -> None:
    run = pt.run(
        scenario("kang2022", collectives={"allreduce": algorithm}), tmp_path / "run", report=False
    )
    assert isinstance(run, pt.Run)
    sent = run.ranks.collect()
    assert (sent["messages_sent"].sum(), sent["bytes_sent"].sum()) == (messages, copies * 60_000)


def test_overheads_make_an_allreduce_longer(tmp_path: Path) -> None:
    """In a tree of two ranks one message goes up and then one down, so the path has two of each."""

    def end(**overheads: str) -> float:
        job = {
            "name": "job",
            "ranks": 2,
            "workload": {"kind": "allreduce_loop", "message": "1 kB", "iterations": 1},
        }
        small = scenario("kang2022", **overheads).replace({"jobs": [job]})
        run = pt.run(small, tmp_path / "-".join(["run", *overheads]), report=False)
        assert isinstance(run, pt.Run)
        return float(run.ranks.collect()["end_ns"].max())  # type: ignore[arg-type]

    free = end()
    assert end(send_overhead="100 ns") == pytest.approx(free + 200)
    assert end(receive_overhead="70 ns") == pytest.approx(free + 140)
