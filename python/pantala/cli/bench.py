"""`pantala bench`: the speed of the core on this machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from pantala.cli import complete
from pantala.cli.arguments import Threads
from pantala.cli.tables import console, facts, listing, table
from pantala.runs.benchmark import BENCHMARKS
from pantala.text.plain_text import say

if TYPE_CHECKING:
    from rich.table import Table

    from pantala.runs.benchmark import BenchCase

__all__ = ["HELP", "bench"]

HELP = "\n\n".join(
    [
        "Measure the speed of the simulator on a benchmark.",
        *(f"[b]{name}[/b]: {benchmark.text}." for name, benchmark in BENCHMARKS.items()),
    ]
)

_SHORT = 12


def bench(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="The benchmark.", autocompletion=complete.benchmarks),
    ] = "uniform-1056",
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print a JSON object, or a list of objects if there are several cases."
        ),
    ] = False,
    threads: Threads = "1",
    listed: Annotated[
        bool, typer.Option("--list", help="List the benchmarks and run none.")
    ] = False,
) -> None:
    """Runs a benchmark, or lists them."""
    from pantala.cli.option_values import parse_threads
    from pantala.runs.benchmark import bench as measure

    if listed:
        console().print(_list())
        return
    result = measure(name, threads=parse_threads(threads))
    if as_json:
        say(json.dumps(result))
        return
    if isinstance(result, list):
        console().print(_cases(name, result))
        return
    shown = facts(name)
    for key, value in result.items():
        shown.add_row(key, _cell(value))
    console().print(shown)


def _list() -> Table:
    shown = listing(("benchmark", "load"))
    for name, benchmark in BENCHMARKS.items():
        shown.add_row(name, benchmark.text)
    return shown


def _cases(name: str, results: list[BenchCase]) -> Table:
    """Returns a table with one column per case; hashes are cut to the digits that differ."""
    cases = [{**result, "result_hash": result["result_hash"][:_SHORT]} for result in results]
    shown = table(
        name,
        ["", *(result["case"] for result in results)],
        "result_hash: the first digits; --json prints all",
    )
    for key in [key for key in cases[0] if key != "case"]:
        shown.add_row(key, *(_cell(case[key]) for case in cases))
    return shown


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.6g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
