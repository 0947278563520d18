"""`pantala export`: writes a run in the format of another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pantala.cli import complete
from pantala.cli.arguments import out_file
from pantala.cli.tables import say_caveats
from pantala.text.plain_text import say

__all__ = ["HELP", "export"]

_FORMATS = {"graphml": "graphml", "perfetto": "pftrace"}

HELP = """Write a run in the format of another tool.

graphml: routers and links with their load, for NetworkX, igraph or Gephi. perfetto: ranks,
iterations, messages and the busiest links over time, for https://ui.perfetto.dev; it needs
pip install 'pantala\\[perfetto]'. Other tools read the Parquet tables of the run directory."""


def export(
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="The run directory.",
            show_default=False,
            autocompletion=complete.files,
        ),
    ],
    form: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="NAME",
            help="graphml or perfetto.",
            show_default=False,
            autocompletion=complete.of(_FORMATS),
        ),
    ],
    out: Annotated[
        Path | None,
        out_file(
            "The file to write. Default: RUN.graphml or RUN.pftrace in the current directory."
        ),
    ] = None,
    messages: Annotated[
        int,
        typer.Option(
            "--messages", metavar="N", min=0, help="perfetto: the most messages, the largest."
        ),
    ] = 100_000,
) -> None:
    """Exports a run; of an interference experiment, the run of all jobs together."""
    from pantala.api.load import load
    from pantala.errors import UsageError, nearest
    from pantala.experiments.experiment import Experiment
    from pantala.export import write_graphml, write_perfetto

    if form not in _FORMATS:
        close = nearest(form, _FORMATS)
        hint = f"did you mean '{close}'?" if close else f"choose among {', '.join(_FORMATS)}"
        raise UsageError(f"there is no format '{form}'; {hint}")
    found = load(directory)
    run = found.together if isinstance(found, Experiment) else found
    say_caveats(found.caveats)
    target = out or Path(f"{directory.absolute().name}.{_FORMATS[form]}")
    if form == "graphml":
        write_graphml(run, target)
    else:
        left_out = write_perfetto(run, target, messages=messages)
        if left_out:
            say(f"{left_out:,} smaller messages are left out; --messages N writes more")
    say(f"written: {target}")
