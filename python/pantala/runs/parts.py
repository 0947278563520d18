"""The simulations of a scenario: one run, or jobs alone and in sets."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from pantala.catalogue.interference_modes import mode_of
from pantala.catalogue.job_sets import TOGETHER, alone_name, pair_name, without_name
from pantala.scenario import Scenario
from pantala.scenario.interference import targets_of
from pantala.scenario.plan import awaited

if TYPE_CHECKING:
    from pantala.core.plan import Plan

__all__ = ["TOGETHER", "Part", "parts_of"]


@dataclass(frozen=True)
class Part:
    """One simulation of a scenario.

    Attributes:
        name: its name; the name of the scenario if there is only one.
        plan: its resolved plan.
        as_long_as: the part that determines its simulated time, and comes before it.
    """

    name: str
    plan: Plan
    as_long_as: str | None = None

    @property
    def jobs(self) -> list[str]:
        """The names of its jobs."""
        return self.plan.job_names


def parts_of(scenario: Scenario, resolved: Plan) -> list[Part]:
    """Returns the simulations of a scenario in order: jobs that end, job sets, the other jobs.

    A job set is a set of jobs: all jobs together, and each pair, or all jobs but one, as the key
    `interference` says. A run does not wait for the end of patterns and of other jobs that are not
    its target. Such a job runs alone for the simulated time of each job set that it is in, so that
    both send for the same time. A job set of such jobs lasts as long as all jobs together. With
    targets, no other job runs alone.

    Args:
        scenario: the scenario.
        resolved: its resolved plan, perhaps with some of the jobs only.
    """
    mode = mode_of(scenario.interference)
    if mode is None:
        return [Part(scenario.name, resolved)]
    present = resolved.job_names
    endless = set(present) - awaited(resolved)
    targets = targets_of(scenario.interference, scenario.jobs)
    compared = present if targets is None else [job for job in present if job in targets]

    def part(name: str, jobs: list[str], as_long_as: str | None = None) -> Part:
        return Part(name, resolved.subset(jobs, name), as_long_as)

    ending = [part(alone_name(job), [job]) for job in compared if job not in endless]
    job_sets = [part(TOGETHER, present)]
    job_sets += [
        part(name, jobs, TOGETHER if endless.issuperset(jobs) else None)
        for name, jobs in _smaller(mode, present)
    ]
    patterns = [
        part(alone_name(job, job_set.name), [job], job_set.name)
        for job_set in job_sets
        if job_set.as_long_as is None
        for job in job_set.jobs
        if job in endless and job in compared
    ]
    return sorted([*ending, *job_sets, *patterns], key=lambda part: part.as_long_as is not None)


def _smaller(mode: str, jobs: list[str]) -> list[tuple[str, list[str]]]:
    """Returns the names and jobs of the job sets that are smaller than all jobs together."""
    if len(jobs) < 3:  # a pair is all jobs together, and all jobs but one is a job alone
        return []
    if mode == "pairs":
        return [(pair_name(*pair), list(pair)) for pair in combinations(jobs, 2)]
    if mode == "leave_one_out":
        return [(without_name(job), [each for each in jobs if each != job]) for job in jobs]
    return []
