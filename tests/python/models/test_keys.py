"""Keys that the core declares: ranges, choices and effects, taken from the declarations."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from generate.core import catalogue
from pantala.core.plan import Plan
from pantala.errors import PlanError, ScenarioError, UsageError
from pantala.models import keys as declared
from pantala.models.unread_keys import effect_of
from pantala.report.machine import facts
from pantala.scenario.presets import machine_preset, router_preset, router_presets
from pantala.scenario.toml import parse_toml, read_toml
from support import SMALL, Ended

pytestmark = pytest.mark.native

PLAN = catalogue()["plan"]
Cli = Callable[..., Ended]


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Returns a small resolved plan."""
    path = tmp_path_factory.mktemp("keys") / "small.toml"
    path.write_text(SMALL)
    return pt.Scenario.from_dict(read_toml(path)).resolve()


def _followed(schema: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (
        PLAN["$defs"][schema["$ref"].rsplit("/", 1)[-1]] if "$ref" in schema else schema
    )
    return found


def _numbers(
    schema: dict[str, Any], value: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[Any, ...]]:
    """Yields every number of a plan with a declared range: its path and its schema."""
    schema = _followed(schema)
    if isinstance(value, dict):
        for name, below in value.items():
            if name in schema.get("properties", {}) and name != "derived":
                yield from _numbers(schema["properties"][name], below, (*path, name))
    elif isinstance(value, list) and value and isinstance(schema.get("items"), dict):
        yield from _numbers(schema["items"], value[0], (*path, 0))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, schema


def _spoilt(plan: dict[str, Any], path: tuple[str | int, ...], value: object) -> PlanError:
    changed: Any = copy.deepcopy(plan)
    place = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(PlanError) as caught:
        Plan(changed)
    return caught.value


def test_the_core_enforces_every_range_that_it_declares(plan: dict[str, Any]) -> None:
    checked = 0
    for path, schema in _numbers(PLAN, plan):
        most = schema.get("maximum")
        outside = [most * 2] if most is not None and most < 2**62 else []
        outside += [0] if schema.get("minimum", 0) >= 1 else []
        for value in outside:
            error = _spoilt(plan, path, value)
            assert error.key.replace("[", ".").replace("]", "").split(".") == [
                str(step) for step in path
            ]
            checked += 1
    assert checked > 30


def test_the_core_rejects_an_unknown_choice_and_lists_the_known_ones(plan: dict[str, Any]) -> None:
    error = _spoilt(plan, ("router", "arbiter"), "fair")
    assert (error.key, error.value, error.message) == ("router.arbiter", '"fair"', "is not known")
    assert error.remedy == "use one of round_robin, age, lru, random, islip"


def test_every_declared_key_and_choice_has_a_description() -> None:
    for definition in PLAN["$defs"].values():
        for name, schema in definition.get("properties", {}).items():
            assert schema.get("description") or "const" in schema, name
        for choice in definition.get("oneOf", []):
            assert choice.get("description"), choice


def test_effects_name_keys_and_choices_that_exist() -> None:
    for name in declared.__all__:
        model = getattr(declared, name)
        for key in model.declared.values():
            for other, condition in key.effect.items():
                if other.startswith("/"):
                    continue
                field = model.model_fields[other]
                choices = getattr(field.annotation, "__args__", (True, False))
                assert not isinstance(condition, tuple) or set(condition) <= set(choices), (
                    name,
                    other,
                )


SPOILT = [
    (
        {"machine.router.credit_delay": "5 ns"},
        "machine.router.credit_delay",
        'credit_latency = "link"',
    ),
    (
        {"machine.router.output_vc_gap": 1},
        "machine.router.output_vc_gap",
        'crossbar_contention = "port"',
    ),
    ({"machine.nic.response": "64 B"}, "machine.nic.response", "responses = false"),
    ({"machine.nic.buffer": "9 packets"}, "machine.nic.buffer", 'latency_from = "created"'),
    (
        {"machine.topology.global_arrangement_seed": 3},
        "machine.topology.global_arrangement_seed",
        'global_arrangement = "absolute"',
    ),
    (
        {"machine.topology.mirrored": True},
        "machine.topology.mirrored",
        'global_arrangement = "absolute"',
    ),
    ({"mpi.memory_latency": "1 us"}, "mpi.memory_latency", "a job's ranks_per_node = 1"),
    (
        {"record.packets": "all", "record.packet_sample": 9},
        "record.packet_sample",
        'packets = "all"',
    ),
    ({"record.q_learning": True}, "record.q_learning", "routing.algorithm"),
    (
        {"routing.local_order": "column_first"},
        "routing.local_order",
        'machine.topology.kind = "dragonfly"',
    ),
    (
        {"jobs.0.compute_noise": {"share": 0.5}},
        "jobs[0].compute_noise.share",
        'distribution = "none"',
    ),
]


@pytest.mark.parametrize(("changes", "key", "why"), SPOILT, ids=[case[1] for case in SPOILT])
def test_a_key_without_effect_is_rejected(
    changes: dict[str, Any], key: str, why: str, tmp_path: Any
) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    with pytest.raises(ScenarioError, match="has no effect") as caught:
        pt.Scenario.from_toml(path, changes=changes)
    assert caught.value.key == key
    assert why in str(caught.value)


def test_keys_of_a_preset_are_not_rejected() -> None:
    assert pt.Machine.of("kang2022").nic.buffer.count == 30


#: Values of the keys that a router model or the default NIC can leave to the scenario.
WRITTEN = {
    "router": {
        "input_latency": "10 ns",
        "output_latency": "10 ns",
        "input_buffer": "30 packets",
        "output_buffer": "30 packets",
        "crossbar_bandwidth": "20 GB/s",
    },
    "nic": {"buffer": "30 packets"},
}


#: A machine of the default NIC and a router without a crossbar.
CODES = """
name = "codes"
routing = "minimal"
stop = { duration = "5 us" }
[machine]
topology = { p = 2, a = 3, h = 2 }
packet = "512 B"
flit = "128 B"
[machine.links]
terminal = { bandwidth = "16 GB/s", latency = "10 ns" }
local = { bandwidth = "16 GB/s", latency = "10 ns" }
global = { bandwidth = "16 GB/s", latency = "10 ns" }
[machine.router]
model = "codes_dally"
input_latency = "10 ns"
output_latency = "10 ns"
input_buffer = "30 packets"
output_buffer = "30 packets"
[[jobs]]
name = "a"
ranks = 14
workload = { kind = "pattern", pattern = "uniform", load = 0.1 }
"""


def _without_preset(model: str, latency_from: str) -> dict[str, Any]:
    """Returns a scenario whose machine has no preset, and each key that has an effect."""
    router: dict[str, Any] = {"model": model}
    nic: dict[str, Any] = {"latency_from": latency_from}
    chosen = router_preset(model)["router"]
    for table, keys, others in (
        (router, pt.Router.declared, chosen),
        (nic, pt.Nic.declared, nic),
    ):
        for name, value in WRITTEN["router" if table is router else "nic"].items():
            if effect_of(keys[name], {key: [others.get(key)] for key in keys[name].effect}).holds:
                table[name] = value
    tables = parse_toml(CODES)
    tables["machine"] |= {"router": router, "nic": nic}
    return tables


@pytest.mark.parametrize("model", router_presets())
@pytest.mark.parametrize("latency_from", ["created", "nic", "injected"])
def test_a_key_is_required_exactly_if_it_has_an_effect(model: str, latency_from: str) -> None:
    made = _without_preset(model, latency_from)
    pt.Scenario.from_dict(made).resolve()
    for table, values in WRITTEN.items():
        for name, value in values.items():
            other = copy.deepcopy(made)
            keys = other["machine"][table]
            wrong = "is missing" if name in keys else "has no effect"
            if name in keys:
                del keys[name]
            else:
                keys[name] = value
            with pytest.raises(ScenarioError, match=wrong) as caught:
                pt.Scenario.from_dict(other)
            assert caught.value.key == f"machine.{table}.{name}"


def test_a_machine_without_a_preset_can_leave_out_its_nic(cli: Cli, tmp_path: Path) -> None:
    tables = parse_toml(CODES)
    written = copy.deepcopy(tables)
    written["machine"]["nic"] = {"latency_from": "created"}
    without, given = (pt.Scenario.from_dict(each).resolve() for each in (tables, written))
    assert without == given
    assert facts(without)["Routers"][0] == "model codes_dally, no crossbar"
    assert pt.Nic.model_validate({}).latency_from == "created"
    file = tmp_path / "codes.toml"
    file.write_text(CODES)
    ended = cli("check", file)
    assert ended.status == 0, ended.err


@pytest.mark.parametrize("preset", ["yang2016", "kang2022"])
def test_a_preset_written_out_without_keys_that_nothing_reads_is_the_same_network(
    preset: str,
) -> None:
    whole = machine_preset(preset)["machine"]
    written = copy.deepcopy(whole)
    router, nic = pt.Machine.of(preset).router, pt.Machine.of(preset).nic
    if router.input_queue == "virtual_output":
        del written["router"]["crossbar_bandwidth"]
    if nic.latency_from != "nic":
        del written["nic"]["buffer"]
    rest = {key: value for key, value in parse_toml(CODES).items() if key != "machine"}
    one = pt.Scenario.from_dict({"machine": written, **rest}).resolve()
    other = pt.Scenario.from_dict({"machine": preset, **rest}).resolve()
    assert one["router"] == other["router"]
    assert one["nic"] == other["nic"] | {"buffer_packets": one["nic"]["buffer_packets"]}


def test_a_machine_with_a_preset_writes_only_the_given_keys() -> None:
    assert pt.Machine.of("kang2022", topology={"g": 9}).as_given() == {
        "preset": "kang2022",
        "topology": {"g": 9},
    }


def test_a_class_with_an_unread_field_is_rejected() -> None:
    with pytest.raises(
        UsageError, match=r"class Wide: field 'width' is not a key of pt.Halo3d and has no effect"
    ):

        class Wide(pt.Halo3d):
            width: int = 3


def test_a_users_workload_can_add_fields() -> None:
    class Wide(pt.Halo3d):
        width: int = 3

        def as_plan(self, ranks: int) -> dict[str, Any]:
            return super().as_plan(ranks) | {"message_bytes": [self.width] * 3}

    assert Wide(grid=(2, 2, 2), iterations=1).as_plan(8)["message_bytes"] == [3, 3, 3]
