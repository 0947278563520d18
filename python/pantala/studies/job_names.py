"""The names of the jobs and parts of experiments, as far as they are known before the runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING

from pantala.catalogue.interference_modes import mode_of
from pantala.catalogue.job_sets import TOGETHER, alone_name, pair_name, without_name

if TYPE_CHECKING:
    from pantala.experiments.description import Description

__all__ = ["job_names", "known_jobs", "known_parts"]

#: Keys of an axis that give jobs other names, or add jobs.
_RENAMING = re.compile(r"(background|snapshot)(\..*)?|jobs\..*\.(count|name)")

#: Keys of an axis that give parts other names.
_OF_PARTS = ("interference", "name")


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


def known_parts(description: Description) -> list[str] | None:
    """Returns the names that parts of an experiment can have; None if they are not known.

    An interference experiment has some of them: its key `interference` says which jobs run alone,
    and which sets of jobs run.
    """
    base, jobs = description.base, known_jobs(description)
    changes = [point.changes for axis in description.axes for point in axis.points]
    if jobs is None or any(key.split(".")[0] in _OF_PARTS for each in changes for key in each):
        return None
    if mode_of(base.interference) is None:
        return [str(base.name)]
    sets = [TOGETHER, *(pair_name(one, other) for one, other in permutations(jobs, 2))]
    sets += map(without_name, jobs)
    return [*sets, *(alone_name(job, each) for each in sets for job in jobs)]
