"""What `pantala check` shows of a plan: the machine, and the jobs with their nodes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pantala.cli.tables import facts, listing

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["machine_facts", "table_of_jobs"]

#: Nodes and jobs that the summary lists.
_NODES, _JOBS = 6, 20


def machine_facts(plan: Mapping[str, Any]) -> Table:
    """Returns the machine, the routing, the message layer and the end of the run.

    Args:
        plan: a resolved plan.
    """
    from pantala.text.amounts import PLAIN, count, counted

    topology, stop = plan["topology"], plan["stop"]["duration_ps"]
    shown = facts(plan["name"])
    shown.add_row("nodes", count(plan["derived"]["nodes"]))
    shown.add_row(
        "routers",
        f"{count(topology['a'] * topology['g'])} in {counted(topology['g'], 'group')}, with"
        f" {topology['p']} terminal and {topology['h']} global ports each",
    )
    shown.add_row("routing", _routing(plan["routing"]))
    if plan["routing_all_to_all"]:
        shown.add_row("routing of all-to-all", _routing(plan["routing_all_to_all"]))
    shown.add_row("packets", f"up to {PLAIN.size(plan['packet_bytes'])}")
    shown.add_row("eager messages", f"up to {PLAIN.size(plan['mpi']['eager_threshold_bytes'])}")
    shown.add_row("seed", str(plan["seed"]))
    shown.add_row("end", f"after {PLAIN.duration(stop / 1000)}" if stop else "with the jobs")
    return shown


def _routing(routing: Mapping[str, Any]) -> str:
    channels = routing["virtual_channels"]
    return f"{routing['algorithm']}, {channels} virtual channels"


def table_of_jobs(plan: Mapping[str, Any]) -> Table:
    """Returns a row per job: what it runs, its ranks and its nodes.

    Args:
        plan: a resolved plan.
    """
    from pantala.text.amounts import PLAIN, count

    jobs = plan["jobs"]
    more = len(jobs) - _JOBS
    shown = listing(
        ("job", "workload", "ranks", "placement", "start", "nodes"),
        caption=f"and {more:,} more jobs" if more > 0 else None,
    )
    for job in jobs[:_JOBS]:
        start = PLAIN.duration(job["start_ps"] / 1000) if job["start_ps"] else "0"
        shown.add_row(
            job["name"],
            _workload(job),
            count(job["ranks"]),
            job["placement"]["kind"],
            start,
            _nodes(job["nodes"]),
        )
    return shown


def _workload(job: Mapping[str, Any]) -> str:
    workload = job["workload"]
    path = workload.get("path")
    named = Path(path).name if path else job.get("application") or workload["kind"]
    return f"{named}, repeated" if job.get("repeat") else named


def _nodes(nodes: list[int]) -> str:
    from pantala.text.amounts import count

    distinct = list(dict.fromkeys(nodes))
    shown = ", ".join(map(str, distinct[:_NODES]))
    return shown if len(distinct) <= _NODES else f"{shown}, ... ({count(len(distinct))})"
