"""Jobs of recorded calls that deadlock by the order of their calls, found before a run."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pantala.core.call_order import deadlock_of_calls
from pantala.errors import PlanError, ScenarioWarning
from pantala.text.amounts import counted

if TYPE_CHECKING:
    from pantala.scenario import Scenario

__all__ = ["advice_of_calls", "warn_of_calls"]

#: The workloads with recorded calls. All others come from generators that are tested.
_RECORDED = {"operations", "trace"}


def warn_of_calls(scenario: Scenario, plan: Mapping[str, Any]) -> None:
    """Warns of jobs whose recorded calls deadlock under the keys `mpi` of the plan.

    Args:
        scenario: the scenario.
        plan: its resolved plan.

    Raises:
        ScenarioError: a file cannot be read.

    Warns:
        ScenarioWarning: with the job, and the ranks, calls, partners and tags.
    """
    try:
        found = list(advice_of_calls(plan))
    except PlanError as error:
        raise scenario.error_of_plan(error) from None
    for text in found:
        warnings.warn(ScenarioWarning(scenario.source, text), stacklevel=3)


def advice_of_calls(plan: Mapping[str, Any]) -> Iterator[str]:
    """Yields a message for each job whose calls deadlock, or were not all searched.

    Jobs that replay one file are searched once, and share a message.

    Args:
        plan: a resolved plan.

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
        found = deadlock_of_calls(*first[key], plan["mpi"])
        if found:
            more = f" and {counted(len(names) - 1, 'other job')}" if len(names) > 1 else ""
            yield f"jobs.{names[0]}{more}: {found}"
