"""Faults that concern several jobs, or the jobs and the run, in data that need not be valid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_core import PydanticCustomError

from pantala.scenario.validation import fault

__all__ = ["faults_of_jobs"]


def faults_of_jobs(data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
    """The faults between the keys of a scenario.

    Args:
        data: the keys of a scenario, completed by its presets; values may be of any type.
    """
    jobs = data.get("jobs")
    routing = data.get("routing")
    if isinstance(routing, Mapping) and "algorithm" not in routing:
        yield fault(
            "is missing",
            "add algorithm = '...'; `pantala routings` lists them",
            "routing",
            "algorithm",
        )
    if not isinstance(jobs, list | tuple):
        return  # the field says so
    if not jobs:
        yield fault("has no jobs", "add a [[jobs]] table", "jobs")
        return
    names: set[object] = set()
    for number, job in enumerate(jobs):
        name = _at(job, "name")
        if isinstance(name, str) and name in names:
            yield fault(
                "is the name of an earlier job too", "give each job its own", "jobs", number, "name"
            )
        names.add(name if isinstance(name, str) else None)
    if (
        all(_at(_at(job, "workload"), "kind") == "pattern" for job in jobs)
        and _at(data.get("stop"), "duration") is None
    ):
        yield fault(
            "is missing: no job ends by itself",
            "write e.g. duration = '100 us'",
            "stop",
            "duration",
        )
    if data.get("interference") is True and len(jobs) < 2:
        yield fault("needs at least two jobs", "add a [[jobs]] table, or remove it", "interference")


def _at(place: object, key: str) -> object:
    """The value of a key in a table or an object."""
    return place.get(key) if isinstance(place, Mapping) else getattr(place, key, None)
