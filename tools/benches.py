"""The table of docs/performance.md: medians and spread of every bench (``make benches``).

The benches run in turn, each run in its own process.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer

from compare.pantala_bench import CHILD
from compare.process import Failed, run
from markdown_table import table
from pantala.runs.benchmark import BENCHMARKS

__all__ = ["app", "row"]

_HEADINGS = (
    "bench",
    "case",
    "packet-hops",
    "events per packet-hop",
    "million packet-hops per CPU-second",
    "bytes of state per node",
)


def row(name: str, case: str, results: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Returns the cells of a case: the median of its runs, with the least and the greatest."""
    rates = [result["packet_hops_per_cpu_second"] / 1e6 for result in results]
    first = results[0]
    return (
        f"`{name}`",
        case,
        f"{first['packet_hops']:,}",
        f"{first['events_per_packet_hop']:.2f}",
        f"{median(rates):.2f} ({min(rates):.2f} to {max(rates):.2f})",
        f"{first['bytes_per_node']:,.0f}",
    )


app = typer.Typer(add_completion=False)


@app.command()
def main(
    benches: Annotated[
        list[str] | None, typer.Argument(help="Benches. Default: all except million.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Rounds. Each runs every bench once.")] = 3,
    timeout: Annotated[float, typer.Option(min=1, help="Time limit per run in seconds.")] = 1_200,
) -> None:
    """Runs benches in turn and prints their medians as a Markdown table."""
    names = benches or [name for name in BENCHMARKS if name != "million"]
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(
            f"benches: there is no benchmark '{unknown[0]}'; choose from {', '.join(BENCHMARKS)}",
            file=sys.stderr,
        )
        raise typer.Exit(2)
    runs = [(name, case) for name in names for case in BENCHMARKS[name].cases or ("",)]
    results: dict[tuple[str, str], list[dict[str, Any]]] = {one: [] for one in runs}
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(repeats):
            for name, case in runs:
                try:
                    ended = run([sys.executable, "-c", CHILD, name, case], Path(directory), timeout)
                except Failed as error:
                    print(f"benches: {error}", file=sys.stderr)
                    raise typer.Exit(1) from error
                results[name, case].append(json.loads(ended.output))
    print(table(_HEADINGS, [row(name, case, results[name, case]) for name, case in runs], left=2))


if __name__ == "__main__":
    app()
