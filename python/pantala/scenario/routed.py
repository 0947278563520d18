"""Whose routing: the scenario's, that of its all-to-all collectives, those of jobs, each laid over the one before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pantala.scenario.job import Job
from pantala.scenario.presets import merge
from pantala.scenario.routing import Routing, defaults_of, laid_over

__all__ = ["routed"]

_CLASSES = ("routing", "routing_all_to_all")


def routed(data: dict[str, Any], preset: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a scenario with every routing in full.

    What comes first, the later over the earlier: the preset, the algorithm itself, the scenario's `routing`, its
    `routing_all_to_all`, a job's.

    Args:
        data: the keys of a scenario as they were given; changed and returned.
        preset: the tables of the machine's preset.
    """
    system = _keys(data.get("routing", {}))
    apart = _keys(data.get("routing_all_to_all", {}))
    if system is None or apart is None:
        return data  # not tables: their fields will say so
    general = preset.get("routing", {})
    special = preset.get("routing_all_to_all", {})
    if system or general.get("algorithm"):
        data["routing"] = _full(general, system)
    own_class = bool(apart or special)
    collective = laid_over(laid_over(system, {"algorithm": special["algorithm"]}) if special else system, apart)
    below = laid_over(general, special)
    if own_class:
        data["routing_all_to_all"] = _full(below, collective)
    jobs = data.get("jobs")
    if isinstance(jobs, list | tuple):
        data["jobs"] = [_job(job, (general, system), (below, collective) if own_class else None) for job in jobs]
    return data


def _job(job: object, point: tuple[Any, Any], collective: tuple[Any, Any] | None) -> object:
    """A job whose tables lie over the scenario's."""
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
    given = job if isinstance(job, Mapping) else {name: getattr(job, name) for name in job.model_fields_set}
    return {**given, **full}


def _full(preset: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a routing: the preset's, what its algorithm means by itself, and those given."""
    base = laid_over(preset, {key: given[key] for key in ("algorithm",) if key in given})
    return merge(merge(base, defaults_of(base.get("algorithm"))), given)


def _keys(routing: object) -> dict[str, Any] | None:
    """A routing's keys: those of a table, of an object, of a bare name; None if it is neither."""
    if isinstance(routing, str):
        return {"algorithm": routing}
    if isinstance(routing, Routing):
        return routing.model_dump(exclude_unset=True)
    return dict(routing) if isinstance(routing, Mapping) else None
