"""`pantala study pack` and `unpack`: the finished runs of a study in compact files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pantala.cli import complete
from pantala.cli.study_arguments import Name, Out, Quick, campaign_of
from pantala.cli.tables import say_line
from pantala.errors import UsageError
from pantala.text.amounts import counted

__all__ = ["PACK_HELP", "UNPACK_HELP", "pack", "unpack"]

PACK_HELP = """Write the finished runs of a study into a pack: one compact file to commit, or to
carry to another machine.

A pack has the kept tables and the hash of results of each run. Packs are added to, never changed:
the command writes the runs that no pack of FOLDER has yet.
"""

UNPACK_HELP = """Add the runs of packs to the directory of a study, in which they count as finished.

[b]pantala study run NAME[/b] then simulates what is missing. Runs of another version of Pantala
whose results differ are left out, so that they are simulated again.
"""


def _folder(option: str) -> Any:
    """Returns the option that names the folder of the packs."""
    return typer.Option(
        option,
        metavar="FOLDER",
        help="The folder of the packs.",
        show_default=False,
        autocompletion=complete.files,
    )


def pack(
    name: Name,
    to: Annotated[
        Path,
        _folder("--to"),
    ],
    quick: Quick = False,
    out: Out = None,
    rewrite: Annotated[
        bool,
        typer.Option(
            "--rewrite",
            help="Write one pack with all finished runs, and remove the other packs of FOLDER.",
        ),
    ] = False,
) -> None:
    """Writes the finished runs into a pack."""
    from pantala.studies.packs import pack as write

    campaign = campaign_of(name, out, quick=quick)
    done = write(campaign, to, rewrite=rewrite)
    if not done.moved and not done.there:
        raise UsageError(f"{campaign.root}: holds no finished run; give pantala study run {name}")
    for path in done.files:
        say_line(f"{path}: {counted(done.moved, 'run')}, {path.stat().st_size:,} bytes")
    if done.there:
        say_line(f"{counted(done.there, 'run')}: in a pack of {to} already")
    if done.foreign:
        what = "removed" if rewrite else "still there; --rewrite removes them"
        say_line(f"{counted(done.foreign, 'run')} that the study does not ask for: {what}")


def unpack(
    name: Name,
    source: Annotated[
        Path,
        _folder("--from"),
    ],
    quick: Quick = False,
    out: Out = None,
) -> None:
    """Adds the runs of packs to a directory."""
    from pantala.studies.packs import unpack as read

    campaign = campaign_of(name, out, quick=quick)
    done = read(campaign, source)
    say_line(f"{campaign.root}: {counted(done.moved, 'run')} added, {done.there:,} there already")
    if done.foreign:
        say_line(
            f"{counted(done.foreign, 'run')} left out: of another version of the study, or of a"
            " Pantala with other results"
        )
    if missing := sum(len(sweep.missing) for sweep in campaign.sweeps.values()):
        say_line(f"{counted(missing, 'run')} missing; pantala study run {name} simulates them")
