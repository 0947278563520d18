"""Checks of the declared effects of keys: a given key without effect is a fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticCustomError

from pantala.catalogue.key import Condition, Key
from pantala.errors import show
from pantala.scenario.key_effect import Effect, without_effect

if TYPE_CHECKING:
    from pantala.scenario.base import Model
    from pantala.scenario.scenario import Scenario

__all__ = ["unread_here", "unread_in_scenario"]

Path = tuple[str | int, ...]


def unread_here(table: Model, given: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
    """Yields the faults of keys that have no effect because of other keys in the same table.

    Args:
        table: the validated table.
        given: the keys of the table as given.
    """
    effects = {
        name: _effect(key, {other: [getattr(table, other)] for other in key.effect})
        for name, key in _conditional(table)
        if not any(other.startswith("/") for other in key.effect)
    }
    yield from without_effect(given, effects)


def unread_in_scenario(
    scenario: Scenario, given: Mapping[str, Any]
) -> Iterator[PydanticCustomError]:
    """Yields the faults of keys without effect that depend on presets or on other tables.

    Args:
        scenario: the validated scenario.
        given: the keys of the scenario as given, without values of presets.
    """
    machine = scenario.machine
    tables: list[tuple[Path, Model]] = [
        (("machine", "topology"), machine.topology),
        (("machine", "router"), machine.router),
        (("machine", "nic"), machine.nic),
        (("mpi",), scenario.mpi),
        (("record",), scenario.record),
        (("routing",), scenario.routing),
    ]
    for path, table in tables:
        whole = path[0] != "record"
        effects = {
            name: _effect(key, {other: _values(scenario, table, other) for other in key.effect})
            for name, key in _conditional(table)
            if whole or any(other.startswith("/") for other in key.effect)
        }
        keys = _at(given, path)
        if isinstance(keys, Mapping):
            yield from without_effect(keys, effects, *path)


def _conditional(table: Model) -> Iterator[tuple[str, Key]]:
    """Yields the keys that depend on others.

    A key at its default value is always allowed.
    """
    for name, key in table.declared.items():
        if key.effect and getattr(table, name) != type(table).model_fields[name].default:
            yield name, key


def _effect(key: Key, values: Mapping[str, list[Any]]) -> Effect:
    for other, condition in key.effect.items():
        if not any(_holds(value, condition) for value in values[other]):
            name = other.removeprefix("/").replace("jobs.*.", "a job's ")
            listed = ", ".join(dict.fromkeys(show(value) for value in values[other]))
            return Effect(
                False,
                f"under {name} = {listed}",
                f"remove it, or set {name} to {_wanted(condition)}",
            )
    return Effect(True, "", "")


def _values(scenario: Scenario, table: Model, path: str) -> list[Any]:
    """Returns the values of a key: of a neighbour, or with ``/`` of a path from the root.

    The path `/routing` means every routing of the scenario.
    """
    if not path.startswith("/"):
        return [getattr(table, path)]
    first, *rest = path[1:].split(".")
    places: list[Any] = [getattr(scenario, first)]
    if first == "routing":
        places += [scenario.routing_all_to_all]
        places += [
            routing for job in scenario.jobs for routing in (job.routing, job.routing_all_to_all)
        ]
    for step in rest:
        places = (
            [item for each in places for item in each]
            if step == "*"
            else [getattr(p, step) for p in places if p]
        )
    return places


def _at(given: Any, path: Path) -> Any:
    for step in path:
        given = given.get(step) if isinstance(given, Mapping) else None
    return given


def _holds(value: object, condition: Condition) -> bool:
    if isinstance(condition, tuple):
        return value in condition
    return isinstance(value, int | float) and value > condition


def _wanted(condition: Condition) -> str:
    if isinstance(condition, tuple):
        return " or ".join(show(value) for value in condition)
    return f"more than {condition:g}"
