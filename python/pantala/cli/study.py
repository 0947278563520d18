"""`pantala study`: campaigns of runs that repeat a paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pantala.cli import complete
from pantala.cli.arguments import Workers, paragraphs
from pantala.cli.tables import console, listing

if TYPE_CHECKING:
    from pantala.studies import Outcome

__all__ = ["HELP", "app"]

HELP = "Repeat the simulations of a paper: runs, figures, and a verdict on each claim."

app = typer.Typer(no_args_is_help=True)

_RUN_HELP = """Run a study, and write its tables, figures and report to a directory.

To continue an interrupted study, give the same command again.
"""


@app.command("run", help=paragraphs(_RUN_HELP))
def run(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="The study; see [b]pantala study list[/b].",
            autocompletion=complete.studies,
        ),
    ],
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Run the small version: five to fifteen minutes on two cores."
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="The output directory. Default: runs/NAME.",
            autocompletion=complete.files,
        ),
    ] = None,
    workers: Workers = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The seed.")] = 1,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an existing study in DIR.")
    ] = False,
) -> None:
    """Runs a study."""
    from rich.text import Text

    from pantala.cli.interruption import InterruptedCommand
    from pantala.cli.option_values import check_workers_and_seed
    from pantala.papers import study
    from pantala.studies import Options
    from pantala.system.parallel import cores
    from pantala.text.plain_console import PlainConsole
    from pantala.text.plain_text import plain

    found = study(name)
    check_workers_and_seed(workers, seed)
    target = out if out is not None else Path("runs") / name
    errors = PlainConsole(stderr=True)
    with errors.status(f"{name}: preparing") as line:

        def progress(done: int, count: int, text: str) -> None:
            if errors.is_terminal:
                line.update(Text(plain(f"{name}: {done} of {count} runs; {text}")))
            else:
                errors.print(
                    f"{done}/{count} {text}", highlight=False, markup=False, soft_wrap=True
                )

        options = Options(target, quick, workers or cores(), seed, overwrite, progress)
        try:
            outcome = found.run(options)
        except KeyboardInterrupt:
            raise InterruptedCommand(
                f"interrupted; to continue from the results in {target}, give the same command"
                " again"
            ) from None
    _show(outcome, found.source)


@app.command("list", help="List the studies.")
def studies() -> None:
    """Lists the studies."""
    from pantala.papers import studies as all_studies

    table = listing(("study", "paper", "subject"))
    for each in all_studies():
        table.add_row(each.name, each.source, each.title)
    console().print(table)


def _show(outcome: Outcome, source: str) -> None:
    from rich.box import SIMPLE_HEAD

    from pantala.cli.narrow_table import NarrowTable

    shown = NarrowTable(title=source, box=SIMPLE_HEAD, pad_edge=False)
    for heading in outcome.columns:
        shown.add_column(heading, no_wrap=heading in ("claim", "verdict"), vertical="top")
    for row in outcome.claims:
        shown.add_row(*row)
    output = console()
    for note in outcome.notes:
        output.print(note, highlight=False, markup=False)
    output.print(shown)
    output.print(f"report: {outcome.page}", highlight=False, markup=False, soft_wrap=True)
