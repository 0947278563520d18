"""The tables of the report, made from the tables of the runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from pantala.figures.runs import Case, cases
from pantala.report.finding import iterations_compared
from pantala.report.reported_run import ReportedRun
from pantala.run_tables.run_like import is_endless, job_row, stop_ns
from pantala.run_tables.skipped_time import skipped_spans
from pantala.text.amounts import PAGE, TIMES, count, fixed, significant, time_unit

__all__ = [
    "NONE",
    "Cell",
    "ReportTable",
    "communication_table",
    "jobs_table",
    "latency_table",
    "runs_table",
    "traffic_table",
]


@dataclass(frozen=True)
class Cell:
    """One cell: its text, the exact number behind it, its job's colour, and its link if any."""

    text: str
    value: float | int | None = None
    job: str = ""
    strong: bool = False
    condition: str = ""
    link: str = ""


@dataclass(frozen=True)
class ReportTable:
    """One table. The caption describes it; the first column of each row is the row's header."""

    caption: str
    columns: Sequence[str]
    rows: list[list[Cell]] = field(default_factory=list)


NONE = Cell("\N{EN DASH}")


def _number(value: float | None, largest: float, divisor: float = 1.0) -> Cell:
    return NONE if value is None else Cell(fixed(value / divisor, largest / divisor), value)


def _ratio(together: float | None, alone: float | None) -> Cell:
    if not together or not alone:
        return NONE
    return Cell(f"{together / alone:.2f} {TIMES}", together / alone, strong=True)


def _times(ratio: float | None) -> Cell:
    return NONE if ratio is None else Cell(f"{ratio:.2f} {TIMES}", ratio, strong=True)


def communication_table(reported: ReportedRun) -> ReportTable:
    """Returns the communication time over the ranks of each job.

    With a comparison, the table holds the times alone and together, and the slowdowns.
    """
    rows = (
        None
        if reported.slowdown is None
        else reported.slowdown.filter(pl.col("compared").ne_missing("duration"))
    )
    parts: tuple[str, ...] = ("alone", "together")
    if rows is None:
        rows, parts = reported.run.jobs.sort("job").collect(), ("",)
    columns = {
        f"{key} {part}".strip(): f"{part}_communication_time_{key}_ns".lstrip("_")
        for part in parts
        for key in ("mean", "std", "max")
    }
    longest = max(
        (row[column] or 0.0 for row in rows.to_dicts() for column in columns.values()), default=1.0
    )
    divisor, unit = time_unit(longest)
    caption = (
        f"Communication time of a rank, {unit}: mean, standard deviation and maximum over ranks."
    )
    paired = reported.slowdown is not None
    partly = paired and any(iterations_compared(row) for row in rows.to_dicts())
    if paired:
        caption += (
            " Slowdown is the mean together over the mean alone; run time is the job's run time"
            " together over its run time alone."
        )
    if partly:
        caption += (
            " A job that did not end in both runs, such as one that repeats, is compared over the"
            " iterations that all of its ranks finished in both, and not at all if there are none."
        )
    caption += reported.ended_note
    if any(map(skipped_spans, reported.parts.values())):
        caption += _SAMPLED_RANKS
    if reported.beside and paired:
        caption += " With others: the part of the job's run in which another job ran."
    # The slowdowns come first because a narrow screen shows only the first columns.
    table = ReportTable(
        caption,
        [
            "job",
            *["slowdown", "run time"] * paired,
            *columns,
            *["iterations compared"] * partly,
            *["with others"] * bool(reported.beside and paired),
        ],
    )
    for row in rows.to_dicts():
        cells = [_times(row["slowdown"]), _times(row["run_time_slowdown"])] if paired else []
        cells += [_number(row[column], longest, divisor) for column in columns.values()]
        if partly:
            cells.append(Cell(iterations_compared(row) or "all", row["compared_iterations"]))
        if reported.beside and paired:
            cells.append(Cell(reported.beside.get(row["name"], "all of its run")))
        table.rows.append([Cell(row["name"], job=row["name"]), *cells])
    return table


def traffic_table(reported: ReportedRun) -> ReportTable:
    """Returns packet latency and accepted throughput of synthetic traffic, alone and together.

    The table has no rows if the experiment has no synthetic traffic.
    """
    patterns = (
        pl.DataFrame()
        if reported.slowdown is None
        else reported.slowdown.filter(pl.col("compared") == "duration")
    )
    table = ReportTable(
        "Synthetic traffic, alone and together for the same simulated time: mean packet latency and"
        " its slowdown, together over alone; accepted throughput as a share of terminal bandwidth"
        " and its slowdown, alone over together.",
        [
            "job",
            "slowdown",
            "slowdown of load",
            "latency alone",
            "latency together",
            "load alone",
            "load together",
        ],
    )
    for row in patterns.to_dicts():
        latencies = [row[f"{part}_packet_latency_mean_ns"] for part in ("alone", "together")]
        loads = [row[f"{part}_accepted_throughput"] for part in ("alone", "together")]
        table.rows.append(
            [
                Cell(row["name"], job=row["name"]),
                _times(row["packet_latency_slowdown"]),
                _times(row["accepted_throughput_slowdown"]),
                *(
                    NONE if value is None else Cell(PAGE.duration(value), value)
                    for value in latencies
                ),
                *(NONE if value is None else Cell(significant(value), value) for value in loads),
            ]
        )
    return table


def latency_table(reported: ReportedRun) -> ReportTable | None:
    """Returns the latencies of packets and messages, and the part of packets' wait at the source.

    The table is None if no packet was delivered.
    """
    found = [(case, job_row(case.run, case.job)) for case in cases(reported.run, reported.alone)]
    packets = ("network_latency_mean_ns", *(f"packet_latency_{key}_ns" for key in _SHOWN))
    messages = tuple(f"message_latency_{key}_ns" for key in ("mean", "p99"))
    most = _most(found, packets)
    if most is None:
        return None
    divisor, unit = time_unit(most)
    start = reported.plan["nic"]["latency_from"]
    caption = (
        f"Packet latency is the time from {_LATENCY_FROM[start]} to its tail at the destination"
        " NIC."
    )
    if start == "created":
        caption += (
            " Its mean is the wait at the source, before the head enters the network, plus the"
            " time in the network."
        )
    headings = [
        f"packets: mean, {unit}",
        "of it at the source",
        "in the network",
        "median",
        "p95",
        "p99",
    ]
    longest = _most(found, messages)
    message_divisor, message_unit = time_unit(longest or 1.0)
    if longest is not None:
        caption += " Message latency is the time from the posted send to the last byte received."
        headings += [f"messages: mean, {message_unit}", "p99"]
    ratios = ["mean", "p99"] if reported.alone else []
    equal = {
        row["name"]
        for row in ([] if reported.slowdown is None else reported.slowdown.to_dicts())
        if row["compared"] in ("run", "duration")
    }
    if ratios:
        caption += (
            f" The columns with {TIMES} are packet latencies together over alone, for jobs that did"
            " equal work."
        )
    table = ReportTable(caption, ["job", *(f"{key} {TIMES}" for key in ratios), *headings])
    alone: dict[str, Any] = {}
    for case, row in found:
        cells = [
            Cell(case.label, job=case.name, condition=case.condition),
            *[Cell("")] * len(ratios),
        ]
        if case.alone:
            alone = row
        elif alone.get("name") == case.name and case.name in equal:
            keys = [f"packet_latency_{key}_ns" for key in ratios]
            cells[1:] = [_ratio(row[key], alone[key]) for key in keys]
        mean, network = row["packet_latency_mean_ns"], row["network_latency_mean_ns"]
        source = None if mean is None or network is None else max(0.0, mean - network)
        values = [mean, source, network, *(row[f"packet_latency_{key}_ns"] for key in _SHOWN[1:])]
        cells += [_number(value, most, divisor) for value in values]
        if longest is not None:
            cells += [_number(row[key], longest, message_divisor) for key in messages]
        table.rows.append(cells)
    return table


#: The start of a packet's latency, by `machine.nic.latency_from`.
_LATENCY_FROM = {
    "created": "a packet's creation at its source",
    "nic": "a packet's entry into the buffer of its NIC",
    "injected": "the start of a packet's head on the injection link",
}
_SHOWN = ("mean", "p50", "p95", "p99")


def _most(found: Sequence[tuple[Case, dict[str, Any]]], keys: Sequence[str]) -> float | None:
    """Returns the largest value of these columns; None if there is no value."""
    return max((row[key] for _, row in found for key in keys if row[key] is not None), default=None)


def jobs_table(reported: ReportedRun) -> ReportTable:
    """Returns the bytes that each job sent, their rates and their paths."""
    table = ReportTable(
        "Traffic of each job. Run time: from the first rank's start to the last rank's end. MPI"
        " payload: bytes of the messages that its ranks sent, messages inside a node included."
        " Injected: bytes on its injection links, with control messages. Rates: payload and"
        " injected bytes over the run time. Links per packet: links between routers that a packet"
        " crossed, mean. Non-minimal: share of packets on non-minimal paths.",
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
    for case in cases(reported.run, reported.alone):
        row = job_row(case.run, case.job)
        end = row["end_ns"] if row["end_ns"] is not None else stop_ns(case.run, case.job)
        length, endless = end - row["start_ns"], is_endless(case.run, case.job)
        hops, share = row["link_hops_mean"], row["nonminimal_share"]
        table.rows.append(
            [
                Cell(case.label, job=case.name, condition=case.condition),
                Cell(count(row["ranks"]), row["ranks"]),
                Cell("did not start")
                if length < 0
                else Cell(
                    PAGE.duration(length) + ("" if row["complete"] or endless else ", unfinished"),
                    length,
                ),
                *_volume(row["mpi_bytes"], length),
                *_volume(row["injected_bytes"], length),
                NONE if hops is None else Cell(f"{hops:.2f}", hops),
                NONE if share is None else Cell(PAGE.percent(share), share),
            ]
        )
    return table


def _volume(volume: int | None, length: float) -> list[Cell]:
    """Returns cells for bytes and their rate over `length` ns in GB/s; dashes for a pattern."""
    if volume is None:
        return [NONE, NONE]
    rate = volume / length if length > 0 else None
    return [
        Cell(PAGE.size(volume), volume),
        NONE if rate is None else Cell(significant(rate), rate),
    ]


_SAMPLED_RANKS = (
    " Skipped time is added rank by rank at the rates of a sample, in which ranks differ more than"
    " in a whole run: deviation and maximum are larger than those of the run in full."
)
_NOT_SKIPPED = " Packets and packet-hops are those of the simulation, without skipped time."


def runs_table(reported: ReportedRun) -> ReportTable:
    """Returns the traffic and the cost of each simulation of the report."""
    table = ReportTable(
        "Each simulation. A packet-hop is one packet over one link between routers, or its"
        f" ejection.{_NOT_SKIPPED if any(map(skipped_spans, reported.parts.values())) else ''}",
        [
            "run",
            "ended",
            "simulated",
            "packets",
            "packet-hops",
            "wall,\N{NO-BREAK SPACE}s",
            "packet-hops per CPU-second",
            "result hash",
        ],
    )
    for title, run in reported.parts.items():
        document = run.document
        counters, cost = document["counters"], document.get("provenance", {})
        wall, speed = cost.get("wall_seconds"), cost.get("packet_hops_per_cpu_second")
        table.rows.append(
            [
                Cell(title),
                Cell(document["reason"]),
                Cell(PAGE.duration(document["simulated_ns"]), document["simulated_ns"]),
                Cell(count(counters["packets_delivered"]), counters["packets_delivered"]),
                Cell(count(counters["packet_hops"]), counters["packet_hops"]),
                NONE if wall is None else Cell(f"{wall:.1f}", wall),
                NONE if speed is None else Cell(count(round(speed)), speed),
                Cell(str(document["result_hash"])[:12]),
            ]
        )
    return table
