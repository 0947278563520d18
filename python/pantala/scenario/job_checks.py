"""Faults between jobs, and between jobs and the run, in data that can be invalid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_core import PydanticCustomError

from pantala.scenario.interference import mode_of
from pantala.scenario.validation import fault

__all__ = ["faults_of_jobs"]


def faults_of_jobs(data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
    """Yields the faults between the keys of a scenario.

    Args:
        data: the keys of a scenario after presets completed it; values can have any type.
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
        return  # the validation of the field reports it
    if not jobs:
        yield fault("has no jobs", "add a [[jobs]] table", "jobs")
        return
    names: set[object] = set()
    for number, job in enumerate(jobs):
        name = _at(job, "name")
        if isinstance(name, str) and name in names:
            yield fault(
                "is also the name of an earlier job",
                "give each job its own name",
                "jobs",
                number,
                "name",
            )
        names.add(name if isinstance(name, str) else None)
    if (
        all(_at(_at(job, "workload"), "kind") == "pattern" for job in jobs)
        and _at(data.get("stop"), "duration") is None
    ):
        yield fault(
            "is missing, and no job ends by itself",
            "add e.g. duration = '100 us'",
            "stop",
            "duration",
        )
    if mode_of(data.get("interference")) and len(jobs) < 2:
        yield fault(
            "needs at least two jobs", "add a [[jobs]] table, or remove this key", "interference"
        )


def _at(place: object, key: str) -> object:
    """Returns the value of a key in a table or an object; None if there is none."""
    return place.get(key) if isinstance(place, Mapping) else getattr(place, key, None)
