"""Plans made from scenarios: keys, units, subsets, and plans that share a network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import pantala as pt
from pantala.core.plan import Plan
from pantala.errors import PlanError
from pantala.scenario.plan_faults import scenario_key
from support import ROOT, SNAPSHOTS
from sweeps import scenario

SNAPSHOT = SNAPSHOTS / "interference-plan.json"


def test_the_plan_of_the_interference_example() -> None:
    """The whole plan as reviewed text, so that a changed default is visible."""
    plan = pt.Scenario.from_toml(ROOT / "examples" / "interference.toml").plan()
    assert plan == json.loads(SNAPSHOT.read_text()), "to accept a change, run: make snapshots"


def test_a_plan_leaves_out_later_keys_with_their_defaults() -> None:
    """Plans of versions without these keys stay as they are, and so do the identities of runs."""
    toml = ROOT / "examples" / "interference.toml"
    usual = pt.Scenario.from_toml(toml).plan()
    assert not {"rendezvous_completion", "host_to_nic_per_byte_fs"} & set(usual["mpi"])
    assert "gateways" not in usual["routing"]
    assert "sst_stalls" not in usual["record"]
    assert "link_clock" not in usual["router"]
    given = pt.Scenario.from_toml(
        toml,
        changes={
            "mpi.rendezvous_completion": "injected",
            "mpi.host_to_nic_per_byte": "0.55 ns/B",
            "routing": {"algorithm": "minimal", "gateways": "nearest"},
            "record.sst_stalls": True,
        },
    ).plan()
    for plan in (given, Plan(given).document):
        assert plan["mpi"]["rendezvous_completion"] == "injected"
        assert plan["mpi"]["host_to_nic_per_byte_fs"] == 550_000
        assert plan["routing"]["gateways"] == "nearest"
        assert plan["record"]["sst_stalls"] is True


def test_every_quantity_has_its_unit_in_its_name() -> None:
    scenario = pt.Scenario.from_toml(ROOT / "examples" / "interference.toml")
    fft = scenario.jobs[0].workload
    assert isinstance(fft, pt.Fft3d)
    axis = int(fft.point_time) * 400 * (400 * 400 // 528)
    assert scenario.plan()["jobs"][0]["workload"]["compute_forward_ps"] == [axis] * 3
    assert scenario.plan()["jobs"][1]["workload"]["message_bytes"] == [576_000] * 3


@pytest.mark.parametrize("example", ["interference", "patterns", "quickstart"])
def test_every_plan_key_maps_to_a_scenario_key(example: str) -> None:
    scenario = pt.Scenario.from_toml(ROOT / "examples" / f"{example}.toml")
    for key in leaves(scenario.plan()):
        if (
            key == "plan_version"
            or key.startswith("assumptions.")
            or key.endswith((".nodes", ".application"))
        ):
            continue
        assert exists(scenario, scenario_key(key)), key


@pytest.mark.parametrize(
    ("plan_key", "key"),
    [
        ("links.local.latency_ps", "machine.links.local.latency"),
        ("links.global.bandwidth_bytes_per_s", "machine.links.global.bandwidth"),
        ("packet_bytes", "machine.packet"),
        ("router.input_buffer_flits", "machine.router.input_buffer"),
        ("nic.buffer_packets", "machine.nic.buffer"),
        ("topology.g", "machine.topology.g"),
        ("topology.links_per_row_pair", "machine.topology.links_per_row_pair"),
        ("links.row.latency_ps", "machine.links.row.latency"),
        ("nic.response_bytes", "machine.nic.response"),
        ("routing.aries.shift[0]", "routing.aries.shift[0]"),
        ("jobs[1].routing.bias_flits", "jobs[1].routing.bias"),
        ("routing_all_to_all.q_adaptive.table", "routing_all_to_all.q_adaptive.table"),
        ("jobs[1].workload.message_bytes", "jobs[1].workload.message"),
        ("jobs[0].workload.compute_forward_ps", "jobs[0].workload.compute_forward"),
        ("jobs[2].placement.nodes[3]", "jobs[2].placement.nodes[3]"),
        ("record.packets", "record.packets"),
        ("record.packet_sample", "record.packet_sample"),
        ("routing.bias_flits", "routing.bias"),
        ("stop.duration_ps", "stop.duration"),
    ],
)
def test_plan_keys_map_to_scenario_keys(plan_key: str, key: str) -> None:
    assert scenario_key(plan_key) == key


@pytest.mark.native
def test_a_plan_of_some_jobs_keeps_nodes_and_seed() -> None:
    resolved = scenario().resolved_plan()
    part = resolved.subset(["halo"], "alone-halo")
    assert (part["name"], part["seed"]) == ("tiny/alone-halo", resolved["seed"])
    (job,) = part["jobs"]
    assert job in resolved["jobs"]
    assert part.nodes("halo") == resolved.nodes("halo") == job["nodes"]
    with pytest.raises(KeyError):
        part.nodes("noise")
    assert resolved.job_names == ["halo", "noise"]
    assert repr(resolved) == "Plan('tiny', jobs=['halo', 'noise'])"


@pytest.mark.native
def test_a_changed_plan_is_checked_when_it_runs(tmp_path: Path) -> None:
    resolved = scenario().resolved_plan()
    longer = resolved.lasting(2_000.0)
    assert longer["stop"]["duration_ps"] == 2_000_000
    assert longer.run(tmp_path)["simulated_ns"] <= 2_000.0
    nobody = resolved.subset([], "nobody")
    with pytest.raises(PlanError, match="no jobs"):
        nobody.cost(None)
    with pytest.raises(PlanError, match="links"):
        resolved.with_(links={})


@pytest.mark.native
def test_a_plan_like_another_is_the_plan_by_itself() -> None:
    first = scenario().resolved_plan()
    for changes in ({"seed": 2}, {"routing": "ugal_g"}, {"machine.topology.g": 8}):
        plan = scenario().replace(changes).plan()
        assert first.like(plan).document == Plan(plan).document


def test_the_column_message_defaults_to_the_row_message() -> None:
    plan = _plan_of(pt.Fft3d(grid=(2, 2), row_message="1 kB", iterations=1))
    assert plan["column_message_bytes"] == plan["row_message_bytes"] == 1000
    plan = _plan_of(pt.Fft3d(grid=(2, 2), row_message="1 kB", column_message="2 kB", iterations=1))
    assert plan["column_message_bytes"] == 2000


def _plan_of(workload: pt.Fft3d) -> dict[str, Any]:
    scenario = pt.Scenario(
        name="x",
        machine="kang2022",
        routing="minimal",
        jobs=[pt.Job(name="a", ranks=4, workload=workload)],
    )
    plan: dict[str, Any] = scenario.plan()["jobs"][0]["workload"]
    return plan


def leaves(node: Any, key: str = "") -> Iterator[str]:
    if isinstance(node, dict):
        for name, below in node.items():
            yield from leaves(below, f"{key}.{name}" if key else name)
    elif isinstance(node, list) and any(isinstance(item, dict) for item in node):
        for number, below in enumerate(node):
            yield from leaves(below, f"{key}[{number}]")
    else:
        yield key


def exists(model: BaseModel, key: str) -> bool:
    place: Any = model
    for step in key.replace("]", "").replace("[", ".").split("."):
        if step.isdigit():
            place = place[int(step)]
            continue
        fields = {field.alias or name: name for name, field in type(place).model_fields.items()}
        if step not in fields:
            return False
        place = getattr(place, fields[step])
    return True


if __name__ == "__main__":
    SNAPSHOT.parent.mkdir(exist_ok=True)
    plan = pt.Scenario.from_toml(ROOT / "examples" / "interference.toml").plan()
    SNAPSHOT.write_text(json.dumps(plan, indent=2) + "\n")
