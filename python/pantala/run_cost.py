"""The expected cost of a run, from the payload of its jobs and the typical speed of a core."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from pantala import native
from pantala.errors import PlanError, ScenarioWarning
from pantala.plan import awaited

__all__ = ["SECONDS_PER_PACKET", "payloads", "warn_of_cost"]

#: Packet-hops per second of one core that also has another simulation beside it, and hops of a
#: packet with adaptive routing; `docs/performance.md` has measured values.
_HOPS_PER_SECOND = 2.5e6
_HOPS = 5.0
#: Time of one core for a packet.
SECONDS_PER_PACKET = _HOPS / _HOPS_PER_SECOND
#: The time from which a run is worth a warning: an hour.
_LONG = 3600.0


def payloads(plan: Mapping[str, Any]) -> dict[str, float]:
    """Returns the bytes that each job sends, by the job's name.

    A pattern sends its load for the duration of the run. Of a job that repeats, one pass counts.
    Jobs are left out whose messages are known only when they run.

    Args:
        plan: a resolved plan.

    Raises:
        PlanError: a workload is wrong.
    """
    sent = native.expected_traffic(dict(plan))
    rate = plan["links"]["terminal"]["bandwidth_bytes_per_s"]
    seconds = plan["stop"]["duration_ps"] * 1e-12
    for job in plan["jobs"]:
        if job["workload"]["kind"] == "pattern":
            sent[job["name"]] = (
                job["workload"].get("load", 0.0) * rate * len(job["nodes"]) * seconds
            )
    return sent


def warn_of_cost(plan: Mapping[str, Any], source: str) -> None:
    """Warns of a run that would take an hour or more on one core.

    Only jobs count whose end the run waits for, and no more than their links can carry in the
    duration of the run.

    Args:
        plan: a resolved plan.
        source: the scenario's file, or another name for it.

    Warns:
        ScenarioWarning: with the payload of the largest job, the time, and the remedy.
    """
    try:
        sent = payloads(plan)
    except PlanError:
        return  # the run reports it
    ending = awaited(plan)
    rate = plan["links"]["terminal"]["bandwidth_bytes_per_s"]
    seconds = plan["stop"]["duration_ps"] * 1e-12
    most = {job["name"]: rate * len(job["nodes"]) * seconds for job in plan["jobs"]}
    counted = {
        name: min(size, most[name]) if seconds else size
        for name, size in sent.items()
        if name in ending
    }
    if not counted:
        return
    time = sum(counted.values()) / plan["packet_bytes"] * SECONDS_PER_PACKET
    if time < _LONG:
        return
    name = max(counted, key=lambda job: counted[job])
    message = (
        f"jobs.{name} sends {_size(counted[name])}, and the run would take about"
        f" {_time(time)} on one core; lower its iterations or messages, set stop.duration, or set"
        " detail.coarsen"
    )
    warnings.warn(ScenarioWarning(source, message), stacklevel=3)


def _size(size: float) -> str:
    unit, name = (1e12, "TB") if size >= 1e12 else (1e9, "GB")
    return f"{size / unit:.3g} {name}"


def _time(seconds: float) -> str:
    unit, name = (86_400, "day") if seconds >= 172_800 else (3600, "hour")
    number = round(seconds / unit)
    return f"{number:,} {name}{'' if number == 1 else 's'}"
