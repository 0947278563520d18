"""`pantala bench`: how fast the core is here."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from pantala.cli.tables import console, facts

__all__ = ["HELP", "bench"]

HELP = """Measure the speed of the core on a named load.

[b]uniform-1056[/b]: the kang2022 machine (1,056 nodes), router model pantala, minimal routing, uniform random traffic
at load 0.5, 100 us simulated, counters on.
"""


def bench(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The benchmark.")] = "uniform-1056",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Runs a benchmark."""
    from pantala.benchmark import bench as measure

    result = measure(name)
    if as_json:
        print(json.dumps(result))
        return
    table = facts(name)
    for key, value in result.items():
        table.add_row(
            key, f"{value:,.6g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
        )
    console().print(table)
