"""The simulations of a scenario: one run, or each job alone and all jobs together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pantala.plan import only_jobs
from pantala.scenario import Scenario

__all__ = ["TOGETHER", "Part", "parts_of"]

#: The name of the run with all jobs of an interference experiment.
TOGETHER = "together"


@dataclass(frozen=True)
class Part:
    """One simulation of a scenario.

    Attributes:
        name: its name; the name of the scenario if there is only one.
        plan: its resolved plan.
        as_long_as_together: whether it lasts as long as the run together, which comes before it.
    """

    name: str
    plan: dict[str, Any]
    as_long_as_together: bool = False

    @property
    def jobs(self) -> list[str]:
        """The names of its jobs."""
        return [job["name"] for job in self.plan["jobs"]]

    def lasting(self, together_ns: float) -> dict[str, Any]:
        """Returns the plan with the simulated time of the run together."""
        stop = {**self.plan["stop"], "duration_ps": round(together_ns * 1000)}
        return {**self.plan, "stop": stop}


def parts_of(scenario: Scenario, resolved: dict[str, Any]) -> list[Part]:
    """Returns the simulations of a scenario in order: jobs that end, all jobs together, patterns.

    A pattern never ends. It runs alone for the simulated time of the run together, so that both
    send for the same time.

    Args:
        scenario: the scenario.
        resolved: its resolved plan, perhaps with some of the jobs only.
    """
    if not scenario.interference:
        return [Part(scenario.name, resolved)]
    present = [job["name"] for job in resolved["jobs"]]

    def part(name: str, jobs: list[str], *, endless: bool = False) -> Part:
        return Part(name, only_jobs(resolved, jobs, name), endless)

    alone = [
        part(f"alone-{job.name}", [job.name], endless=job.endless)
        for job in scenario.jobs
        if job.name in present
    ]
    together = part(TOGETHER, present)
    return sorted([*alone, together], key=lambda part: (part.as_long_as_together, part is together))
