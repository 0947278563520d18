"""Effects of keys as the core declares them (`Key.effect`): which keys of a scenario no choice of it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from pantala.catalogue.key import Condition, Key
from pantala.errors import show
from pantala.scenario.effect import Effect

if TYPE_CHECKING:
    from pantala.scenario.scenario import Scenario

__all__ = ["declared_effects"]

Path = tuple[str | int, ...]


class _Keyed(Protocol):
    @property
    def declared(self) -> Mapping[str, Key]: ...


def declared_effects(scenario: Scenario) -> Iterator[tuple[Path, dict[str, Effect]]]:
    """The tables of a scenario with the effects of their keys: path of the table, and effect by key."""
    for path, table in _tables(scenario):
        effects = {name: _effect(scenario, table, key) for name, key in table.declared.items() if key.effect}
        if effects:
            yield path, effects


def _tables(scenario: Scenario) -> Iterator[tuple[Path, _Keyed]]:
    machine = scenario.machine
    yield ("machine", "topology"), machine.topology
    yield ("machine", "router"), machine.router
    yield ("machine", "nic"), machine.nic
    yield ("mpi",), scenario.mpi
    yield ("record",), scenario.record
    for number, job in enumerate(scenario.jobs):
        yield ("jobs", number, "compute_noise"), job.compute_noise
        if hasattr(job.workload, "declared"):
            yield ("jobs", number, "workload"), job.workload


def _effect(scenario: Scenario, table: _Keyed, key: Key) -> Effect:
    for other, condition in key.effect.items():
        values = list(_values(scenario, other[1:])) if other.startswith("/") else [getattr(table, other)]
        if not any(_holds(value, condition) for value in values):
            name = other.removeprefix("/").replace("jobs.*.", "a job's ")
            return Effect(
                False, f"under {name} = {_listed(values)}", f"remove it, or set {name} to {_wanted(condition)}"
            )
    return Effect(True, "", "")


def _values(scenario: Scenario, path: str) -> Iterator[Any]:
    """The values at a path from the scenario; `routing` stands for every routing of it."""
    first, *rest = path.split(".")
    places: list[Any]
    if first == "routing":
        of_jobs = [routing for job in scenario.jobs for routing in (job.routing, job.routing_all_to_all)]
        places = [scenario.routing, scenario.routing_all_to_all, *of_jobs]
    else:
        places = [getattr(scenario, first)]
    for step in rest:
        places = (
            [item for place in places for item in place] if step == "*" else [getattr(p, step) for p in places if p]
        )
    yield from places


def _holds(value: object, condition: Condition) -> bool:
    if isinstance(condition, tuple):
        return value in condition
    return isinstance(value, int | float) and value > condition


def _listed(values: list[Any]) -> str:
    return ", ".join(dict.fromkeys(show(value) for value in values))


def _wanted(condition: Condition) -> str:
    if isinstance(condition, tuple):
        return " or ".join(show(value) for value in condition)
    return f"more than {condition:g}"
