"""`pantala report`: rebuilds the HTML page of a run."""

from __future__ import annotations

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

    print(f"report: {write_report(load(directory))}")
