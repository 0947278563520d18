"""What `pantala workload` prints: the communication of a job, and the tables of papers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from pantala.cli.tables import console, facts, fits, table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from pantala.papers.application_table import Ahead, Column, PaperTable, Record
    from pantala.planning.communication import Communication

__all__ = ["ahead_in_words", "communication_summary", "paper_tables", "print_communication"]

_OFF = "difference: measured minus paper, in per cent of the paper's value"


def ahead_in_words(found: PaperTable, ahead: Sequence[Ahead], workers: int) -> str:
    """Returns a line with the runs of a table that are to be simulated, and about how long."""
    from pantala.planning.cost import time_words
    from pantala.text.amounts import counted

    packets, runs = sum(run.packets for run in ahead), len(ahead)
    seconds = [run.seconds for run in ahead]
    time = time_words(max(max(seconds), sum(seconds) / workers), at_least=False)
    return (
        f"{found.name}: {counted(runs, 'run')} to simulate, {packets:,.0f} packets;"
        f" {time} with {counted(workers, 'worker')} (by their traffic)"
    )


def communication_summary(found: Communication) -> dict[str, Any]:
    """Returns the totals of a job for JSON."""
    sent, partners = found.sent_bytes(), found.partners()
    return {
        "job": found.job,
        "ranks": found.ranks,
        "workload": dict(found.workload),
        "messages": found.total_messages,
        "total_mb": found.total_bytes / 1e6,
        "rank_mb_mean": float(sent.mean()) / 1e6,
        "rank_mb_max": float(sent.max()) / 1e6,
        "partners_mean": float(partners.mean()),
        "partners_max": int(partners.max()),
        "message_bytes": [{"bytes": size, "messages": count} for size, count in found.sizes],
        "operations": {
            name: {"messages": m, "total_mb": b / 1e6} for name, (m, b) in found.operations.items()
        },
        "compute_ms_mean": float(found.compute_ns.mean()) / 1e6,
    }


def print_communication(found: Communication) -> None:
    """Prints the messages of a job: sizes, operations, calls and computing."""
    from pantala.text.amounts import PLAIN, count, counted

    sent, partners = found.sent_bytes(), found.partners()
    shown = facts(f"{found.job}: {counted(found.ranks, 'rank')}")
    shown.add_row("messages", count(found.total_messages))
    shown.add_row("bytes", PLAIN.size(float(found.total_bytes)))
    shown.add_row(
        "sent per rank",
        f"{PLAIN.size(float(sent.mean()))} on average, {PLAIN.size(float(sent.max()))} at most",
    )
    shown.add_row(
        "destinations per rank",
        f"{float(partners.mean()):.3g} on average, {int(partners.max())} at most",
    )
    if found.sizes:
        shown.add_row("message sizes", _sizes(found))
    shown.add_row(
        "compute time per rank", f"{PLAIN.duration(float(found.compute_ns.mean()))} on average"
    )
    for name, (messages, payload) in found.operations.items():
        shown.add_row(
            name.replace("_", " "), f"{count(messages)} messages, {PLAIN.size(float(payload))}"
        )
    console().print(shown)


def _sizes(found: Communication) -> str:
    """Returns the sizes of messages, or the smallest, the median and the largest."""
    from pantala.text.amounts import PLAIN

    sizes = sorted(found.sizes)
    if len(sizes) <= 3:
        return ", ".join(PLAIN.size(each, exact=True) for each, _ in sizes)
    passed = accumulate(times for _, times in sizes)
    middle = next(
        each
        for (each, _), so_far in zip(sizes, passed, strict=True)
        if 2 * so_far >= found.total_messages
    )
    least, half, most = (PLAIN.size(each) for each in (sizes[0][0], middle, sizes[-1][0]))
    return f"{least} to {most}, half of them up to {half}"


def paper_tables(found: PaperTable, records: list[Record], output: Console) -> Table:
    """Returns the table as wide as in the paper, or one row per application and value.

    The terminal's width decides.
    """
    wide = _wide(found, records)
    return wide if fits(wide, output) else _long(found, records)


def _wide(found: PaperTable, records: list[Record]) -> Table:
    headings = ["application"]
    for column in found.columns:
        headings += [column.heading, "paper", "difference"]
    shown = table(f"{found.title}: {found.source}", headings, _OFF, gap=2)
    for record in records:
        shown.add_row(
            record["application"],
            *(cell for column in found.columns for cell in _cells(record, column)),
        )
    return shown


def _long(found: PaperTable, records: list[Record]) -> Table:
    shown = table(
        f"{found.title}: {found.source}",
        ("application", "", "measured", "paper", "difference"),
        _OFF,
        gap=2,
    )
    shown.columns[1].justify = "left"
    for record in records:
        name = record["application"]
        for column in found.columns:
            cells = _cells(record, column)
            if any(cells):
                shown.add_row(name, column.heading, *cells)
                name = ""
        shown.add_section()
    return shown


def _cells(record: Record, column: Column) -> tuple[str, str, str]:
    """Returns a value as measured, as in the paper, and the difference in per cent."""
    measured, paper = record.get(column.key), record.get(f"paper_{column.key}")
    off = ""
    if isinstance(measured, int | float) and isinstance(paper, int | float):
        off = f"{100 * (measured / paper - 1):+.1f}%"
    return _cell(measured, column), _cell(paper, column), off


def _cell(value: float | str | None, column: Column) -> str:
    """Returns a value of a table as text, a number in the column's unit.

    A count has no decimals.
    """
    if value is None or isinstance(value, str):
        return value or ""
    whole = column.unit == 1 and float(value).is_integer()
    return f"{int(value):,}" if whole else f"{value / column.unit:,.2f}"
