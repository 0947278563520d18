"""The expected size of a run's tables, and the refusal of a run whose tables would be too large.

The number of packets follows from the traffic of the jobs (`run_cost.traffic`), as far as it is
known before the run. So the sizes are lower bounds for programs and for runs without a duration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pantala.catalogue.tables import TABLES
from pantala.core.plan import ExpectedTraffic, Plan
from pantala.core.recorded import is_recorded
from pantala.errors import PlanError, ScenarioError, UsageError
from pantala.planning.run_cost import KnownTraffic, hops_of_packet, pattern_bytes, traffic
from pantala.scenario.plan import awaited
from pantala.system.disk import free_disk
from pantala.text.amounts import PLAIN
from pantala.text.units import Size

__all__ = [
    "SIZE_LIMIT",
    "TableSize",
    "check_size",
    "exceeded",
    "large_bytes",
    "parse_limit",
    "row_bytes",
    "table_sizes",
]

#: The most bytes of the tables of one run, unless the user gives another limit.
SIZE_LIMIT = 100 * 10**9

#: Routers on the path of a packet: 3.7 with minimal, 4.5 with adaptive routing, measured.
_ROUTERS = 4.0

#: MPI calls per call that sends: most sends have a receive.
_CALLS = 2.0

#: A window of this length or more makes no large table of jobs: 100 GB are hours of simulated time.
_LONG_WINDOW_PS = 10**6

#: Names of MPI calls that a job spends time in.
_NAMES = 4.0

#: Rows of blame_groups and blame_links at most; the core joins windows beyond them.
MOST_GROUP_ROWS, MOST_LINK_ROWS = 2 << 20, 4 << 20

#: Bytes of a row of the table iterations, which is smaller than messages.
_ITERATION_BYTES = 10.0
#: Table: bytes of a row on the disk (measured on runs of two jobs), and what makes it smaller.
_TABLES = {
    "packets": (
        20.0,
        "set record.packets to sampled, or choose packet_jobs, packet_routers or packet_until",
    ),
    "packet_hops": (
        11.0,
        "set record.packets to sampled, or choose packet_jobs, packet_routers or packet_until",
    ),
    "messages": (23.0, "set record.messages to false, and record.rank_messages to true"),
    "call_events": (14.0, "choose jobs or ranks in it"),
    "link_windows": (2.2, "give a longer window"),
    "port_windows": (4.8, "give longer windows, or choose classes or routers"),
    "system_windows": (12.5, "give longer windows"),
    "router_windows": (3.0, "give longer windows, or choose routers or jobs"),
    "job_windows": (17.5, "give a longer window"),
    "routing_windows": (14.0, "give longer windows"),
    "latency_windows": (32.0, "give longer windows"),
    "nic_windows": (9.0, "give longer windows"),
    "blame": (3.4, "give longer windows"),
    "blame_groups": (4.5, "give longer windows"),
    "blame_links": (5.0, "give longer windows or fewer links"),
    "call_windows": (9.0, "give longer windows"),
}

#: The share that a run which skips time simulates, as a multiple of the share that it promises.
_OF_PROMISED = 3.0

#: The key of the window of a table, where it is not the key that turns the table on.
_WINDOW_KEYS = {
    "link_windows": "record.link_window",
    "job_windows": "record.window",
    "blame": "record.blame.window",
    "blame_groups": "record.blame.window",
    "blame_links": "record.blame.window",
}


@dataclass(frozen=True)
class TableSize:
    """The expected size of a table: its rows, and its bytes on the disk."""

    table: str
    rows: float

    @property
    def bytes(self) -> float:
        """Its bytes on the disk."""
        return self.rows * _TABLES[self.table][0]


@dataclass(frozen=True)
class _Traffic:
    """The traffic of one job within the run."""

    packets: float
    messages: float
    calls: float


def row_bytes(table: str) -> float:
    """Returns the bytes on the disk of a row of a table that grows with the run; 0 of others."""
    return _TABLES[table][0] if table in _TABLES else _ITERATION_BYTES * (table == "iterations")


def table_sizes(plan: Mapping[str, Any], sent: Mapping[str, ExpectedTraffic]) -> list[TableSize]:
    """Returns the expected sizes of the tables of a run that can be large, the largest first.

    A run that skips time has rows of what it simulates: at most three times its promised share, as
    four of five runs do.

    Args:
        plan: a resolved plan.
        sent: its `traffic`.
    """
    seconds, jobs = _expected(plan, sent)
    record = plan["record"]
    rows = {**_packet_rows(plan, jobs, seconds), **_window_rows(plan, jobs, seconds)}
    if record["messages"]:
        rows["messages"] = sum(job.messages for job in jobs.values())
    if (events := record.get("call_events")) is not None:
        ranks = {job["name"]: job["ranks"] for job in plan["jobs"]}
        share = {
            name: min(1.0, len(events["ranks"]) / ranks[name]) if events["ranks"] else 1.0
            for name in events["jobs"] or jobs
        }
        rows["call_events"] = sum(
            jobs[name].calls * _CALLS * part for name, part in share.items() if name in jobs
        )
    promised = plan.get("derived", {}).get("skip_share")
    simulated = 1.0 if promised is None else min(1.0, _OF_PROMISED * promised)
    found = (TableSize(table, number * simulated) for table, number in rows.items() if number)
    return sorted(found, key=lambda size: size.bytes, reverse=True)


def large_bytes(plan: Plan, known: KnownTraffic | None = None) -> float | None:
    """Returns the expected bytes of the tables of a run; None if no table can be large.

    Args:
        plan: a resolved plan.
        known: remembers the traffic of programs, for other plans.
    """
    record = plan["record"]
    asked_for = (is_recorded(record, table) for table in _TABLES if TABLES[table].switch)
    if not any(asked_for) and not 0 < record["window_ps"] < _LONG_WINDOW_PS:
        return None  # most runs of experiments; their traffic would take time to compute
    try:
        return sum(size.bytes for size in table_sizes(plan, traffic(plan, known)))
    except PlanError:
        return None  # the run says what is wrong with its workload


def check_size(
    plan: Mapping[str, Any],
    sent: Mapping[str, ExpectedTraffic],
    source: str,
    folder: Path | None = None,
    limit: int | None = None,
) -> None:
    """Refuses a run whose tables would be larger than a limit.

    Args:
        plan: a resolved plan.
        sent: its `traffic`.
        source: the scenario's file, or another name for it.
        folder: where the tables will be. Without a limit, they must fit on its disk.
        limit: the most bytes of the tables. If not given, `SIZE_LIMIT`, and the free space of the
            disk.

    Raises:
        ScenarioError: with the largest table, its rows and bytes, the limit, and the remedy.
    """
    sizes = table_sizes(plan, sent)
    total = sum(size.bytes for size in sizes)
    most, what = _most(folder, limit)
    if total <= most:
        return
    largest = sizes[0]
    _, remedy = _TABLES[largest.table]
    key = _WINDOW_KEYS.get(largest.table) or TABLES[largest.table].switch or "record"
    message = (
        f"the tables of the run would take about {PLAIN.size(total)}, most of it {largest.table}"
        f" ({PLAIN.rounded(largest.rows)} rows, {PLAIN.size(largest.bytes)}); this is more than"
        f" {what}"
    )
    remedy = f"{remedy}, or raise --size-limit (size_limit in Python)"
    raise ScenarioError(source, key, "", message, remedy)


def exceeded(sizes: Iterable[float], folder: Path | None, limit: int | None) -> bool:
    """Returns whether `check_size` refuses one of several runs, given the bytes of their tables."""
    return max(sizes, default=0.0) > _most(folder, limit)[0]


def parse_limit(text: str | None) -> int | None:
    """Returns the bytes of a limit such as "500 GB".

    Raises:
        UsageError: it is not a size, or negative.
    """
    if text is None:
        return None
    try:
        limit = int(Size.parse(text))
    except ValueError as error:
        raise UsageError(f"size limit {text}: {error}") from None
    if limit < 0:
        raise UsageError(f"size limit {text}: is negative; write e.g. '500 GB'")
    return limit


def _most(folder: Path | None, limit: int | None) -> tuple[int, str]:
    """Returns the most bytes that the tables of a run may take, and a phrase that says why."""
    most = SIZE_LIMIT if limit is None else limit
    if limit is None and folder is not None:
        free = free_disk(folder)
        if free is not None and free < most:
            return free, f"the {PLAIN.size(free)} that are free on its disk"
    return most, f"the limit of {PLAIN.size(most, exact=True)}"


def _expected(
    plan: Mapping[str, Any], sent: Mapping[str, ExpectedTraffic]
) -> tuple[float, dict[str, _Traffic]]:
    """Returns the seconds that the run simulates at least, and the traffic of its jobs."""
    rate, size = plan["links"]["terminal"]["bandwidth_bytes_per_s"], plan["packet_bytes"]
    nodes = {job["name"]: len(job["nodes"]) for job in plan["jobs"]}
    seconds = plan["stop"]["duration_ps"] * 1e-12
    bounded = seconds > 0
    if not bounded:
        ending = [name for name in awaited(plan) if name in sent and nodes[name]]
        seconds = max((sent[name]["bytes"] / rate / nodes[name] for name in ending), default=0.0)
    found = {}
    for job in plan["jobs"]:
        name = job["name"]
        if job["workload"]["kind"] == "pattern":
            found[name] = _Traffic(pattern_bytes(plan, job, seconds) / size, 0.0, 0.0)
        elif name in sent:
            each, most = sent[name], rate * nodes[name] * seconds
            part = most / each["bytes"] if bounded and each["bytes"] > most else 1.0
            packets = max(each["bytes"] / size, each["messages"])
            found[name] = _Traffic(packets * part, each["messages"] * part, each["calls"] * part)
    return seconds, found


def _packet_rows(
    plan: Mapping[str, Any], jobs: Mapping[str, _Traffic], seconds: float
) -> dict[str, float]:
    """Returns the rows of packets and packet_hops."""
    record = plan["record"]
    if record["packets"] == "off":
        return {}
    chosen = record.get("packet_jobs") or jobs
    rows = sum(jobs[name].packets for name in chosen if name in jobs)
    if record["packets"] == "sampled":
        rows /= record["packet_sample"]
    if routers := record.get("packet_routers"):
        rows *= min(1.0, len(routers) * _ROUTERS / plan["derived"]["routers"])
    if seconds > 0:
        start, end = record["packet_from_ps"] * 1e-12, record["packet_until_ps"] * 1e-12
        rows *= max(0.0, min(end or seconds, seconds) - start) / seconds
    return {"packets": rows, **({"packet_hops": rows * _ROUTERS} if record["packet_paths"] else {})}


def _window_rows(
    plan: Mapping[str, Any], jobs: Mapping[str, _Traffic], seconds: float
) -> dict[str, float]:
    """Returns the rows of tables with windows: no more than packets that pass in them."""
    record, derived = plan["record"], plan["derived"]
    count, classes = len(plan["jobs"]), len(derived["links"]) + 2
    ports, nodes = derived["ports_per_router"], derived["nodes"]
    links = derived["routers"] * ports + nodes
    packets = sum(job.packets for job in jobs.values())
    hops = packets * (hops_of_packet(plan) + 1) * (2 if plan["nic"]["responses"] else 1)

    def windows(lengths: Iterable[int]) -> float:
        return sum(max(1.0, seconds * 1e12 / length) for length in lengths if length)

    found = {"job_windows": count * windows([record["window_ps"]])}
    if record["link_windows"]:
        rows = links * count * windows([record["link_window_ps"]])
        found["link_windows"] = min(rows, hops)
    if (record_of := record.get("ports")) is not None:
        lengths = record_of["windows_ps"] or [max(1, int(seconds * 1e12))]
        split, rows = record_of["split"], float(links)
        if record_of["routers"]:
            rows = len(record_of["routers"]) * (ports + nodes / derived["routers"])
        rows *= derived["virtual_channels"] if "vc" in split else 1
        rows *= (len(record_of["jobs"]) or count) if "job" in split else 1
        rows *= 2 if "kind" in split and plan["nic"]["responses"] else 1
        if record_of["classes"]:
            rows *= min(1.0, len(record_of["classes"]) / classes)
        found["port_windows"] = min(rows * windows(lengths), hops * 2 * len(lengths))
    if (record_of := record.get("system")) is not None and record_of["windows_ps"]:
        by = count if record_of["by_job"] else 1
        found["system_windows"] = classes * by * windows(record_of["windows_ps"])
    if (record_of := record.get("routers")) is not None and record_of["windows_ps"]:
        rows = (len(record_of["routers"]) or derived["routers"]) * (len(record_of["jobs"]) or count)
        lengths = record_of["windows_ps"]
        found["router_windows"] = min(rows * windows(lengths), hops * len(lengths))
    if length := record["routing_windows_ps"]:
        found["routing_windows"] = count * windows([length])
    if length := record.get("latency_windows_ps", 0):
        found["latency_windows"] = count * 2 * windows([length])
    if length := record.get("nic_windows_ps", 0):
        used = len({node for job in plan["jobs"] for node in job["nodes"]})
        found["nic_windows"] = min(used * windows([length]), hops)
    if (record_of := record.get("blame")) is not None:
        found["blame"] = classes * count * count * windows([record_of["window_ps"]])
        found |= _places(plan, record_of, windows([record_of["window_ps"]]), hops)
    if length := record.get("call_windows_ps", 0):
        calling = sum(job.calls > 0 for job in jobs.values())
        found["call_windows"] = calling * _NAMES * windows([length])
    return found


def _places(
    plan: Mapping[str, Any], blame: Mapping[str, Any], windows: float, hops: float
) -> dict[str, float]:
    """Returns the rows of blame by groups and by link: no more than packets that pass.

    A run joins windows beyond a number of rows.
    """
    inside, groups = len(plan["derived"]["links"]) + 1, plan["topology"]["g"]
    pairs = len(plan["jobs"]) ** 2 * windows
    found = {}
    if blame.get("groups"):
        rows = (groups * (groups - 1) + inside * groups) * pairs
        found["blame_groups"] = min(rows, hops, MOST_GROUP_ROWS)
    if links := blame.get("links", 0):
        found["blame_links"] = min((inside + 1) * links * pairs, hops, MOST_LINK_ROWS)
    return found
