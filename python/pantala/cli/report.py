"""`pantala report`: rebuilds the HTML page of a run, or writes that of an experiment."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pantala.cli import complete
from pantala.cli.arguments import out_file
from pantala.text.plain_text import say

__all__ = ["HELP", "report"]

HELP = """Write the report of a run or of an experiment, as one self-contained HTML file.

Of a run, the report shows which job slows which. Of an experiment of [b]pantala sweep[/b], it shows
the best and the worst configuration of each job by communication time and by slowdown (or by
[b]--metric[/b]), means over the axes, the spread over seeds, and all runs with links."""


def report(
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="A run directory, or the directory of pantala sweep.",
            show_default=False,
            autocompletion=complete.files,
        ),
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            help="Of an experiment: the metric that configurations are ranked by, of pantala"
            " metrics. Repeatable.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        out_file("The file to write. Default: report.html in DIR."),
    ] = None,
) -> None:
    """Writes report.html into a directory; report-NAME.html for each of several experiments."""
    from pantala.api.load import load
    from pantala.api.report import write_report
    from pantala.errors import UsageError
    from pantala.files.run_directory import EXPERIMENTS, REPORT_FILE, holds_run
    from pantala.report.run_report import write_report as write_page
    from pantala.runs.progress import shown_steps
    from pantala.text.plain_console import PlainConsole

    names = []
    if not holds_run(directory):
        from pantala.files.run_directory import experiment_names

        names = experiment_names(directory)
    if out is not None and len(names) > 1:
        text = ", ".join(str(directory / EXPERIMENTS / name) for name in names)
        raise UsageError(f"--out {out}: {directory} holds several experiments; name one of {text}")
    for name in names:
        from pantala.report.experiment import write_experiment

        file = REPORT_FILE if len(names) == 1 else f"report-{name}.html"
        target = out or directory / file
        written = write_experiment(directory / EXPERIMENTS / name, target, metric or ())
        say(f"report: {written}")
    if not names and metric:
        raise UsageError(
            f"--metric: {directory} is no experiment; `pantala metrics --run` prints a run's"
        )
    if not names:
        found, shown = load(directory), PlainConsole(stderr=True)
        with shown_steps("report", shown if shown.is_terminal else None):
            written = write_report(found) if out is None else write_page(found, out)
        say(f"report: {written}")
        if missing := getattr(found, "missing", ()):
            say(
                f"{directory}: was interrupted; missing: {', '.join(missing)}; to continue, give"
                " the same pantala run command again",
                file=sys.stderr,
            )
