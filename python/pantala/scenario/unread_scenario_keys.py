"""Keys of a scenario that nothing reads because of a preset or of another table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticCustomError

from pantala.models.key_effect import without_effect
from pantala.models.unread_keys import conditional_keys, effect_of

if TYPE_CHECKING:
    from pantala.models.base import Model
    from pantala.scenario.scenario_tables import ScenarioTables

__all__ = ["unread_in_scenario"]

Path = tuple[str | int, ...]


def unread_in_scenario(
    scenario: ScenarioTables, given: Mapping[str, Any]
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
            name: effect_of(key, {other: _values(scenario, table, other) for other in key.effect})
            for name, key in conditional_keys(table)
            if whole or any(other.startswith("/") for other in key.effect)
        }
        keys = _at(given, path)
        if isinstance(keys, Mapping):
            yield from without_effect(keys, effects, *path)


def _values(scenario: ScenarioTables, table: Model, path: str) -> list[Any]:
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
