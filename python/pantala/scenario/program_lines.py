"""The lines of Python programs in messages of the core, which knows the numbers of operations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pantala.scenario.scenario import Scenario

__all__ = ["lines_of", "with_lines"]

#: The call of a rank in a message of the core, with the number of its operation.
_CALL = re.compile(
    r"(?P<before>job '(?P<job>[^']+)' rank (?P<rank>\d+)(?: is blocked in|:) \w+)"
    r" \(operation (?P<number>\d+)\)"
)


def with_lines(text: str, scenario: Scenario) -> str:
    """Returns a message of the core with lines of Python programs for numbers of operations.

    Args:
        text: the message.
        scenario: the scenario of the run.
    """
    operations: dict[str, dict[int, int]] = {}
    for found in _CALL.finditer(text):
        operations.setdefault(found["job"], {})[int(found["rank"])] = int(found["number"])
    lines = {job: lines_of(scenario, job, asked) for job, asked in operations.items()}

    def line(found: re.Match[str]) -> str:
        place = lines[found["job"]].get(int(found["rank"]))
        return f"{found['before']} ({place})" if place else found[0]

    return _CALL.sub(line, text)


def lines_of(scenario: Scenario, job: str, operations: Mapping[int, int]) -> dict[int, str]:
    """Returns by rank the line of an operation; empty if the job is no program in Python.

    Args:
        scenario: the scenario of the run.
        job: the name of the job.
        operations: by rank, the number of the operation, from 0.
    """
    from pantala.workloads.python_program import PythonProgram

    for each in scenario.all_jobs:
        if each.name == job and isinstance(each.workload, PythonProgram):
            return each.workload.lines(each.ranks, scenario.seed, job, operations)
    return {}
