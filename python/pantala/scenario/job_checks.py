"""Faults between jobs, and between jobs and the run, in data that can be invalid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticCustomError

from pantala.catalogue.interference_modes import mode_of
from pantala.errors import nearest
from pantala.models.validation import fault

if TYPE_CHECKING:
    from pantala.scenario.job import Job

__all__ = ["faults_of_jobs", "too_many_copies"]


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
    if not jobs and data.get("background") is None and data.get("snapshot") is None:
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
    if all(_endless(job) for job in jobs) and _at(data.get("stop"), "duration") is None:
        yield fault(
            "is missing, and no job ends by itself",
            "add e.g. duration = '100 us'",
            "stop",
            "duration",
        )
    yield from _wrong_targets(_at(data.get("stop"), "target"), jobs, "stop", "target")
    compared = _at(data.get("interference"), "targets")
    yield from _wrong_targets(compared, jobs, "interference", "targets", ends=False)
    copies = [_at(job, "count") for job in jobs]
    several = len(jobs) > 1 or any(isinstance(count, int) and count > 1 for count in copies)
    more = data.get("background") is not None or data.get("snapshot") is not None
    if mode_of(data.get("interference")) and not several and not more:
        yield fault(
            "needs at least two jobs", "add a [[jobs]] table, or remove this key", "interference"
        )


def _endless(job: object) -> bool:
    """Returns whether a run does not wait for the end of a job."""
    pattern = _at(_at(job, "workload"), "kind") == "pattern"
    return pattern or _at(job, "repeat") is True or _at(job, "end") is not None


def _wrong_targets(
    target: object, jobs: Sequence[object], *key: str, ends: bool = True
) -> Iterator[PydanticCustomError]:
    """Yields the faults of targets that are not jobs, or jobs without an end of their own.

    Args:
        target: the names of the targets, as given.
        jobs: the tables of jobs.
        key: the path of the key that names them.
        ends: whether the targets must end by themselves.
    """
    if not isinstance(target, str | list | tuple):
        return
    known = {name: job for job in jobs if isinstance(name := _at(job, "name"), str)}
    for place, name in enumerate([target] if isinstance(target, str) else target):
        at = [*key] if isinstance(target, str) else [*key, place]
        if not isinstance(name, str):
            continue
        if name not in known:
            close = nearest(name, known)
            remedy = f"did you mean '{close}'?" if close else f"choose one of {', '.join(known)}"
            yield fault("is not a job of the scenario", remedy, *at)
        elif ends and _endless(known[name]):
            message = "is a job that does not end by itself"
            yield fault(message, "name a job that is no pattern and has no repeat and end", *at)


def too_many_copies(jobs: Iterable[Job], nodes: int) -> Iterator[PydanticCustomError]:
    """Yields the faults of jobs whose copies need more nodes than the machine has for jobs.

    The core refuses all other jobs that do not fit. A plan of very many copies would take long.
    """
    for number, job in enumerate(jobs):
        needed = job.count * job.node_count
        if job.count > 1 and needed > nodes:
            yield fault(
                f"needs {needed:,} nodes, {job.node_count:,} for each copy, and the machine has"
                f" {nodes:,} nodes for jobs",
                f"give at most {max(nodes // job.node_count, 1):,}, lower jobs[].ranks, or take a"
                " machine with more nodes (machine.preset, machine.topology)",
                "jobs",
                number,
                "count",
            )


def _at(place: object, key: str) -> object:
    """Returns the value of a key in a table or an object; None if there is none."""
    return place.get(key) if isinstance(place, Mapping) else getattr(place, key, None)
