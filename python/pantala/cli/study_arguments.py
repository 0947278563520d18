"""What the commands of a study share: its name, its directory, its version."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pantala.cli import complete

if TYPE_CHECKING:
    from pantala.studies import Campaign

__all__ = ["Name", "Out", "Quick", "campaign_of", "directory_of"]

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="The study ([b]pantala study list[/b]), or a folder with study.toml.",
        show_default=False,
        autocompletion=complete.studies,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="DIR",
        help="The directory of the study. Default: runs/NAME, and runs/NAME-quick with --quick.",
        autocompletion=complete.files,
    ),
]
Quick = Annotated[
    bool,
    typer.Option("--quick/--full", help="The small version, at most 20 minutes on two cores."),
]


def directory_of(name: str, out: Path | None, *, quick: bool) -> Path:
    """Returns the directory of a study: --out, or the default."""
    return out if out is not None else Path("runs") / (f"{name}-quick" if quick else name)


def campaign_of(name: str, out: Path | None, *, quick: bool) -> Campaign:
    """Returns a study in its directory, for a command that reads its runs."""
    from pantala.papers import study
    from pantala.studies import Campaign

    found = study(name)
    return Campaign(found, directory_of(found.name, out, quick=quick), quick=quick)
