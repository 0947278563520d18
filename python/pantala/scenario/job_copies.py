"""Copies of jobs: `count = 16` stands for sixteen jobs that differ in their names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pantala.scenario.job import Job

__all__ = ["copies_of", "name_of_copy", "named_copies", "with_copies"]


def copies_of(job: Job) -> list[Job]:
    """Returns the jobs that a job table stands for.

    Without `count`, that is the job itself. Copies are named after the job with a number from 1:
    ``milc-01`` to ``milc-16``.
    """
    if job.count == 1:
        return [job]
    return [
        job.model_copy(update={"name": name_of_copy(job, number), "count": 1})
        for number in range(1, job.count + 1)
    ]


def name_of_copy(job: Job, number: int) -> str:
    """Returns the name of a copy of a job; the first has the number 1."""
    return f"{job.name}-{number:0{len(str(job.count))}}"


def with_copies(names: Iterable[str], jobs: Iterable[Job]) -> list[str]:
    """Returns names with each job that has copies replaced by the names of its copies."""
    copies = {job.name: [copy.name for copy in copies_of(job)] for job in jobs}
    return [each for name in names for each in copies.get(name, [name])]


def named_copies(record: dict[str, Any], jobs: Iterable[Job]) -> dict[str, Any]:
    """Returns a plan's record in which the names of jobs stand for all their copies."""
    listed = tuple(jobs)
    found = {
        key: {**value, "jobs": with_copies(value["jobs"], listed)}
        if isinstance(value, dict) and "jobs" in value
        else value
        for key, value in record.items()
    }
    if "packet_jobs" in found:
        found["packet_jobs"] = with_copies(found["packet_jobs"], listed)
    return found
