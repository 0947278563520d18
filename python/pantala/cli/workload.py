"""`pantala workload`: the applications, their communication, and the tables of papers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pantala.cli import complete
from pantala.cli.arguments import Settings, Workers, paragraphs
from pantala.cli.given_once import Application
from pantala.cli.tables import console, listing, say_caveats
from pantala.cli.workload_tables import (
    ahead_in_words,
    communication_summary,
    paper_tables,
    print_communication,
)
from pantala.text.plain_text import say

if TYPE_CHECKING:
    from pantala.papers.application_table import Ahead, Record
    from pantala.planning.communication import Communication
    from pantala.scenario import Scenario

__all__ = ["HELP", "app"]

HELP = "List applications, show their messages, compare them with the tables of papers."

app = Application(no_args_is_help=True)


@app.command("list", help="List the applications.")
def workloads() -> None:
    """Lists the applications."""
    from pantala.workloads import APPLICATIONS

    shown = listing(("application", "ranks", "description"), right=1)
    for kind, application in APPLICATIONS.items():
        what = (application.__doc__ or "").partition("\n")[0].partition(": ")
        shown.add_row(
            kind,
            f"{application.paper_ranks:,}",
            what[2][:1].upper() + what[2][1:] if what[2] else what[0],
        )
    console().print(shown)


@app.command("show", help="Show the messages of an application, or draw its communication matrix.")
def show(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help=(
                "An application of [b]pantala workload list[/b], a scenario file, or a load file"
                " of Ember."
            ),
            autocompletion=complete.workloads,
        ),
    ],
    ranks: Annotated[
        int | None,
        typer.Option(
            "--ranks", "-n", metavar="N", help="Number of ranks. Default: as in the paper."
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Set a key, e.g. iterations=1 or mpi.collectives=mpich. Repeatable.",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw the communication matrix to this file (.svg, .png or .pdf).",
            autocompletion=complete.files,
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON list with one object per job.")
    ] = False,
) -> None:
    """Shows the communication of an application."""
    from pantala.errors import UsageError
    from pantala.planning.communication import communication

    if plot is not None:
        from pantala.figures import check_place

        check_place(plot)  # before anything is counted
    jobs = communication(_scenario(name, ranks, settings))
    if not jobs:
        raise UsageError(
            f"{name}: all its jobs are synthetic traffic, which has no fixed messages; name a"
            " scenario with an application"
        )
    if as_json:
        say(json.dumps([communication_summary(job) for job in jobs], indent=2))
    for job in jobs:
        if not as_json:
            print_communication(job)
        if plot is not None:
            place = _draw(job, plot, alone=len(jobs) == 1)
            if not as_json:
                console().print(f"matrix: {place}", highlight=False, markup=False, soft_wrap=True)


def _scenario(name: str, ranks: int | None, settings: list[str] | None) -> Scenario:
    """Returns the scenario of a file or of an application.

    Raises:
        UsageError: there is no such application, or `ranks` does not fit.
        ScenarioError: the scenario is wrong.
    """
    from pantala.cli.option_values import parse_settings
    from pantala.cli.scenario_file import read_scenario
    from pantala.errors import UsageError
    from pantala.planning.communication import application_scenario

    changes = parse_settings(settings)
    if name.endswith((".toml", ".load")):
        if ranks is not None:
            raise UsageError(
                f"--ranks {ranks}: the scenario {name} sets the ranks of its jobs; remove --ranks"
            )
        return read_scenario(Path(name), changes)
    if ranks is not None and ranks < 1:
        raise UsageError(f"--ranks {ranks}: must be at least 1; write 1 or more")
    return application_scenario(name, ranks, changes)


_EXPORT_HELP = """Write the operations of a job to an operation file.

A scenario replays the file with [b]kind = "operations"[/b] and [b]path[/b]. Compute times in the
file have no noise. A job whose operations depend on the run is refused.
"""


@app.command("export", help=paragraphs(_EXPORT_HELP))
def export(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help=(
                "A scenario file, a load file of Ember, or an application of [b]pantala workload"
                " list[/b]."
            ),
            autocompletion=complete.workloads,
        ),
    ],
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="The operation file to write.", autocompletion=complete.files
        ),
    ],
    job: Annotated[
        str | None,
        typer.Option("--job", metavar="NAME", help="The job, if the scenario has several."),
    ] = None,
    ranks: Annotated[
        int | None,
        typer.Option(
            "--ranks", "-n", metavar="N", help="Ranks of an application. Default: as in the paper."
        ),
    ] = None,
    settings: Settings = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an existing FILE.")
    ] = False,
) -> None:
    """Writes the operation file of a job."""
    from pantala.cli.option_values import check_free
    from pantala.export.operation_files import export_job
    from pantala.text.amounts import PLAIN, count

    check_free(file, overwrite=overwrite, named="FILE")
    facts = export_job(_scenario(name, ranks, settings), job, file)
    console().print(
        f"{file}: {count(facts['operations'])} operations in {PLAIN.size(facts['bytes'])}, SHA-256"
        f" {facts['hash']}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )


_TABLE_HELP = """Compare the applications with the values in the table of a paper.

The tables kang2022 (Table I) and chunduri2021 (Table I) run each application alone. This takes some
minutes. An interrupted table continues: rows whose run is in the output directory are not run
again.

The tables yang2016 (Table 2) and wang2020 (IV.B, Tables IV and V) need no run.
"""


@app.command("table", help=paragraphs(_TABLE_HELP))
def paper_table(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="The table: kang2022, yang2016, wang2020, chunduri2021.",
            autocompletion=complete.paper_tables,
        ),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON list with one object per row.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--application", "-a", metavar="NAME", help="Compare only this application. Repeatable."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The seed.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="The directory of the runs. Default: runs/NAME-table.",
            autocompletion=complete.files,
        ),
    ] = None,
    workers: Workers = None,
) -> None:
    """Measures a paper's table of applications."""
    from rich.text import Text

    from pantala import papers
    from pantala.caveats import Facts, caveats_of
    from pantala.cli.option_values import check_workers_and_seed
    from pantala.papers.application_table import measure
    from pantala.system.parallel import cores
    from pantala.text.plain_console import PlainConsole

    found = papers.table(name)
    check_workers_and_seed(workers, seed)
    processes = workers or cores()
    with PlainConsole(stderr=True).status(Text(f"{name}: running")) as line:
        done: list[str] = []
        facts: dict[str, Facts] = {}

        def on_start(ahead: list[Ahead]) -> None:
            if ahead:
                say(ahead_in_words(found, ahead, processes), file=sys.stderr)

        def on_row(record: Record, count: int) -> None:
            done.append(record["application"])
            line.update(Text(f"{name}: {len(done)} of {count} applications; last {done[-1]}"))

        records = measure(
            found,
            seed=seed,
            workers=processes,
            only=only or (),
            out=out or Path("runs") / f"{name}-table",
            on_start=on_start,
            on_row=on_row,
            facts=facts,
        )
    if facts:
        say_caveats(caveats_of(facts), aside=as_json)
    if as_json:
        say(json.dumps(records, indent=2))
    else:
        output = console()
        output.print(paper_tables(found, records, output))


def _draw(found: Communication, plot: Path, *, alone: bool) -> Path:
    """Draws the matrix of a job; with several jobs, the file's name contains the job's name."""
    from pantala.figures import communication_matrix, save

    place = plot if alone else plot.with_stem(f"{plot.stem}-{found.job}")
    save(communication_matrix(found), place)
    return place
