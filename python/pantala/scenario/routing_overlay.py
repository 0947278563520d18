"""The layers of routing: the scenario's, its all-to-all collectives', and the jobs' routing.

Each layer replaces keys of the layer below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticCustomError

from pantala.models.base import fault
from pantala.models.key_effect import without_effect
from pantala.scenario.job import Job
from pantala.scenario.presets import merge
from pantala.scenario.routing import Routing, defaults_of, effects_under, laid_over
from pantala.text.capacity import Capacity
from pantala.text.units import UnitError

if TYPE_CHECKING:
    pass

__all__ = [
    "broken_capacities",
    "routings_of",
    "unread_routing_keys",
    "with_full_routings",
]

_CLASSES = ("routing", "routing_all_to_all")


def with_full_routings(
    data: dict[str, Any], preset: Mapping[str, Any], model: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns the keys of a scenario with every routing complete.

    The layers, from lowest to highest: the router model, the preset, the algorithm's own defaults,
    the scenario's `routing`, its `routing_all_to_all`, a job's routing.

    Args:
        data: the keys of a scenario as given; changed and returned.
        preset: the tables of the machine's preset.
        model: the keys of routing that the machine's router model gives.
    """
    system = _keys(data.get("routing", {}))
    apart = _keys(data.get("routing_all_to_all") or {})
    if system is None or apart is None:
        return data  # the validation of the fields reports what is not a table
    general = merge(model, preset.get("routing", {}))
    special = preset.get("routing_all_to_all", {})
    if system or general.get("algorithm"):
        data["routing"] = _full(general, system)
    own_class = bool(apart or special)
    collective = laid_over(
        laid_over(system, {"algorithm": special["algorithm"]}) if special else system, apart
    )
    below = laid_over(general, special)
    if own_class:
        data["routing_all_to_all"] = _full(below, collective)
    jobs = data.get("jobs")
    if isinstance(jobs, list | tuple):
        data["jobs"] = [
            _job(job, (general, system), (below, collective) if own_class else None) for job in jobs
        ]
    return data


def routings_of(made: Any) -> Iterator[tuple[tuple[str | int, ...], Routing | None]]:
    """Yields the routings of a scenario and of its jobs by their paths."""
    for key in _CLASSES:
        yield (key,), getattr(made, key, None)
        for number, job in enumerate(made.jobs or ()):
            yield ("jobs", number, key), getattr(job, key, None)


def unread_routing_keys(
    given: Mapping[str, Any], full: Mapping[str, Any]
) -> Iterator[PydanticCustomError]:
    """Yields the faults of keys that no routing reads.

    A key must be read by its own routing or by a layer above it.

    Args:
        given: the keys of a scenario as given.
        full: the same keys with every routing complete.
    """
    over: list[tuple[str, ...]] = [(name,) for name in _CLASSES]
    jobs = full.get("jobs")
    numbers = range(len(jobs)) if isinstance(jobs, list) else ()
    places: list[tuple[str | int, ...]] = [
        *over,
        *(("jobs", number, name) for number in numbers for name in _CLASSES),
    ]
    for place in places:
        keys = _at(given, place)
        if not isinstance(keys, Mapping | Routing):
            continue
        laid = [
            other for other in places if other[: len(place) - 1] == place[:-1] or len(place) == 1
        ]
        if place[-1] == _CLASSES[1]:
            laid = [other for other in laid if other[-1] == _CLASSES[1]]
        algorithms = [_algorithm(full, other) for other in (place, *laid)]
        if algorithms[0] is not None:
            yield from without_effect(
                keys, effects_under([name for name in algorithms if name is not None]), *place
            )


def _at(data: Any, place: tuple[str | int, ...]) -> Any:
    """Returns the value at a place; None if there is none."""
    for step in place:
        if isinstance(data, Mapping):
            data = data.get(step)
        elif isinstance(data, list | tuple) and isinstance(step, int):
            data = data[step]
        else:
            data = getattr(data, str(step), None)
    return data


def _algorithm(full: Mapping[str, Any], place: tuple[str | int, ...]) -> str | None:
    """Returns the algorithm of the routing at a place; None if there is none."""
    routing = _at(full, place)
    name = (
        routing.get("algorithm")
        if isinstance(routing, Mapping)
        else getattr(routing, "algorithm", None)
    )
    return name if isinstance(name, str) else None


def _job(job: object, point: tuple[Any, Any], collective: tuple[Any, Any] | None) -> object:
    """Returns a job with its routings complete, on top of the scenario's."""
    if not isinstance(job, Mapping | Job):
        return job
    full: dict[str, Any] = {}
    mine: Mapping[str, Any] = {}
    for name in _CLASSES:
        keys = _keys((job.get(name) if isinstance(job, Mapping) else getattr(job, name)) or {})
        if keys is None:
            return job
        if not keys:
            continue
        if name == "routing":
            below, system = point
            mine = keys
        else:
            below, system = collective or (point[0], laid_over(point[1], mine))
        full[name] = _full(below, laid_over(system, keys))
    if not full:
        return job
    given = (
        job
        if isinstance(job, Mapping)
        else {name: getattr(job, name) for name in job.model_fields_set}
    )
    return {**given, **full}


def _full(preset: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keys of a routing: the preset's, the algorithm's defaults, and the given keys."""
    base = laid_over(preset, {key: given[key] for key in ("algorithm",) if key in given})
    return merge(merge(base, defaults_of(base.get("algorithm"))), given)


def _keys(routing: object) -> dict[str, Any] | None:
    """Returns the keys of a routing given as a table, an object or a name; None otherwise."""
    if isinstance(routing, str):
        return {"algorithm": routing}
    if isinstance(routing, Routing):
        return routing.as_given()
    return dict(routing) if isinstance(routing, Mapping) else None


def broken_capacities(
    routings: Iterable[tuple[tuple[str | int, ...], Routing | None]], sizes: tuple[int, int]
) -> Iterator[PydanticCustomError]:
    """Yields the fault of the first capacity of a routing that is no whole number of flits.

    Args:
        routings: the routings of a scenario by their paths.
        sizes: bytes of a full packet and of a flit.
    """
    for at, routing in routings:
        for key in ("bias", "minimal_up_to"):
            value = getattr(routing, key, None)
            try:
                if isinstance(value, Capacity):
                    value.flits(*sizes)
            except UnitError as error:
                yield fault(error.message, error.remedy, *at, key)
                return
