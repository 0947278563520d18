"""`pantala status`: what an experiment has, and what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pantala.cli import complete
from pantala.cli.tables import console, facts, listing

__all__ = ["HELP", "status"]

HELP = """Show the runs of an experiment: done, running, missing and failed with the reason.

It reads the index of DIR only, so it is quick, also while a sweep runs.
"""


def status(
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="The directory of pantala sweep.",
            show_default=False,
            autocompletion=complete.files,
        ),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: a list with one object per experiment.")
    ] = False,
) -> None:
    """Shows the status of a directory."""
    from pantala.experiments.status import status as status_of_directory

    found = status_of_directory(directory)
    if as_json:
        import json

        print(json.dumps(found, indent=2))
        return
    for each in found:
        _show(each)


def _show(found: dict[str, Any]) -> None:
    from pantala.progress import clock, of_thousands

    output = console()
    axes = " x ".join(f"{count} {axis}" for axis, count in found["axes"].items())
    title = f"{found['name']}: {axes or 'one case'}"
    output.print(title, highlight=False, markup=False, soft_wrap=True)
    drawn = facts()
    done = f"{found['done']:,} of {found['runs']:,}"
    if found["done"]:
        done += f"; {clock(found['seconds'])} of simulation, {of_thousands(found['bytes'])}B"
    drawn.add_row("done", done)
    for state in ("running", "missing", "failed"):
        if found[state]:
            drawn.add_row(state, f"{found[state]:,}")
    if found["incomplete"]:
        drawn.add_row("incomplete", f"{found['incomplete']:,} done runs have a job without end")
    output.print(drawn)
    if found["failures"]:
        axis_names = list(found["axes"])
        failed = listing([*axis_names, "part", "reason"], title="Failed runs")
        for row in found["failures"]:
            failed.add_row(*(str(row[key]) for key in (*axis_names, "part", "reason")))
        output.print(failed)
    if found["missing"]:
        output.print("To simulate the missing runs, give the command of pantala sweep again.")
