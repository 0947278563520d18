"""The cost of a packet-hop by stage: ``make stages``.

Cachegrind counts a bench for two simulated times. The difference, by source file, is the cost of a
running network without start and set-up. The core must be built with line tables (``maturin develop
--profile profiling``).
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from instructions import Guarded, cachegrind
from markdown_table import table
from pantala.runs.benchmark import BENCHMARKS

__all__ = ["STAGES", "Costs", "app", "by_file", "costs", "merged", "stage"]

#: Costs by source file, or by stage: instructions, misses.
Costs = Mapping[str, Counter[str]]

#: The stages with regular expressions for the part of a path after `crates/`. The first match
#: counts.
STAGES: tuple[tuple[str, str], ...] = (
    ("NIC", r"pantala-fabric/src/router/(nic|responses|holding)\.rs"),
    ("routing", r"pantala-(routing/|fabric/src/router/(arrival|congestion|estimates))"),
    (
        "crossbar and arbitration",
        r"pantala-fabric/src/router/(arbit|crossbar|islip|virtual_output)",
    ),
    ("link", r"pantala-fabric/src/router/(booking|link|stall|wormhole)\.rs"),
    ("credits", r"pantala-(fabric/src/(router/credits|store/account)|engine/src/due_queue)"),
    ("packets, queues, ports", r"pantala-(fabric/src/store|engine/src/flat_array)"),
    (
        "event loop",
        r"pantala-fabric/src/(fabric\.rs|variant\.rs|partition|router\.rs|router/stages|host|probe)",
    ),
    ("records", r"pantala-fabric/src/(observer|watch)"),
    ("topology", r"pantala-topology/"),
    ("wheel", r"pantala-engine/src/wheel"),
    ("time and random numbers", r"pantala-engine/"),
    ("sources and ranks", r"pantala-(workload|mpi)/"),
    ("recorder", r"pantala-sim/"),
)
#: Code of Rust's standard library (pointers, integers, slices), inlined into all stages.
LIBRARY = "Rust's library, inlined"
#: Everything else: the allocator, Python, external crates.
REST = "the rest"

#: The columns: a heading, and the cachegrind events that the column sums.
COLUMNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("instructions", ("Ir",)),
    ("misses, first level", ("D1mr", "D1mw")),
    ("misses, last level", ("DLmr", "DLmw")),
    ("mispredicted branches", ("Bcm", "Bim")),
)

#: Options for the simulation of caches (32 KiB and 1 MiB) and branches.
_CACHES = ("--cache-sim=yes", "--branch-sim=yes", "--D1=32768,8,64", "--LL=1048576,16,64")

#: Simulated times in microseconds. The network is full at the first one.
_START_US, _END_US = 10, 20


def stage(file: str) -> str:
    """Returns the stage of a source file."""
    _, found, path = file.rpartition("crates/")
    if found:
        for name, pattern in STAGES:
            if re.match(pattern, path):
                return name
    elif "/rustc/" in file or "/library/core/" in file or "/library/alloc/" in file:
        return LIBRARY
    return REST


def by_file(written: str) -> dict[str, Counter[str]]:
    """Returns the costs by source file in cachegrind's output."""
    events: list[str] = []
    found: dict[str, Counter[str]] = {}
    file = ""
    for line in written.splitlines():
        if line.startswith("events:"):
            events = line.split()[1:]
        elif line.startswith("fl="):
            file = line[3:]
        elif line[:1].isdigit():
            values = (int(value) for value in line.split()[1:])
            found.setdefault(file, Counter()).update(dict(zip(events, values, strict=False)))
    return found


def costs(before: Costs, after: Costs) -> dict[str, Counter[str]]:
    """Returns the costs by stage of a longer run minus those of a shorter run."""
    found: dict[str, Counter[str]] = {}
    for file in after:
        more = found.setdefault(stage(file), Counter())
        more.update(after[file])
        more.subtract(before.get(file, Counter()))
    return found


def _rows(
    stages: Costs, hops: int, columns: Iterable[tuple[str, tuple[str, ...]]]
) -> list[list[str]]:
    """Returns the table's rows: a row per stage, the costliest first, and a row for the sum.

    The cells are costs per packet-hop and the share of instructions.
    """
    summed = [events for _, events in columns]
    total: Counter[str] = Counter()
    for cost in stages.values():
        total.update(cost)
    rows = []
    for name, cost in [*sorted(stages.items(), key=lambda item: -item[1]["Ir"]), ("all", total)]:
        values = [abs(sum(cost[event] for event in events)) / hops for events in summed]
        cells = [
            f"{value:,.0f}" if index == 0 else f"{value:.2f}" for index, value in enumerate(values)
        ]
        rows.append([name, *cells, f"{cost['Ir'] / total['Ir']:.0%}"])
    return rows


def _shown(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Returns a table for a terminal."""
    shown = Table(title=title, box=box.SIMPLE, title_justify="left")
    for index, heading in enumerate(headings):
        shown.add_column(heading, justify="right" if index else "left")
    for row in rows:
        shown.add_row(*row, end_section=row is rows[-2])
    return shown


def merged(found: Mapping[str, tuple[Costs, int]]) -> str:
    """Returns one Markdown table for several benches, from their costs by stage and packet-hops."""
    columns = [column for column in COLUMNS if column[0] != "misses, last level"]
    headings = ["stage", *(f"`{bench}`: {heading}" for bench in found for heading, _ in columns)]
    by_bench = [
        {row[0]: row[1:-1] for row in _rows(*costs_and_hops, columns)}
        for costs_and_hops in found.values()
    ]
    names = [name for name in by_bench[0] if name != "all"]
    names += [name for rows in by_bench[1:] for name in rows if name not in names and name != "all"]
    nothing = ["0", *["0.00"] * (len(columns) - 1)]
    lines = [
        [name, *(cell for rows in by_bench for cell in rows.get(name, nothing))]
        for name in [*names, "all"]
    ]
    return table(headings, lines)


def _counted(guarded: Guarded, caches: bool) -> tuple[Costs, int]:
    """Returns the costs by stage of a bench and the number of packet-hops.

    Raises:
        typer.Exit: valgrind failed, or the core has no line tables.
    """
    options = _CACHES if caches else ("--cache-sim=no",)
    try:
        runs = [cachegrind(guarded, time, options) for time in (_START_US, _END_US)]
    except (FileNotFoundError, RuntimeError) as error:
        print(
            f"stages: {error}; install valgrind (Debian: apt-get install valgrind)",
            file=sys.stderr,
        )
        raise typer.Exit(1) from error
    (before, hops_before), (after, hops_after) = runs
    found = costs(by_file(before), by_file(after))
    if not {name for name, _ in STAGES} & set(found):
        print(
            "stages: the core has no line tables; run 'make stages', which builds them",
            file=sys.stderr,
        )
        raise typer.Exit(1)
    return found, hops_after - hops_before


app = typer.Typer(add_completion=False)


@app.command()
def main(
    benches: Annotated[
        list[str] | None, typer.Argument(help="Benches. Default: uniform-1056 and saturated-1056.")
    ] = None,
    markdown: Annotated[
        bool, typer.Option(help="Print one Markdown table, for docs/performance.md.")
    ] = False,
    caches: Annotated[
        bool, typer.Option(help="Also simulate caches and branches. Takes three times as long.")
    ] = True,
) -> None:
    """Counts instructions per packet-hop by stage, and misses of simulated caches."""
    console = Console(width=None if sys.stdout.isatty() else 120)
    chosen = benches or ["uniform-1056", "saturated-1056"]
    for bench in chosen:
        if bench not in BENCHMARKS:
            print(
                f"stages: there is no benchmark '{bench}'; choose one of {', '.join(BENCHMARKS)}",
                file=sys.stderr,
            )
            raise typer.Exit(2)
    found: dict[str, tuple[Costs, int]] = {}
    for guarded in [
        Guarded(b, case, _START_US, _END_US)
        for b in chosen
        for case in BENCHMARKS[b].cases or ("",)
    ]:
        found[str(guarded)] = by_stage, hops = _counted(guarded, caches or markdown)
        if not markdown:
            columns = COLUMNS if caches else COLUMNS[:1]
            headings = ["stage", *(heading for heading, _ in columns), "share"]
            console.print(
                _shown(f"{guarded}: per packet-hop", headings, _rows(by_stage, hops, columns))
            )
    if markdown:
        print(merged(found))


if __name__ == "__main__":
    app()
