"""Keys that the core declares: ranges, choices and effects, taken from the declarations."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

import pantala as pt
from generate.core import catalogue
from pantala.core.plan import Plan
from pantala.errors import PlanError, ScenarioError, UsageError
from pantala.models import keys as declared
from pantala.scenario.toml import read_toml
from support import SMALL

pytestmark = pytest.mark.native

PLAN = catalogue()["plan"]


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
