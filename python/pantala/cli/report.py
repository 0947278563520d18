"""`pantala report`: rebuilds the HTML page of a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pantala.cli import complete

__all__ = ["HELP", "report"]

HELP = "Write the report of a run again, as one self-contained HTML file."


def report(
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="The run directory.",
            show_default=False,
            autocompletion=complete.files,
        ),
    ],
) -> None:
    """Rebuilds report.html in a run directory."""
    from pantala.execution import write_report
    from pantala.results import load

    found = load(directory)
    print(f"report: {write_report(found)}")
    if missing := getattr(found, "missing", ()):
        print(
            f"{directory}: was interrupted; missing: {', '.join(missing)}; to continue, give the"
            " same pantala run command again",
            file=sys.stderr,
        )
