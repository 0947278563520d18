"""The expected cost of a run: CPU time, memory and disk, from a probe or from its traffic.

A probe (`probe`) simulates the first half second of the run. What the jobs have received then, and
what they send in all, tells which part of the run that was. A run that ends within the probe is
measured. Without a probe, the traffic gives the packets, and the typical speed of a core the time.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pantala.core.job_end import ends_by_itself
from pantala.core.plan import ExpectedTraffic, Plan
from pantala.errors import ScenarioWarning
from pantala.planning.extrapolate import end_of, from_probe
from pantala.planning.job_length import run_length_ns
from pantala.planning.probe import PROBE_SECONDS, probe
from pantala.planning.run_cost import (
    BYTES_PER_PROCESS,
    RunCost,
    packets_of,
    seconds_of,
    traffic,
)
from pantala.scenario.plan import awaited
from pantala.text.amounts import PLAIN, clock, counted

__all__ = [
    "LONG",
    "cost_of",
    "cost_words",
    "expected_cost",
    "from_traffic",
    "in_parts",
    "time_words",
    "warn_of_cost",
]

#: A probe with fewer packets says nothing of their cost.
_FEWEST = 200
#: Times below this are not told apart.
_SHOWN = 0.05
#: The time from which a run is worth a warning: an hour.
LONG = 3600.0

#: Machines with more nodes are not probed: their set-up alone takes longer than a probe.
_MOST_NODES = 100_000
#: The memory of a process before it simulates, and of a node.
_BYTES_PER_RUN = 15e6
_BYTES_PER_NODE = 9e3
#: The time of a run without packets, and what its files take.
_SECONDS_PER_RUN = 0.03
_DISK_PER_RUN = 30e3
_DISK_PER_NODE = 360.0


def cost_of(
    plan: Plan,
    sent: Mapping[str, ExpectedTraffic] | None = None,
    seconds: float = PROBE_SECONDS,
    kept: Collection[str] | None = None,
) -> RunCost:
    """Returns the expected cost of a run.

    Args:
        plan: a resolved plan.
        sent: its `traffic`, if it is known already.
        seconds: about how much CPU time a probe may take; 0 for none.
        kept: the tables that stay on the disk; all, if it is not given.

    Raises:
        PlanError: a workload is wrong.
    """
    expected = traffic(plan) if sent is None else sent
    if seconds > 0 and plan["derived"]["nodes"] <= _MOST_NODES:
        probed = probe(plan, seconds)
        if probed is not None and (probed.ended or probed.packets >= _FEWEST):
            cost = from_probe(plan, expected, probed, kept=kept)
            if cost.at_least and (earliest := _end_alone(plan, expected, seconds)):
                cost = from_probe(plan, expected, probed, earliest, kept)
            return _skipped(plan, cost)
    return _skipped(plan, from_traffic(plan, expected))


def _end_alone(plan: Plan, sent: Mapping[str, ExpectedTraffic], seconds: float) -> float:
    """Returns when the awaited jobs of a run would end alone, in ps, by a probe of them.

    It is 0 if no other job is in the run, or if the probe tells nothing.
    """
    jobs = [name for name in plan.job_names if name in awaited(plan)]
    if not jobs or len(jobs) == len(plan.job_names) or plan["stop"]["duration_ps"]:
        return 0.0
    alone = plan.subset(jobs, "alone")
    probed = probe(alone, seconds)
    if probed is None:
        return 0.0
    return end_of(alone, {name: sent[name] for name in jobs if name in sent}, probed)


def _skipped(plan: Mapping[str, Any], cost: RunCost) -> RunCost:
    """Returns the cost of a run that skips time in which its jobs repeat, if it does."""
    share = plan["derived"].get("skip_share")
    if share is None:
        return cost
    fixed = min(cost.disk_bytes, _fixed_disk(plan))
    if share >= 1:
        why = "nothing will be skipped, because a job does not repeat often enough"
        return replace(cost, basis=f"{cost.basis}; {why}")
    return replace(
        cost,
        seconds=cost.seconds * share,
        disk_bytes=fixed + (cost.disk_bytes - fixed) * share,
        packets=cost.packets * share,
        basis=f"{cost.basis}, of which about {PLAIN.percent(share)} will be simulated (skip; half"
        " to three times that in four of five runs)",
    )


def in_parts(
    cost: RunCost,
    plan: Mapping[str, Any],
    sent: Mapping[str, ExpectedTraffic],
    parts: Sequence[Sequence[str]],
) -> RunCost:
    """Returns the cost of the simulations of an interference experiment, one after another.

    Args:
        cost: the cost of the run of all jobs together.
        plan: the plan of that run.
        sent: its `traffic`.
        parts: the names of the jobs of each simulation.
    """
    if len(parts) < 2:
        return cost
    packets = packets_of(plan, sent)
    nodes = {job["name"]: float(len(job["nodes"])) for job in plan["jobs"]}
    # Without a duration, the packets of patterns are not known; then their nodes count.
    known = len(packets) == len(nodes) and all(packets.values())
    weights = packets if known else nodes
    times = sum(weights[job] for part in parts for job in part) / sum(weights.values())
    return replace(
        cost,
        seconds=cost.seconds * times,
        disk_bytes=cost.disk_bytes * times,
        packets=cost.packets * times,
    )


def expected_cost(
    plan: Plan,
    sent: Mapping[str, ExpectedTraffic],
    parts: Sequence[Sequence[str]],
    seconds: float = PROBE_SECONDS,
    probe_from: float = 0.0,
) -> RunCost:
    """Returns the cost of a scenario: one run, or the simulations of an interference experiment.

    Args:
        plan: its resolved plan.
        sent: its `traffic`.
        parts: the names of the jobs of each simulation.
        seconds: about how much CPU time a probe may take.
        probe_from: the seconds, by the traffic, from which a probe is made. A run whose traffic is
            not known is probed, too.
    """
    by_traffic = in_parts(_skipped(plan, from_traffic(plan, sent)), plan, sent, parts)
    if by_traffic.seconds < probe_from and _tells(plan, sent):
        return by_traffic
    return in_parts(cost_of(plan, sent, seconds), plan, sent, parts)


def _tells(plan: Mapping[str, Any], sent: Mapping[str, ExpectedTraffic]) -> bool:
    """Returns whether the traffic tells what a run costs: other jobs may send until its end."""
    if all(ends_by_itself(job) for job in plan["jobs"]) or plan["stop"]["duration_ps"]:
        return awaited(plan) <= sent.keys()
    return run_length_ns(plan, sent) is not None


def warn_of_cost(
    plan: Mapping[str, Any], sent: Mapping[str, ExpectedTraffic], cost: RunCost, source: str
) -> None:
    """Warns of a run that would take an hour or more on one core.

    Args:
        plan: a resolved plan.
        sent: its `traffic`.
        cost: its expected cost.
        source: the scenario's file, or another name for it.

    Warns:
        ScenarioWarning: with the time, the job that sends most, and how to stop the run, shorten it
            or simulate it more coarsely.
    """
    if cost.seconds < LONG:
        return
    packets = packets_of(plan, sent)
    jobs = {job["name"]: job for job in plan["jobs"]}
    largest = max(packets, key=lambda name: packets[name], default=None)
    shorten = "set stop.duration (--set stop.duration='1 ms')"
    if largest is not None and ends_by_itself(jobs[largest]):
        size = PLAIN.size(sent[largest]["bytes"])
        shorten += f" or fewer iterations or messages of jobs.{largest}, which sends {size}"
    if plan["stop"]["duration_ps"]:
        shorten = shorten.replace("set stop.duration", "lower stop.duration", 1)
    coarser = "to simulate it more coarsely, give --coarsen 4 (detail.coarsen); "
    if plan["detail"]["coarsen"] > 1:
        coarser = ""
    word = "at least" if cost.at_least else "about"
    message = (
        f"the run would take {word} {_long_time(cost.seconds)} on one core ({cost.basis}); Ctrl-C"
        f" stops it and keeps its tables; to shorten it, {shorten}; {coarser}"
        "--threads auto uses more cores"
    )
    warnings.warn(ScenarioWarning(source, message), stacklevel=3)


def cost_words(cost: RunCost) -> str:
    """Returns the cost of a run in words: its time, its memory, and what says so."""
    time = time_words(cost.seconds, at_least=cost.at_least)
    return f"{time} on one core, {PLAIN.size(cost.memory_bytes)} of memory ({cost.basis})"


def time_words(seconds: float, *, at_least: bool) -> str:
    """Returns an estimated time in words: ``about 1.2 s``, ``less than 0.1 s``."""
    if seconds < _SHOWN:
        return "less than 0.1 s"
    return f"{'at least' if at_least else 'about'} {clock(seconds)}"


def _long_time(seconds: float) -> str:
    unit, name = (86_400, "day") if seconds >= 172_800 else (3600, "hour")
    return counted(round(seconds / unit), name)


def from_traffic(plan: Mapping[str, Any], sent: Mapping[str, ExpectedTraffic]) -> RunCost:
    """Returns the cost of a run by the packets of its jobs and the typical speed of a core."""
    packets = sum(packets_of(plan, sent).values())
    nodes = plan["derived"]["nodes"]
    return RunCost(
        _SECONDS_PER_RUN + seconds_of(plan, packets),
        BYTES_PER_PROCESS + _BYTES_PER_RUN + nodes * _BYTES_PER_NODE,
        _fixed_disk(plan),
        packets,
        "from its traffic",
    )


def _fixed_disk(plan: Mapping[str, Any]) -> float:
    """Returns the bytes of the tables that do not grow with the run."""
    nodes: int = plan["derived"]["nodes"]
    return _DISK_PER_RUN + nodes * _DISK_PER_NODE
