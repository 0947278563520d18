"""The expected cost of a run, from the traffic of its jobs and the typical speed of a core."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from pantala.core.plan import ExpectedTraffic, Plan
from pantala.errors import ScenarioWarning
from pantala.scenario.plan import awaited
from pantala.text.amounts import PLAIN, counted

__all__ = ["hops_of_packet", "pattern_bytes", "seconds_of", "traffic", "warn_of_cost"]

#: Packet-hops per second of one core that also has another simulation beside it;
#: `docs/performance.md` has measured values.
_HOPS_PER_SECOND = 2.5e6
#: Hops of a packet with adaptive routing, by the kind of topology. Groups of rows and columns have
#: longer paths: the applications of `pantala workload table chunduri2021` make 11 to 13 hops.
_HOPS = {"dragonfly": 5.0, "dragonfly_2d": 12.0}
#: The time from which a run is worth a warning: an hour.
_LONG = 3600.0


def hops_of_packet(plan: Mapping[str, Any]) -> float:
    """Returns about how many links a packet of a plan passes."""
    return _HOPS[plan["topology"]["kind"]]


def seconds_of(plan: Mapping[str, Any], packets: float) -> float:
    """Returns about how long one core simulates a number of packets of a plan."""
    return packets * hops_of_packet(plan) / _HOPS_PER_SECOND


def traffic(plan: Plan) -> dict[str, ExpectedTraffic]:
    """Returns what each job sends, by the job's name.

    A pattern sends its load for the duration of the run. Of a job that repeats, one pass counts.
    Jobs are left out whose messages are known only when they run.

    Args:
        plan: a resolved plan.

    Raises:
        PlanError: a workload is wrong.
    """
    sent = plan.expected_traffic()
    seconds = plan["stop"]["duration_ps"] * 1e-12
    for job in plan["jobs"]:
        if job["workload"]["kind"] == "pattern":
            payload = pattern_bytes(plan, job, seconds)
            sent[job["name"]] = {"bytes": payload, "messages": 0.0, "calls": 0.0}
    return sent


def pattern_bytes(plan: Mapping[str, Any], job: Mapping[str, Any], seconds: float) -> float:
    """Returns the bytes that a pattern, a job of a plan, offers in a time."""
    rate: float = plan["links"]["terminal"]["bandwidth_bytes_per_s"]
    load: float = job["workload"].get("load", 0.0)
    return load * rate * len(job["nodes"]) * seconds


def warn_of_cost(plan: Mapping[str, Any], sent: Mapping[str, ExpectedTraffic], source: str) -> None:
    """Warns of a run that would take an hour or more on one core.

    Only jobs count whose end the run waits for, and no more than their links can carry in the
    duration of the run.

    Args:
        plan: a resolved plan.
        sent: its `traffic`.
        source: the scenario's file, or another name for it.

    Warns:
        ScenarioWarning: with the payload of the largest job, the time, and the remedy.
    """
    ending = awaited(plan)
    rate = plan["links"]["terminal"]["bandwidth_bytes_per_s"]
    seconds = plan["stop"]["duration_ps"] * 1e-12
    most = {job["name"]: rate * len(job["nodes"]) * seconds for job in plan["jobs"]}
    counted = {
        name: min(each["bytes"], most[name]) if seconds else each["bytes"]
        for name, each in sent.items()
        if name in ending
    }
    if not counted:
        return
    time = seconds_of(plan, sum(counted.values()) / plan["packet_bytes"])
    if time < _LONG:
        return
    name = max(counted, key=lambda job: counted[job])
    message = (
        f"jobs.{name} sends {PLAIN.size(counted[name])}, and the run would take about"
        f" {_time(time)} on one core; lower its iterations or messages, set stop.duration, or set"
        " detail.coarsen"
    )
    warnings.warn(ScenarioWarning(source, message), stacklevel=3)


def _time(seconds: float) -> str:
    unit, name = (86_400, "day") if seconds >= 172_800 else (3600, "hour")
    return counted(round(seconds / unit), name)
