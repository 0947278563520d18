"""Names of the runs of an interference experiment: jobs alone, and sets of jobs.

A job set is a set of jobs that run at the same time: all jobs together, a pair of jobs, or all jobs
but one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

__all__ = [
    "TOGETHER",
    "alone_name",
    "alone_runs",
    "job_sets",
    "pair_name",
    "targets_of_set",
    "without_name",
]

#: The run with all jobs.
TOGETHER = "together"
_ALONE = "alone-"


def alone_name(job: str, job_set: str = TOGETHER) -> str:
    """Returns the name of the run of a job alone, for the simulated time of a job set."""
    return f"{_ALONE}{job}" if job_set == TOGETHER else f"{_ALONE}{job}-for-{job_set}"


def pair_name(one: str, other: str) -> str:
    """Returns the name of the run of two jobs."""
    return f"pair-{one}+{other}"


def without_name(job: str) -> str:
    """Returns the name of the run of all jobs but one."""
    return f"without-{job}"


def job_sets(parts: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Returns the jobs of each job set, all jobs together first.

    Args:
        parts: the jobs of each run by the name of the run.
    """
    found = {name: jobs for name, jobs in parts.items() if not name.startswith(_ALONE)}
    return {name: found[name] for name in sorted(found, key=lambda name: name != TOGETHER)}


def alone_runs(job_set: str, jobs: Sequence[str], parts: Collection[str]) -> dict[str, str]:
    """Returns the name of the run alone that each job of a job set is compared with.

    Args:
        job_set: the name of the job set.
        jobs: its jobs.
        parts: the names of the runs that are there; jobs without a run alone are left out.
    """
    names = {job: (alone_name(job, job_set), alone_name(job)) for job in jobs}
    found = {
        job: next((name for name in each if name in parts), None) for job, each in names.items()
    }
    return {job: name for job, name in found.items() if name is not None}


def targets_of_set(job_set: str, jobs: Sequence[str], parts: Collection[str]) -> list[str] | None:
    """Returns the jobs of a job set that have a run alone, if others have none; else None.

    Args:
        job_set: the name of the job set.
        jobs: its jobs.
        parts: the names of the runs that the experiment consists of, missing ones included.
    """
    found = alone_runs(job_set, jobs, parts)
    return list(found) if 0 < len(found) < len(jobs) else None
