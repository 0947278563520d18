"""How long a job takes at least, without latencies and contention: computing, and its bytes.

The computing of a rank is what its program computes in all; see `native.communication`. Programs of
many calls are not executed in full: fewer iterations say how long one takes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pantala.core import native
from pantala.core.plan import ExpectedTraffic
from pantala.errors import PlanError, UsageError
from pantala.scenario.plan import awaited

__all__ = ["compute_ps", "length_ns", "pass_ps", "run_length_ns"]

#: The most calls of a program that is executed in full, about 0.1 s; and of one iteration.
_CALLS, _MOST_CALLS = 200_000, 2_000_000
#: The most pairs of ranks with messages: they take memory.
_MOST_PAIRS = 2_000_000
#: The computing of a job by its workload and its ranks. Jobs of sweeps and backgrounds are alike.
_KNOWN: dict[str, float | None] = {}
_MOST_KNOWN = 10_000
#: The units of a factor of compute times.
_MILLIONTHS = 1_000_000


def length_ns(
    plan: Mapping[str, Any], job: Mapping[str, Any], sent: ExpectedTraffic | None
) -> float | None:
    """Returns when a job ends at the earliest, in ns; None if nothing is known of it.

    Its computing, and its bytes at the bandwidth of its nodes, after its start: neither latencies
    nor contention. Of a job that repeats, the first pass counts.

    Args:
        plan: a resolved plan.
        job: the job.
        sent: its `traffic`, if that is known.
    """
    found = pass_ps(plan, job, sent)
    return None if found is None else (float(job["start_ps"]) + found) / 1000


def pass_ps(
    plan: Mapping[str, Any], job: Mapping[str, Any], sent: ExpectedTraffic | None
) -> float | None:
    """Returns how long a pass of a job takes at least, in ps; None if nothing is known of it.

    Args:
        plan: a resolved plan.
        job: the job.
        sent: its `traffic`, if that is known.
    """
    computing = compute_ps(plan, job, sent)
    if sent is None or computing is None:
        return None
    rate = plan["links"]["terminal"]["bandwidth_bytes_per_s"] / 1e12
    return computing + float(sent["bytes"]) / max(1, len(set(job["nodes"]))) / float(rate)


def run_length_ns(plan: Mapping[str, Any], sent: Mapping[str, ExpectedTraffic]) -> float | None:
    """Returns when a run ends: at its duration, or with the awaited jobs at the earliest, in ns.

    It is None if an awaited job has no estimate.

    Args:
        plan: a resolved plan.
        sent: its `traffic`.
    """
    ending = awaited(plan)
    jobs = [job for job in plan["jobs"] if job["name"] in ending]
    lengths = [length_ns(plan, job, sent.get(job["name"])) for job in jobs]
    known = [length for length in lengths if length is not None]
    duration: float = plan["stop"]["duration_ps"] / 1000
    if len(known) < len(lengths) or not lengths:
        return duration or None
    return min(duration, max(known)) if duration else max(known)


def compute_ps(
    plan: Mapping[str, Any], job: Mapping[str, Any], sent: ExpectedTraffic | None
) -> float | None:
    """Returns the most that a rank of a job computes in a pass, in ps.

    It is None for a pattern, for a job without `traffic`, and for a program of too many calls.

    Args:
        plan: a resolved plan.
        job: the job.
        sent: its `traffic`, if that is known.
    """
    workload = job["workload"]
    if sent is None or workload["kind"] == "pattern":
        return None
    if min(sent["messages"], job["ranks"] ** 2) > _MOST_PAIRS:
        return None
    key = json.dumps([workload, job["ranks"]], sort_keys=True)
    if key not in _KNOWN:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[key] = _of_workload(plan, job, workload, sent["calls"])
    return _KNOWN[key]


def _of_workload(
    plan: Mapping[str, Any], job: Mapping[str, Any], workload: Mapping[str, Any], calls: float
) -> float | None:
    """Returns the most computing of a rank in a workload of so many calls at most, in ps."""
    if calls <= _CALLS:
        return _executed(plan, job, workload)
    if "parts" in workload:
        parts = [_of_workload(plan, job, part, calls) for part in workload["parts"]]
        return None if None in parts else sum(part for part in parts if part is not None)
    iterations = workload.get("iterations", 0)
    if not iterations or calls > _MOST_CALLS * iterations:
        return _executed(plan, job, workload) if calls <= _MOST_CALLS else None
    few = max(1, int(iterations * _CALLS / calls))
    found = _executed(plan, job, {**workload, "iterations": few})
    if found is None:
        return None
    before = workload.get("start_delay_ps", 0)
    return float(before + (found - before) * iterations / few)


def _executed(
    plan: Mapping[str, Any], job: Mapping[str, Any], workload: Mapping[str, Any]
) -> float | None:
    """Returns the most computing of a rank in a workload, whose program is executed, in ps."""
    try:
        if workload["kind"] == "trace":
            return _recorded(workload)
        (found,) = native.communication({**plan, "jobs": [{**job, "workload": workload}]})
    except (PlanError, UsageError, ValueError):
        return None  # the run says what is wrong with it
    return float(max((rank["compute_ps"] for rank in found["ranks"]), default=0))


def _recorded(workload: Mapping[str, Any]) -> float:
    """Returns the most computing of a rank in a trace, in ps.

    Computing beside other tasks counts, too, which `native.communication` leaves out.
    """
    if workload["compute"] != "recorded":
        return 0.0
    ranks = native.trace_summary(workload["path"])["by_rank"]
    longest = max((rank["compute_ps"] for rank in ranks), default=0)
    return float(longest * workload["compute_scale_millionths"] / _MILLIONTHS)
