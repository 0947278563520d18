"""What `pantala check` shows of a plan: the machine, and the jobs with their nodes.

It is plain text: a check is given often, and the import of a library for tables takes longer than
the check of a small scenario.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pantala.text.amounts import PLAIN, count, counted

__all__ = ["summary_lines"]

#: Nodes and jobs that the summary lists.
_NODES, _JOBS = 6, 20


def summary_lines(plan: Mapping[str, Any]) -> Iterator[str]:
    """Yields the lines of the summary of a resolved plan."""
    yield plan["name"]
    yield ""
    yield from _aligned(list(_facts(plan)))
    yield ""
    jobs = plan["jobs"]
    headings = ("job", "workload", "ranks", "placement", "start", "nodes")
    yield from _aligned([headings, *(_job(job) for job in jobs[:_JOBS])])
    if len(jobs) > _JOBS:
        yield f"  and {counted(len(jobs) - _JOBS, 'more job')}"
    yield ""


def _facts(plan: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the machine, the routing, the message layer and the end of the run."""
    topology, stop = plan["topology"], plan["stop"]["duration_ps"]
    yield "nodes", count(plan["derived"]["nodes"])
    yield (
        "routers",
        f"{count(topology['a'] * topology['g'])} in {counted(topology['g'], 'group')}, with"
        f" {topology['p']} terminal and {topology['h']} global ports each",
    )
    yield "routing", _routing(plan["routing"])
    if plan["routing_all_to_all"]:
        yield "routing of all-to-all", _routing(plan["routing_all_to_all"])
    yield "packets", f"up to {PLAIN.size(plan['packet_bytes'])}"
    yield "eager messages", f"up to {PLAIN.size(plan['mpi']['eager_threshold_bytes'])}"
    yield "seed", str(plan["seed"])
    yield "end", f"after {PLAIN.duration(stop / 1000)}" if stop else "with the jobs"


def _routing(routing: Mapping[str, Any]) -> str:
    return f"{routing['algorithm']}, {counted(routing['virtual_channels'], 'virtual channel')}"


def _job(job: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns what a job runs, its ranks and its nodes."""
    workload = job["workload"]
    path = workload.get("path")
    # The operations of a Python program are in a file that is named by their hash.
    given = path and Path(path).stem != workload.get("hash")
    named = Path(path).name if given else job.get("application") or workload["kind"]
    start = PLAIN.duration(job["start_ps"] / 1000) if job["start_ps"] else "0"
    repeated = ", repeated" if job.get("repeat") else ""
    kind = job["placement"]["kind"]
    return job["name"], named + repeated, count(job["ranks"]), kind, start, _nodes(job["nodes"])


def _nodes(nodes: Sequence[int]) -> str:
    distinct = list(dict.fromkeys(nodes))
    shown = ", ".join(map(str, distinct[:_NODES]))
    return shown if len(distinct) <= _NODES else f"{shown}, ... ({count(len(distinct))})"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yields rows with columns of equal width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {'   '.join(cells)}".rstrip()
