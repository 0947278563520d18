"""Warnings before a run: what a plan allows and its author may not mean."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pantala.core.job_end import ends_by_itself
from pantala.core.plan import ExpectedTraffic
from pantala.core.record_windows import long_windows, packets_from
from pantala.errors import ScenarioWarning
from pantala.planning.job_length import length_ns, pass_ps
from pantala.scenario.job_copies import with_copies
from pantala.scenario.plan import awaited
from pantala.text.amounts import PLAIN

if TYPE_CHECKING:
    from pantala.scenario import Scenario

__all__ = ["advice_of_lengths", "advice_of_windows", "warn_of_plan"]

#: A job whose estimated length is less than this part of another job's is a warning. The estimate
#: may be wrong by a factor: it knows neither latencies nor contention.
_SHORT = 0.5
#: A delay before each pass of more than this part of it is a warning.
_DELAYED = 0.5
#: Jobs that a warning lists.
_MOST = 4
#: Silent jobs whose names a message has.
_NAMED = 3


def warn_of_plan(
    scenario: Scenario, plan: Mapping[str, Any], sent: Mapping[str, ExpectedTraffic]
) -> None:
    """Warns of global ports without a link, and of jobs that send nothing, or mostly wait.

    Args:
        scenario: the scenario.
        plan: its resolved plan.
        sent: the traffic of each job; see `pantala.planning.run_cost.traffic`.

    Warns:
        ScenarioWarning: with the number of ports or the job, and the remedy.
    """
    found = (*_unused_ports(scenario, plan), *_silent(plan, sent), *_delayed(scenario, plan, sent))
    for message in found:
        warnings.warn(ScenarioWarning(scenario.source, message), stacklevel=3)


def _unused_ports(scenario: Scenario, plan: Mapping[str, Any]) -> Iterator[str]:
    """Yields a message if more links per pair of groups fit on the global ports."""
    given, topology = scenario.machine.topology, plan["topology"]
    if given.links_file is not None or given.cables_per_pair or topology["g"] < 2:
        return  # the links are given, or counted from the cables of a machine
    links, others = topology["links_per_pair"], topology["g"] - 1
    ports = topology["a"] * topology["h"]
    if (most := ports // others) > links:
        unused = (ports - links * others) * topology["g"]
        yield (
            f"machine.topology: {unused:,} of {ports * topology['g']:,} global ports have no link;"
            f" set links_per_pair = {most} (it is {links}), or more groups, or fewer global ports"
            " (h)"
        )


def _silent(plan: Mapping[str, Any], sent: Mapping[str, ExpectedTraffic]) -> Iterator[str]:
    """Yields a message for each job that sends nothing; one for several without another reason.

    A job of one rank among others, as logs have them, has nobody to send to.
    """
    stop = plan["stop"]["duration_ps"]
    silent = []
    for job in plan["jobs"]:
        name, start = job["name"], job["start_ps"]
        if stop and start >= stop:
            yield (
                f"jobs.{name} sends nothing: it starts at"
                f" {PLAIN.duration(start / 1000, exact=True)}, and the run stops at"
                f" {PLAIN.duration(stop / 1000, exact=True)}; start it earlier or raise"
                " stop.duration"
            )
        elif job["workload"]["kind"] == "pattern":
            if not job["workload"].get("load", 1):
                yield f"jobs.{name} sends nothing: its load is 0; set a load"
        elif (
            (job["ranks"] > 1 or len(plan["jobs"]) == 1)
            and name in sent
            and not sent[name]["messages"]
        ):
            silent.append(f"jobs.{name}")
    if len(silent) == 1:
        yield f"{silent[0]} sends nothing; check its messages and iterations"
    elif silent:
        more = f" and {len(silent) - _NAMED} more" if len(silent) > _NAMED else ""
        names = ", ".join(silent[:_NAMED])
        yield f"{names}{more} send nothing; check their messages and iterations"


def _delayed(
    scenario: Scenario, plan: Mapping[str, Any], sent: Mapping[str, ExpectedTraffic]
) -> Iterator[str]:
    """Yields a message for each job that repeats mostly its delay before the first iteration."""
    planned = {job["name"]: job for job in plan["jobs"]}
    for job in scenario.jobs:
        if not job.repeat or not hasattr(job.workload, "start_delay"):
            continue
        first = planned[with_copies([job.name], scenario.jobs)[0]]
        length = pass_ps(plan, first, sent.get(first["name"]))
        delay = int(job.workload.start_delay)
        if length and delay > _DELAYED * length:
            yield (
                f"jobs.{job.name} repeats its start_delay"
                f" ({PLAIN.duration(delay / 1000, exact=True)}) in each pass, about"
                f" {PLAIN.percent(delay / length)} of it without latencies and contention; set"
                ' workload.start_delay = "0 ns", or more iterations'
            )


def advice_of_lengths(plan: Mapping[str, Any], sent: Mapping[str, ExpectedTraffic]) -> str:
    """Returns a sentence on jobs that may end long before another; empty if there are none.

    The length of a job is estimated: its computing, and its bytes at the bandwidth of
    its nodes. Jobs without such an estimate are left out.

    Args:
        plan: a resolved plan.
        sent: the traffic of each job; see `pantala.planning.run_cost.traffic`.
    """
    lengths = {}
    for job in plan["jobs"]:
        length = length_ns(plan, job, sent.get(job["name"]))
        if ends_by_itself(job) and length is not None:
            lengths[job["name"]] = length
    if len(lengths) < 2:
        return ""
    longest = max(lengths, key=lambda name: lengths[name])
    short = [name for name, each in lengths.items() if each < _SHORT * lengths[longest]]
    if not short:
        return ""
    text = ", ".join(
        f"{name} (about {PLAIN.duration(lengths[name])})" for name in short[:_MOST]
    ) + (f" and {len(short) - _MOST} more" if len(short) > _MOST else "")
    return (
        f"{text} may end long before {longest} (about {PLAIN.duration(lengths[longest])}, without"
        " latencies and contention): the rest of its run has no interference from there; set"
        " repeat = true for the shorter jobs, or more iterations"
    )


def advice_of_windows(plan: Mapping[str, Any], sent: Mapping[str, ExpectedTraffic]) -> str:
    """Returns a sentence on times of the record that the run may not reach; empty if none are.

    The jobs that the run waits for end it, at a time that is only estimated; see
    `advice_of_lengths`. If there is no estimate, only the begin of the record of packets is stated:
    every other window begins with the run. Times beyond a set duration are faults of the scenario.

    Args:
        plan: a resolved plan.
        sent: the traffic of each job; see `pantala.planning.run_cost.traffic`.
    """
    record = plan.get("record") or {}
    ending = awaited(plan)
    jobs = [job for job in plan["jobs"] if job["name"] in ending]
    if not jobs:
        return ""
    lengths = [length_ns(plan, job, sent.get(job["name"])) for job in jobs]
    names = [job["name"] for job in jobs]
    last = names[0] if len(names) == 1 else f"the last of {_listed(names)}"
    if None in lengths:
        begin = packets_from(record, 0.0)
        return (
            f"the run ends with {last}, at a time that is not known before: if it is before"
            f" record.packet_from ({PLAIN.duration(begin, exact=True)}), no packet has a row"
            if begin and not plan["stop"]["duration_ps"]
            else ""
        )
    end = max(length for length in lengths if length is not None)
    beyond = "; ".join(_beyond(record, end))
    return (
        f"the run may be too short for its record: it ends with {last}, after about"
        f" {PLAIN.duration(end)} (without latencies and contention); {beyond}; give times within"
        " the run"
        if beyond
        else ""
    )


def _beyond(record: Mapping[str, Any], end_ns: float) -> Iterator[str]:
    """Yields what the times of a record beyond the end of a run would do to its tables."""
    for key, length in long_windows(record, end_ns):
        shown = PLAIN.duration(length, exact=True)
        yield f"{key} ({shown}) is longer, so its table would have a single window"
    if begin := packets_from(record, end_ns):
        shown = PLAIN.duration(begin, exact=True)
        yield f"record.packet_from ({shown}) is later, so no packet would have a row"


def _listed(names: Sequence[str]) -> str:
    more = [f"{len(names) - _MOST} more"] if len(names) > _MOST else []
    *first, last = [*names[:_MOST], *more]
    return f"{', '.join(first)} and {last}"
