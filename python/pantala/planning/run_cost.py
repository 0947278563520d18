"""The traffic of the jobs of a run, its packets, and what a run costs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pantala.core.job_end import ends_by_itself, stop_of
from pantala.core.plan import ExpectedTraffic, Plan
from pantala.planning.job_length import pass_ps, run_length_ns

__all__ = [
    "BYTES_PER_PROCESS",
    "KnownTraffic",
    "RunCost",
    "hops_of_packet",
    "packets_of",
    "pattern_bytes",
    "seconds_of",
    "traffic",
]

#: The memory of a process that simulates, before it begins.
BYTES_PER_PROCESS = 80e6
#: Packet-hops per second of one core that also has another simulation beside it;
#: `docs/performance.md` has measured values.
_HOPS_PER_SECOND = 2.5e6
#: Hops of a packet with adaptive routing, by the kind of topology. Groups of rows and columns have
#: longer paths: the applications of `pantala workload table chunduri2021` make 11 to 13 hops.
_HOPS = {"dragonfly": 5.0, "dragonfly_2d": 12.0}
#: What a job's program does not depend on.
_OF_PLACE = {"nodes", "placement", "routing", "routing_all_to_all", "start_ps"}


@dataclass(frozen=True)
class RunCost:
    """The expected cost of a run on one core.

    Attributes:
        seconds: CPU time, without the start of the process.
        memory_bytes: the largest memory of a process that simulates it.
        disk_bytes: the size of its directory.
        packets: the packets that it will deliver.
        basis: what the estimate is based on, as "from a probe of its first 20 us".
        at_least: whether this is a lower bound, because the work of an awaited job is not known.
    """

    seconds: float
    memory_bytes: float
    disk_bytes: float
    packets: float
    basis: str
    at_least: bool = False


def hops_of_packet(plan: Mapping[str, Any]) -> float:
    """Returns about how many links a packet of a plan passes."""
    return _HOPS[plan["topology"]["kind"]]


def seconds_of(plan: Mapping[str, Any], packets: float) -> float:
    """Returns about how long one core simulates a number of packets of a plan."""
    return packets * hops_of_packet(plan) / _HOPS_PER_SECOND


def packets_of(plan: Mapping[str, Any], sent: Mapping[str, ExpectedTraffic]) -> dict[str, float]:
    """Returns about how many packets each job sends in the run; a message takes at least one.

    A job that repeats and a pattern send until the run ends, which is known if the awaited jobs
    have a length. In a set duration, a job sends no more than its links can carry.

    Args:
        plan: a resolved plan.
        sent: its `traffic`.
    """
    size, rate = plan["packet_bytes"], plan["links"]["terminal"]["bandwidth_bytes_per_s"]
    seconds = plan["stop"]["duration_ps"] * 1e-12
    endless = any(job["name"] in sent and not ends_by_itself(job) for job in plan["jobs"])
    end_ns = run_length_ns(plan, sent) if endless else None
    found = {}
    for job in plan["jobs"]:
        if (each := sent.get(job["name"])) is None:
            continue
        payload, passes = each["bytes"], 1.0
        if job["workload"]["kind"] == "pattern":
            payload = payload or pattern_bytes(plan, job, (end_ns or 0.0) * 1e-9)
        elif job.get("repeat") and end_ns is not None:
            passes = _passes(plan, job, each, end_ns)
        most = rate * len(set(job["nodes"])) * seconds
        part = most / (payload * passes) if 0 < most < payload * passes else 1.0
        found[job["name"]] = max(payload / size, each["messages"]) * passes * part
    return found


def _passes(
    plan: Mapping[str, Any], job: Mapping[str, Any], sent: ExpectedTraffic, end_ns: float
) -> float:
    """Returns about how often a job that repeats passes until a run ends, at least once."""
    length = pass_ps(plan, job, sent)
    if not length:
        return 1.0
    return float(max(1.0, (stop_of(job, end_ns) * 1000 - job["start_ps"]) / length))


class KnownTraffic:
    """The traffic of programs, counted once for plans that differ in nodes and routing only."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, ExpectedTraffic]] = {}

    def of(self, plan: Plan) -> dict[str, ExpectedTraffic]:
        """Returns what `Plan.expected_traffic` returns."""
        programs = [{k: v for k, v in job.items() if k not in _OF_PLACE} for job in plan["jobs"]]
        rest = [plan[key] for key in ("mpi", "packet_bytes", "flit_bytes", "links", "seed")]
        text = json.dumps([programs, rest], sort_keys=True)
        key = hashlib.sha256(text.encode()).hexdigest()
        if key not in self._found:
            self._found[key] = plan.expected_traffic()
        return self._found[key]


def traffic(plan: Plan, known: KnownTraffic | None = None) -> dict[str, ExpectedTraffic]:
    """Returns what each job sends, by the job's name.

    A pattern sends its load for the duration of the run. Of a job that repeats, one pass counts.
    Jobs are left out whose messages are known only when they run.

    Args:
        plan: a resolved plan.
        known: remembers the traffic of programs, for other plans.

    Raises:
        PlanError: a workload is wrong.
    """
    sent = plan.expected_traffic() if known is None else dict(known.of(plan))
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
