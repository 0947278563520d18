"""The comparison as tables for a terminal."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from compare.description import Description
from compare.ember import BENCH, Study
from compare.runs import Measured, spread
from compare.study_runs import MeasuredStudy

__all__ = ["machine", "missing", "show", "show_study"]


def machine() -> str:
    """Returns the number of processors of this machine and their name."""
    info = Path("/proc/cpuinfo")
    names = []
    if info.is_file():
        lines = info.read_text(encoding="utf-8").splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{os.cpu_count()} x {names[0] if names else platform.processor() or platform.machine()}"


def show(console: Console, described: Description, rows: Sequence[Measured]) -> None:
    """Prints the table of a bench: one line per simulator, then the notes."""
    table = Table(
        title=(
            f"{described.title}: {described.nodes:,} nodes, {described.routing}, load"
            f" {described.load:g}"
        ),
        box=box.SIMPLE,
        title_justify="left",
    )
    table.add_column("simulator")
    for heading in (
        "runs",
        "simulated",
        "packet-hops\nper us",
        "CPU s\nwhole",
        "CPU s\nnetwork",
        "million packet-hops\nper CPU s, whole",
        "million packet-hops\nper CPU s, network",
        "Pantala over it:\nwhole, network",
    ):
        table.add_column(heading, justify="right")
    for row in rows:
        if row.runs:
            table.add_row(row.simulator.title, *_cells(row))
    console.print(table)
    for row in rows:
        _notes(console, row)
    console.print()


def show_study(console: Console, study: Study, rows: Sequence[MeasuredStudy]) -> None:
    """Prints the table of the end-to-end case: one line per simulator, then the notes."""
    table = Table(
        title=(
            f"{BENCH}, end to end: {study.nodes:,} nodes, {study.routing}, one Ember load file;"
            f" {len(rows[0].runs)} runs"
        ),
        box=box.SIMPLE,
        title_justify="left",
    )
    table.add_column("simulator", no_wrap=True)
    for heading in (
        "simulated",
        "million\npacket-hops",
        "CPU s\nset-up, tables",
        "CPU s\nsimulation",
        "CPU s\nwhole",
        "CPU s\nreport",
        "million packet-\nhops per CPU s",
    ):
        table.add_column(heading, justify="right")
    for row in rows:
        if row.runs:
            table.add_row(row.title, *_study_cells(row))
    console.print(table)
    for row in rows:
        for line in _study_notes(row):
            console.print(f"  {row.title}: {line}", markup=False, highlight=False)
    console.print()


def _study_cells(row: MeasuredStudy) -> list[str]:
    """Returns the columns of a simulator in the end-to-end case, except its title."""
    runs = row.runs
    reports = [run.report_cpu_seconds for run in runs]
    return [
        f"{runs[0].simulated_us:,.4g} us",
        _number(runs[0].packet_hops / 1e6),
        _spread([run.setup_cpu_seconds for run in runs]),
        _spread([run.simulation_cpu_seconds for run in runs]),
        _spread([run.cpu_seconds for run in runs]),
        "none" if None in reports else _spread(reports),
        _spread([run.rate / 1e6 for run in runs]),
    ]


def _study_notes(row: MeasuredStudy) -> list[str]:
    """Returns the ratio of a simulator to Pantala, or the reason why there is none."""
    if row.missing:
        return [row.missing]
    if not row.before:
        return []
    whole, reported = (
        row.ratio(lambda run: run.cpu_seconds),
        row.ratio(lambda run: run.with_report),
    )
    return [
        f"it takes {whole:.3g} times Pantala's CPU time, and {reported:.3g} times that of Pantala"
        " with its report"
    ]


def missing(console: Console, simulators: Iterable[tuple[str, str, str]]) -> None:
    """Prints the simulators that are not compared: title, option, how to install."""
    for title, option, install in simulators:
        console.print(
            f"{title}: no path given. To install: {install}. Then run with {option}=PATH",
            markup=False,
            highlight=False,
        )


def _cells(row: Measured) -> list[str]:
    """Returns the columns of a simulator except its title."""
    runs = row.runs
    ratios = (row.ratio(lambda run: run.whole), row.ratio(lambda run: run.network))
    itself = row.before is row.runs
    return [
        str(len(runs)),
        f"{runs[0].simulated_us:,.4g} us",
        _number(runs[0].packet_hops / runs[0].simulated_us),
        _spread([run.cpu_seconds for run in runs]),
        _spread([run.network_cpu_seconds for run in runs]),
        _spread([run.whole / 1e6 for run in runs]),
        _spread([None if run.network is None else run.network / 1e6 for run in runs]),
        (
            ""
            if itself
            else ", ".join("not told" if ratio is None else f"{ratio:.3g}" for ratio in ratios)
        ),
    ]


def _spread(values: Sequence[float | None]) -> str:
    """Returns the median with the least and the greatest value; `not told` if one is missing."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return "not told"
    middle, least, greatest = spread(known)
    return f"{_number(middle)} ({_number(least)} to {_number(greatest)})"


def _number(value: float) -> str:
    """Returns a number with three digits, with separators if it is large."""
    return f"{float(f'{value:.3g}'):,.0f}" if value >= 100 else f"{float(f'{value:.3g}'):g}"


def _notes(console: Console, row: Measured) -> None:
    """Prints the source of a simulator's packet-hops, and the differences of its machine."""
    lines = [f"packet-hops are {row.simulator.hops}", *row.differences] if row.runs else []
    lines += [row.missing] if row.missing else []
    for line in lines:
        console.print(f"  {row.simulator.title}: {line}", markup=False, highlight=False)
