"""The parts that two scenarios share: cases of an experiment differ in few keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pantala.scenario.scenario_tables import ScenarioTables

__all__ = ["BY_THEMSELVES", "ROUTINGS", "equal_parts"]

#: Tables that follow from their own keys and the machine's.
BY_THEMSELVES = ("mpi", "stop", "record", "detail", "skip")
#: Tables that are laid over those of the layers below.
ROUTINGS = ("routing", "routing_all_to_all")


def equal_parts(
    made: ScenarioTables, own: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns the parts of other tables, with those made that a scenario has already.

    Args:
        made: the scenario.
        own: the tables that it was made of.
        given: the other tables.
    """
    parts: dict[str, Any] = {}
    if "machine" in given and given["machine"] == own.get("machine"):
        parts["machine"] = made.machine
        for name in BY_THEMSELVES:
            table = given.get(name, {})
            # The machine completes mpi, also if it is not given.
            there = name in given or name == "mpi"
            if there and isinstance(table, dict) and table == own.get(name, {}):
                parts[name] = getattr(made, name)
    jobs, own_jobs = given.get("jobs"), own.get("jobs")
    if isinstance(jobs, list) and isinstance(own_jobs, list) and len(own_jobs) == len(made.jobs):
        known = dict(enumerate(zip(own_jobs, made.jobs, strict=True)))
        parts["jobs"] = [
            known[place][1]
            # A routing of a job is completed by the scenario's.
            if place in known and job == known[place][0] and job.keys().isdisjoint(ROUTINGS)
            else job
            for place, job in enumerate(jobs)
        ]
    return parts
