"""The tables of the report, from the tables of the runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pantala.figures.hottest import hottest_table
from pantala.figures.runs import Case, cases, is_endless, job_names, job_row
from pantala.report.subject import Subject
from pantala.report.words import TIMES, count, duration, fixed, percent, significant, size, span

__all__ = ["Cell", "Sheet", "communication_sheet", "hottest_sheet", "jobs_sheet", "latency_sheets", "runs_sheet"]


@dataclass(frozen=True)
class Cell:
    """One cell: what is shown, the exact number behind it, and the job whose colour goes before it."""

    text: str
    value: float | int | None = None
    job: str = ""
    strong: bool = False
    company: str = ""


@dataclass(frozen=True)
class Sheet:
    """One table: its caption says what it holds; the first column of a row is its header."""

    caption: str
    columns: Sequence[str]
    rows: list[list[Cell]] = field(default_factory=list)


_NONE = Cell("\N{EN DASH}")


def _number(value: float | None, largest: float, divisor: float = 1.0) -> Cell:
    return _NONE if value is None else Cell(fixed(value / divisor, largest / divisor), value)


def _ratio(together: float | None, alone: float | None) -> Cell:
    if not together or not alone:
        return _NONE
    return Cell(f"{together / alone:.2f} {TIMES}", together / alone, strong=True)


def communication_sheet(subject: Subject) -> Sheet:
    """Communication time over the ranks of each job; alone, together and the slowdown where there is a comparison."""
    rows = subject.slowdown
    parts: tuple[str, ...] = ("alone", "together")
    if rows is None:
        rows, parts = subject.run.jobs.sort("job").collect(), ("",)
    columns = {
        f"{key} {part}".strip(): f"{part}_communication_time_{key}_ns".lstrip("_")
        for part in parts
        for key in ("mean", "std", "max")
    }
    longest = max((row[column] or 0.0 for row in rows.to_dicts() for column in columns.values()), default=1.0)
    divisor, unit = span(longest)
    caption = f"Communication time of a rank, {unit}: mean, standard deviation and maximum over ranks."
    paired = subject.slowdown is not None
    if paired:
        caption += " Slowdown is the mean together over the mean alone."
    sheet = Sheet(caption, ["job", *columns, *["slowdown"] * paired])
    for row in rows.to_dicts():
        cells = [_number(row[column], longest, divisor) for column in columns.values()]
        if paired:
            slowdown = row["slowdown"]
            cells.append(_NONE if slowdown is None else Cell(f"{slowdown:.2f} {TIMES}", slowdown, strong=True))
        sheet.rows.append([Cell(row["name"], job=row["name"]), *cells])
    return sheet


_KINDS = {
    "packet": "Packet latency: from a packet's creation at its source, source queueing included, to its tail at the "
    "destination NIC",
    "network": "Network latency: from the head's entry into the network to the tail at the destination NIC",
    "message": "Message latency: from the posted send to the last byte at the receiver",
}


def latency_sheets(subject: Subject) -> list[Sheet]:
    """Latency of packets, in the network, and of messages; a kind that no job has is left out."""
    found = [(case, job_row(case.run, case.job)) for case in cases(subject.run, subject.alone)]
    return [sheet for kind in _KINDS if (sheet := _latency_sheet(kind, found, bool(subject.alone)))]


def _latency_sheet(kind: str, found: list[tuple[Case, dict[str, Any]]], paired: bool) -> Sheet | None:
    keys = [f"{kind}_latency_{key}_ns" for key in ("mean", "p50", "p95", "p99")]
    known = [row[key] for _, row in found for key in keys if row[key] is not None]
    if not known:
        return None
    divisor, unit = span(max(known))
    columns = ["job", "mean", "median", "p95", "p99"]
    sheet = Sheet(f"{_KINDS[kind]}, {unit}.", columns + ["mean ÷ alone", "p99 ÷ alone"] * paired)
    alone: dict[str, Any] = {}
    for case, row in found:
        cells = [
            Cell(case.label, job=case.name, company=case.company),
            *(_number(row[key], max(known), divisor) for key in keys),
        ]
        if paired:
            ratios = [Cell(""), Cell("")]
            if case.alone:
                alone = row
            elif alone.get("name") == case.name:
                ratios = [_ratio(row[key], alone[key]) for key in (keys[0], keys[3])]
            cells += ratios
        sheet.rows.append(cells)
    return sheet


def jobs_sheet(subject: Subject) -> Sheet:
    """The bytes that each job sent, their rates and their paths."""
    sheet = Sheet(
        "Traffic of each job. Run time: from the first rank's start to the last rank's end. MPI payload: bytes of the "
        "messages that its ranks sent, messages inside a node included. Injected: bytes on its injection links, with "
        "control messages. Rates: these over the run time. Links per packet: links between routers that a packet "
        "crossed, mean. Non-minimal: share of packets on non-minimal paths.",
        [
            "job",
            "ranks",
            "run time",
            "MPI payload",
            "message rate, GB/s",
            "injected",
            "link rate, GB/s",
            "links per packet",
            "non-minimal",
        ],
    )
    for case in cases(subject.run, subject.alone):
        row = job_row(case.run, case.job)
        end = row["end_ns"] if row["end_ns"] is not None else case.run.document["simulated_ns"]
        length, endless = end - row["start_ns"], is_endless(case.run, case.job)
        hops, share = row["link_hops_mean"], row["nonminimal_share"]
        sheet.rows.append(
            [
                Cell(case.label, job=case.name, company=case.company),
                Cell(count(row["ranks"]), row["ranks"]),
                Cell(duration(length) + ("" if row["complete"] or endless else ", unfinished"), length),
                *_volume(row["mpi_bytes"], length),
                *_volume(row["injected_bytes"], length),
                _NONE if hops is None else Cell(f"{hops:.2f}", hops),
                _NONE if share is None else Cell(percent(share), share),
            ]
        )
    return sheet


def _volume(volume: int | None, length: float) -> list[Cell]:
    """Bytes and their rate over `length` ns, in GB/s; dashes for the payload of a pattern."""
    if volume is None:
        return [_NONE, _NONE]
    rate = volume / length if length > 0 else None
    return [Cell(size(volume), volume), _NONE if rate is None else Cell(significant(rate), rate)]


def hottest_sheet(subject: Subject, rows: int = 12) -> Sheet:
    """The links between routers of the highest load."""
    names = job_names(subject.run)
    shares = list(names) if len(names) > 1 else []
    sheet = Sheet(
        "Hottest links between routers. Load is the share of the simulated time in which the link was sending; "
        "stalled, the share in which a flit was ready and could not advance for want of credit. Ends are "
        "group / router / port.",
        ["link", "class", "from", "to", "load", "stalled", "sent", *(f"{names[job]}'s share" for job in shares)],
    )
    for link in hottest_table(subject.run, rows).to_dicts():
        ends = [
            " / ".join(str(link[f"{end}_{place}"]) for place in ("group", "router", "port"))
            for end in ("source", "target")
        ]
        cells = [Cell(str(link["link"]), link["link"]), Cell(link["class"]), *map(Cell, ends)]
        cells += [Cell(percent(link[key]), link[key]) for key in ("load", "stall_share")]
        cells.append(Cell(size(link["bytes"]), link["bytes"]))
        for job in shares:
            share = link[f"job_{job}_share"]
            cells.append(_NONE if share is None else Cell(percent(share), share))
        sheet.rows.append(cells)
    return sheet


def runs_sheet(subject: Subject) -> Sheet:
    """Each simulation of the report: how much it moved and what that cost."""
    sheet = Sheet(
        "Each simulation. A packet-hop is one packet over one link between routers, or its ejection.",
        [
            "run",
            "ended",
            "simulated",
            "packets",
            "packet-hops",
            "wall,\N{NO-BREAK SPACE}s",
            "packet-hops a CPU-second",
            "result hash",
        ],
    )
    for title, run in subject.parts.items():
        document = run.document
        counters, cost = document["counters"], document.get("provenance", {})
        wall, speed = cost.get("wall_seconds"), cost.get("packet_hops_per_cpu_second")
        sheet.rows.append(
            [
                Cell(title),
                Cell(document["reason"]),
                Cell(duration(document["simulated_ns"]), document["simulated_ns"]),
                Cell(count(counters["packets_delivered"]), counters["packets_delivered"]),
                Cell(count(counters["packet_hops"]), counters["packet_hops"]),
                _NONE if wall is None else Cell(f"{wall:.1f}", wall),
                _NONE if speed is None else Cell(count(round(speed)), speed),
                Cell(str(document["result_hash"])[:12]),
            ]
        )
    return sheet
