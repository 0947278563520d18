"""`pantala study figures`: the figures and tables of a study as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pantala.cli import complete
from pantala.cli.study_arguments import Name, Out, Quick, campaign_of
from pantala.cli.tables import say_line
from pantala.errors import UsageError

__all__ = ["FIGURES_HELP", "figures"]

FIGURES_HELP = """Write the figures and tables of a study as files, each with its numbers as CSV.

Figures show the runs that are there. A figure without runs is named, with the reason.
"""


def figures(
    name: Name,
    quick: Quick = False,
    out: Out = None,
    to: Annotated[
        Path | None,
        typer.Option(
            "--to",
            metavar="DIR",
            help="Where to write. Default: figures in the directory of the study.",
            autocompletion=complete.files,
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="NAME",
            help="pdf, svg or png.",
            autocompletion=complete.of(("pdf", "svg", "png")),
        ),
    ] = "pdf",
) -> None:
    """Writes the figures and tables of a study as files."""
    from pantala.studies.figures.files import write_figures

    campaign = campaign_of(name, out, quick=quick)
    if not campaign.experiments:
        raise UsageError(f"{campaign.root}: holds no run; give pantala study run {name}")
    for line in write_figures(campaign, to or campaign.root / "figures", form):
        say_line(line)
