"""`pantala trace`: what a trace holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pantala.cli import complete
from pantala.cli.given_once import Application
from pantala.cli.tables import console, facts, table
from pantala.text.plain_text import say

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["HELP", "app"]

HELP = "Describe traces: ranks, calls, bytes, computing, communication."

#: Rows of a table in the text form; `--json` prints all.
_MOST = 12

app = Application(no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Describe traces: ranks, calls, bytes, computing, communication."""


@app.command("info", help="Print the ranks, calls, bytes and communication matrix of a trace.")
def info(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help=(
                "The trace. DUMPI: the .meta file, its directory, the prefix of the files, or the"
                " file of one rank. GOAL: the file. Chakra: the prefix of the files, or their"
                " directory. OTF2: the .otf2 file, or its directory. A capture: the operation"
                " file, or its folder."
            ),
            autocompletion=complete.files,
        ),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object with all ranks and pairs.")
    ] = False,
) -> None:
    """Prints the summary of a trace."""
    from pantala.core import native
    from pantala.workloads.operation_file import (
        captured_in,
        is_operation_file,
        operations_summary,
    )
    from pantala.workloads.trace import otf2_anchor

    if path.is_dir():
        path = captured_in(path) or path
    anchor = otf2_anchor(str(path))
    if is_operation_file(path):
        found = operations_summary(str(path))
    elif anchor is None:
        found = native.trace_summary(str(path))
    else:
        from pantala.traces.otf2 import converted

        found = converted(anchor)[1]
    if as_json:
        say(json.dumps(found, indent=2))
        return
    output = console()
    for warning in found["warnings"]:
        output.print(f"warning: {warning}", markup=False, highlight=False, soft_wrap=True)
    output.print(_facts(str(path), found))
    if found["calls"]:
        output.print(_calls(found))
    if found["matrix"]:
        output.print(_pairs(found))


def _facts(path: str, found: dict[str, Any]) -> Table:
    from pantala.text.amounts import PLAIN, count

    ranks = found["by_rank"]
    sent = [rank["bytes"] for rank in ranks]
    given = [rank["collective_bytes"] for rank in ranks]
    messages = [rank["messages"] for rank in ranks]
    partners = dict.fromkeys((rank["rank"] for rank in ranks), 0)
    for pair in found["matrix"]:
        partners[pair["source"]] += 1
    number = f"{count(found['ranks'])} {'rank' if found['ranks'] == 1 else 'ranks'}"
    if ranks and ranks[0]["rank"]:  # the file of one rank
        number = f"rank {ranks[0]['rank']}"
    shown = facts(f"{Path(path).name}: {found['format']}, {number}")
    shown.add_row("size of the files", PLAIN.size(found["file_bytes"]))
    shown.add_row("records", count(found["records"]))
    if "operations" in found:
        _operation_rows(shown, found)
    recorded = found["duration_ps"]
    shown.add_row("duration", PLAIN.duration(recorded / 1000) if recorded else "not recorded")
    shown.add_row("computing", _computing(found))
    shown.add_row("point-to-point messages", count(sum(messages)))
    shown.add_row("sent in messages", _per_rank(sent))
    shown.add_row("given to collectives", _per_rank(given))
    shown.add_row("destinations per rank", _spread([float(each) for each in partners.values()]))
    return shown


def _operation_rows(shown: Table, found: dict[str, Any]) -> None:
    """Adds what only operation files have."""
    from pantala.text.amounts import count

    operations = found["operations"]
    size = f", {found['file_bytes'] / operations:.3g} B each" if operations else ""
    shown.add_row("operations", f"{count(operations)}{size}")
    iterations = [rank["iterations"] for rank in found["by_rank"]]
    least, most = min(iterations), max(iterations)
    each = count(most) if least == most else f"{count(least)} to {count(most)}"
    shown.add_row("iterations", f"{each} per rank" if most else "none found")
    groups = [
        f"{count(group['number'])} of {count(group['size'])}"
        for group in sorted(found["communicators"], key=lambda group: -group["size"])
    ]
    more = f", {len(groups) - _MOST} other sizes" if len(groups) > _MOST else ""
    shown.add_row("communicators", f"{', '.join(groups[:_MOST])} ranks{more}")


def _spread(values: list[float]) -> str:
    """Returns the least and the largest number of a rank, and the mean if they differ."""
    least, most = min(values), max(values)
    if least == most:
        return f"{least:g}"
    return f"{least:g} to {most:g}, mean {sum(values) / len(values):.3g}"


def _per_rank(sizes: list[int]) -> str:
    from pantala.text.amounts import PLAIN

    if not any(sizes):
        return "none"
    least, most = PLAIN.size(min(sizes)), PLAIN.size(max(sizes))
    each = least if least == most else f"{least} to {most}"
    return f"{each} per rank, {PLAIN.size(sum(sizes))} in all"


def _computing(found: dict[str, Any]) -> str:
    """Returns the share of computing, or the times of the ranks of a graph, which has no clock."""
    from pantala.text.amounts import PLAIN

    if found["compute_share"] is not None:
        return f"{100 * found['compute_share']:.1f} %"
    times = [rank.get("compute_ps", 0) / 1000 for rank in found["by_rank"]]
    if not any(times):
        return "none"
    least, most = PLAIN.duration(min(times)), PLAIN.duration(max(times))
    if least == most:
        return f"{least} per rank"
    return f"{least} to {most} per rank, mean {PLAIN.duration(sum(times) / len(times))}"


def _calls(found: dict[str, Any]) -> Table:
    """Returns the calls by name, with the smallest and the largest number of a rank."""
    from pantala.text.amounts import PLAIN

    calls = sorted(found["calls"].items(), key=lambda item: (-item[1], item[0]))
    sizes = found.get("call_bytes")
    headings = ("call", "all ranks", "least", "most", *(("bytes",) if sizes else ()))
    shown = table(_title("call", "calls", len(calls)), headings, "")
    for name, number in calls[:_MOST]:
        by_rank = [rank["calls"].get(name, 0) for rank in found["by_rank"]]
        size = (PLAIN.size(sizes[name]) if sizes[name] else "",) if sizes else ()
        shown.add_row(name, f"{number:,}", f"{min(by_rank):,}", f"{max(by_rank):,}", *size)
    return shown


def _pairs(found: dict[str, Any]) -> Table:
    """Returns the pairs of ranks with most bytes, without collectives."""
    from pantala.text.amounts import PLAIN

    pairs = sorted(
        found["matrix"], key=lambda pair: (-pair["bytes"], pair["source"], pair["destination"])
    )
    headings = ("from rank", "to rank", "messages", "bytes")
    shown = table(
        _title("pair of ranks with messages", "pairs of ranks with messages", len(pairs)),
        headings,
        "",
    )
    for pair in pairs[:_MOST]:
        ends = (str(pair["source"]), str(pair["destination"]))
        shown.add_row(*ends, f"{pair['messages']:,}", PLAIN.size(pair["bytes"]))
    return shown


def _title(one: str, several: str, number: int) -> str:
    what = one if number == 1 else several
    return f"{number:,} {what}" + (f"; the first {_MOST} of them" if number > _MOST else "")
