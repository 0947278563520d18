"""Jobs of recorded calls that fail or deadlock by the order of their calls, found before a run."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pantala.core import native
from pantala.core.call_order import MOST, in_words
from pantala.errors import Fault, PlanError, ScenarioError, ScenarioWarning
from pantala.scenario.plan import awaited
from pantala.scenario.program_lines import lines_of
from pantala.text.amounts import counted

if TYPE_CHECKING:
    from pantala.scenario import Scenario

__all__ = ["check_calls"]

#: The workloads with recorded calls. All others come from generators that are tested.
_RECORDED = {"operations", "trace"}


def check_calls(scenario: Scenario, plan: Mapping[str, Any]) -> None:
    """Refuses a run that waits for a job whose recorded calls fail, and warns of other jobs.

    The calls are executed under the keys `mpi` of the plan. Jobs that replay one file are searched
    once, and share a message.

    Args:
        scenario: the scenario.
        plan: its resolved plan.

    Raises:
        ScenarioError: a file cannot be read, or a message is never received or does not fit its
            receive: the job, rank and call.

    Warns:
        ScenarioWarning: calls deadlock, were not all searched, or fail in a job that the run may
            leave before: with the job, and the ranks, calls, partners and tags.
    """
    try:
        found = list(_searched(scenario, plan))
    except PlanError as error:
        raise scenario.error_of_plan(error) from None
    remedy = "correct the calls in the program, or in what wrote the file"
    faults = [
        Fault(f"{job}.workload", "", f"{text}{more}", remedy)
        for job, more, text, fails in found
        if fails
    ]
    if faults:
        first, *others = faults
        raise ScenarioError(
            scenario.source, first.key, first.value, first.message, first.remedy, others
        )
    for job, more, text, _ in found:
        message = f"{job}{more}: {text}"
        warnings.warn(ScenarioWarning(scenario.source, message), stacklevel=3)


def _searched(scenario: Scenario, plan: Mapping[str, Any]) -> Iterator[tuple[str, str, str, bool]]:
    """Yields the jobs whose calls fail, deadlock, or were not all searched.

    Args:
        scenario: the scenario.
        plan: its resolved plan.

    Yields:
        The first job, the other jobs of the same file, what was found, and whether the run fails.

    Raises:
        PlanError: a file cannot be read.
    """
    alike: dict[str, list[str]] = {}
    first: dict[str, tuple[dict[str, Any], int]] = {}
    for job in plan["jobs"]:
        workload = job["workload"]
        if workload["kind"] in _RECORDED:
            key = json.dumps([workload, job["ranks"]], sort_keys=True)
            alike.setdefault(key, []).append(job["name"])
            first[key] = (workload, job["ranks"])
    for key, names in alike.items():
        found = native.call_order(*first[key], plan["mpi"], MOST)
        _add_lines(scenario, names[0], [*found["faults"], *found["blocked"]])
        if text := in_words(found, plan["mpi"]["eager_threshold_bytes"]):
            more = f" and {counted(len(names) - 1, 'other job')}" if len(names) > 1 else ""
            waits = not plan["stop"]["duration_ps"] and not awaited(plan).isdisjoint(names)
            fails = bool(waits and found["complete"] and found["faults"])
            yield f"jobs.{names[0]}", more, text, fails


def _add_lines(scenario: Scenario, job: str, calls: list[dict[str, Any]]) -> None:
    """Replaces the numbers of operations of a Python program by its lines."""
    asked = {
        call["rank"]: call["place"]["operation"]
        for call in calls
        if "operation" in (call.get("place") or {})
    }
    lines = lines_of(scenario, job, asked) if asked else {}
    for call in calls:
        if call["rank"] in lines:
            call["place"] = {"line": lines[call["rank"]]}
