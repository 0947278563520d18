"""`pantala ncptl`: checks, explains and exports coNCePTuaL programs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pantala.cli import complete
from pantala.cli.arguments import paragraphs
from pantala.cli.given_once import Application
from pantala.cli.source_lines import excerpt
from pantala.cli.tables import console, facts, table
from pantala.errors import nearest
from pantala.text.plain_text import say

if TYPE_CHECKING:
    from rich.table import Table

    from pantala.errors import PlanError

__all__ = ["HELP", "app"]

HELP = "Check coNCePTuaL programs, show their MPI calls, write them in other forms."

#: Rows of the table of calls, and lines of output; `--json` prints all.
_MOST = 200

#: The place in an error of the check, and of a rank.
_AT = re.compile(r"line (\d+), column (\d+):")
_STOP = re.compile(r":(\d+):(\d+): ")

app = Application(no_args_is_help=True)

ProgramFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="The program.",
        show_default=False,
        autocompletion=complete.ncptl_programs,
    ),
]

Ranks = Annotated[int, typer.Option("--ranks", "-n", metavar="N", help="Number of ranks.")]
Arguments = Annotated[
    list[str] | None,
    typer.Option(
        "--var",
        metavar="NAME=VALUE",
        help="Set an option of the program, e.g. reps=100 or bytes=64K. Repeatable.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the random tasks.")]
#: The ending of the file of each form, and what it consists of.
_ENDINGS = {"operations": "ops", "goal": "goal", "python": "py"}
_ENTRIES = {"operations": "records", "goal": "GOAL operations", "python": "calls in the text"}


@app.callback()
def _group() -> None:
    """Check coNCePTuaL programs, show their MPI calls, write them in other forms."""


@app.command("check", help="Check a program, and list its options.")
def check(file: ProgramFile) -> None:
    """Checks a program."""
    from pantala.core import native

    found = native.ncptl_check(str(file), _text(file))
    for message in (*found["errors"], *(f"warning: {each}" for each in found["warnings"])):
        say(message, file=sys.stderr if found["errors"] else None)
    if found["errors"]:
        raise typer.Exit(2)
    if not found["options"]:
        say(f"{file.name}: correct; it has no options")
        return
    say(f"{file.name}: correct; set its options with --var NAME=VALUE")
    shown = facts()
    for option in found["options"]:
        names = f"{option['long']} or {option['short']}"
        shown.add_row(option["name"], f"{option['description']} ({names}; {option['default']})")
    console().print(shown)


@app.command("explain", help="Show which rank makes which MPI calls, without a network.")
def explain(
    file: ProgramFile,
    ranks: Ranks,
    arguments: Arguments = None,
    seed: Seed = 1,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object: the calls and the outputs.")
    ] = False,
) -> None:
    """Shows the MPI calls of a program."""
    from pantala.cli.scenario_file import parse_variables
    from pantala.core import native
    from pantala.errors import PlanError

    _check_ranks(ranks)
    workload = {
        "file": str(file),
        "source": _text(file),
        "arguments": parse_variables(arguments, "--var"),
        "seed": seed,
        "touch_per_byte_fs": 0,
    }
    try:
        found = native.ncptl_explain(workload, ranks)
    except PlanError as error:
        if error.key != "file":
            raise
        _say_fault(file, error)
        raise typer.Exit(2) from None
    for warning in native.ncptl_check(str(file), str(workload["source"]))["serious"]:
        say(f"warning: {warning}", file=sys.stderr)
    if as_json:
        outputs = [{"rank": rank, "line": line} for rank, line in found["outputs"]]
        document = {"calls": found["calls"], "outputs": outputs, "truncated": found["truncated"]}
        say(json.dumps(document, indent=1))
    else:
        output = console()
        if found["calls"]:
            output.print(_calls(file, ranks, found["calls"]))
        else:
            say(f"{file.name} on {_number(ranks)}: no rank makes an MPI call")
        for rank, line in found["outputs"][:_MOST]:
            output.print(f"rank {rank} prints: {line}", markup=False, highlight=False)
        if (more := len(found["outputs"]) - _MOST) > 0:
            are = "line is" if more == 1 else "lines are"
            say(f"{more:,} more {are} printed; --json has them all")
    _print_stops(file, found["errors"])
    if found["truncated"]:
        say("the list is cut off: the program makes too many calls", file=sys.stderr)
    if found["errors"]:
        raise typer.Exit(2)


_EXPORT_HELP = """Write a program as an operation file, a GOAL schedule or a Python program.

The file is for one number of ranks, and has the calls, partners, tags and bytes of each rank. A
program whose calls depend on the run is refused with its line.
"""


@app.command("export", help=paragraphs(_EXPORT_HELP))
def export(
    file: ProgramFile,
    ranks: Ranks,
    form: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="FORM",
            help="operations, goal or python.",
            autocompletion=complete.of(("operations", "goal", "python")),
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="The file to write. Default: the program's name with .ops, .goal or .py.",
            autocompletion=complete.files,
        ),
    ] = None,
    arguments: Arguments = None,
    seed: Seed = 1,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an existing file of [b]--out[/b].")
    ] = False,
) -> None:
    """Writes a program in another form."""
    from pantala.cli.option_values import check_free
    from pantala.cli.scenario_file import parse_variables
    from pantala.errors import PlanError, ScenarioError, UsageError
    from pantala.export.program_forms import FORMS, export_program
    from pantala.text.amounts import PLAIN, count

    if form not in FORMS:
        close = nearest(form, FORMS)
        hint = f"did you mean '{close}'?" if close else f"choose {', '.join(FORMS)}"
        raise UsageError(f"--as {form}: there is no such form; {hint}")
    _check_ranks(ranks)
    place = out or Path(f"{file.stem}.{_ENDINGS[form]}")
    if place.absolute() == file.absolute():
        raise UsageError(f"--out {place}: is the program itself; name another file")
    check_free(place, overwrite=overwrite)
    _text(file)  # before anything is written
    try:
        written = export_program(
            file, ranks, form, place, arguments=parse_variables(arguments, "--var"), seed=seed
        )
    except PlanError as error:
        if error.key != "file":
            raise
        _say_fault(file, error)
        raise typer.Exit(2) from None
    except ScenarioError as error:
        raise UsageError(f"{file}: {error}") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{place}: cannot be written: {reason}; name another file") from None
    say(
        f"{place}: {count(written.operations)} operations of {_number(ranks)} as"
        f" {count(written.entries)} {_ENTRIES[form]}, {PLAIN.size(written.bytes)}"
    )


def _check_ranks(ranks: int) -> None:
    from pantala.errors import UsageError
    from pantala.models.base import MOST_RANKS

    if not 1 <= ranks <= MOST_RANKS:
        raise UsageError(
            f"--ranks {ranks}: must be from 1 to {MOST_RANKS}; give another number of ranks"
        )


def _say_fault(file: Path, error: PlanError) -> None:
    """Prints an error of a program: its place, what is wrong, and the line."""
    at, message = _AT.match(error.message), error.message
    where = f":{at[1]}:{at[2]}" if at else ""
    message = message[at.end() :] if at else f" {message}"
    say(f"{file}{where}:{message}; {error.remedy}", file=sys.stderr)
    if at:
        say(excerpt(file, int(at[1]), int(at[2])), file=sys.stderr)


def _print_stops(file: Path, errors: list[tuple[int, str]]) -> None:
    """Prints each statement that stops ranks: the first rank, the source line, the other ranks."""
    stops: dict[str, list[tuple[int, str]]] = {}
    for rank, reason in errors:
        place = _STOP.search(reason)
        stops.setdefault(place[0] if place else reason, []).append((rank, reason))
    for (rank, reason), *others in stops.values():
        remedy = "" if "; " in reason else "; correct the program or its arguments"
        say(f"rank {rank} stops: {reason}{remedy}", file=sys.stderr)
        if place := _STOP.search(reason):
            say(excerpt(file, int(place[1]), int(place[2])), file=sys.stderr)
        if others:
            stop = "stops" if len(others) == 1 else "stop"
            say(f"{_number(len(others), 'more ')} {stop} at this statement", file=sys.stderr)


def _number(ranks: int, more: str = "") -> str:
    return f"{ranks:,} {more}{'rank' if ranks == 1 else 'ranks'}"


def _calls(file: Path, ranks: int, calls: list[dict[str, Any]]) -> Table:
    of = f"{file.name} on {_number(ranks)}"
    more = f"; the first {_MOST} of {len(calls):,} rows" if len(calls) > _MOST else ""
    headings = ("rank", "calls", "call", "partner", "tag", "bytes", "requests", "ranks")
    shown = table(f"{of}{more}", headings, "")
    for call in calls[:_MOST]:
        partner = ""
        if "peer" in call:
            to = "to" if call["call"].endswith("end") else "from"
            partner = f"{to} {call['peer']}"
        elif "root" in call:
            partner = f"root {call['root']}"
        size = call.get("bytes", "")
        if "sends" in call:
            size = f"to {call['sends']} from {call['receives']}"
        shown.add_row(
            str(call["rank"]),
            f"{call['count']:,}",
            call["call"],
            partner,
            str(call.get("tag", "")),
            f"{size:,}" if isinstance(size, int) else size,
            str(call.get("requests", "")),
            str(call.get("communicator_size", "")),
        )
    return shown


def _text(file: Path) -> str:
    from pantala.importers.place import read_text

    return read_text(file, "a coNCePTuaL program")
