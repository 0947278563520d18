"""The names of the jobs of experiments, as far as they are known before the runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pantala.experiments.description import Description

__all__ = ["job_names", "known_jobs"]

#: Keys of an axis that give jobs other names, or add jobs.
_RENAMING = re.compile(r"(background|snapshot)(\..*)?|jobs\..*\.(count|name)")


def job_names(descriptions: Sequence[Description]) -> list[str]:
    """Returns the names of the jobs of experiments, in their order."""
    found: dict[str, None] = {}
    for description in descriptions:
        found |= dict.fromkeys(str(job.name) for job in description.base.jobs)
        for axis in description.axes:
            for point in axis.points:
                jobs = point.changes.get("jobs")
                for job in jobs if isinstance(jobs, list | tuple) else ():
                    if isinstance(job, str):  # chooses a job of the scenario
                        continue
                    name = job.get("name") if isinstance(job, Mapping) else job.name
                    found |= {} if name is None else {str(name): None}
    return list(found)


def known_jobs(description: Description) -> list[str] | None:
    """Returns the names of all jobs of an experiment; None if they are known after the runs only.

    Copies, and jobs that a background or a snapshot adds, have names that the scenario does not
    say.
    """
    base = description.base
    if base.background is not None or base.snapshot is not None:
        return None
    changes = [point.changes for axis in description.axes for point in axis.points]
    if any(_RENAMING.fullmatch(key) for each in changes for key in each):
        return None
    mixed = any(isinstance(each.get("jobs"), str) for each in changes)  # a name of a mix, perhaps
    if mixed or any(job.count != 1 for job in base.jobs):
        return None
    return job_names([description])
