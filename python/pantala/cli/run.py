"""`pantala run`: a scenario, its tables, its report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pantala.cli import complete
from pantala.cli.arguments import ScenarioFile, Settings, Threads
from pantala.cli.tables import console, table

if TYPE_CHECKING:
    from rich.table import Table

    from pantala.results import InterferenceRun, Run

__all__ = ["HELP", "run"]

_CAPTION = "mean ± standard deviation, and the most that a rank has"

HELP = """Run a scenario: simulate, write the run directory, report.

With [b]interference = true[/b] each job runs alone first, on the same nodes, then all together.
Ctrl-C, and the signal of a batch system at its time limit, stop cleanly: the tables so far are kept, and the run is
marked incomplete.
"""


def run(
    file: ScenarioFile,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="The run directory; runs/NAME if not given.",
            autocompletion=complete.files,
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the run that DIR holds.")] = False,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="Another seed than the scenario's.")] = None,
    settings: Settings = None,
    threads: Threads = 1,
    report: Annotated[
        bool,
        typer.Option("--report/--no-report", help="Whether to write report.html; pantala report DIR does it later."),
    ] = True,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing unless something is wrong.")] = False,
) -> None:
    """Runs a scenario file."""
    from pantala.cli.settings import parse_settings
    from pantala.cli.stopped import Stopped
    from pantala.errors import Interrupted
    from pantala.execution import run as run_scenario
    from pantala.results import InterferenceRun
    from pantala.scenario import Scenario

    changes = parse_settings(settings)
    if seed is not None:
        changes["seed"] = seed
    scenario = Scenario.from_toml(file, changes=changes)
    try:
        result = run_scenario(scenario, out, overwrite=overwrite, progress=not quiet, report=report, threads=threads)
    except Interrupted as stopped:
        raise Stopped(str(stopped)) from None
    if quiet:
        return
    from pantala.report import finding_of

    output = console()
    output.print(_slowdown(result) if isinstance(result, InterferenceRun) else _jobs(result))
    output.print(finding_of(result), highlight=False, markup=False, soft_wrap=not output.is_terminal)
    output.print(f"tables: {result.path}", highlight=False, markup=False, soft_wrap=True)
    if report:
        output.print(f"report: {result.path / 'report.html'}", highlight=False, markup=False, soft_wrap=True)


def _slowdown(result: InterferenceRun) -> Table:
    """Communication time of every job alone and together."""
    headings = ("job", "alone", "most", "together", "most", "slowdown")
    shown = table("Communication time over ranks", headings, _CAPTION)
    for row in result.slowdown.collect().iter_rows(named=True):
        slowdown = row["slowdown"]
        shown.add_row(
            row["name"],
            *_communication(row, "alone_"),
            *_communication(row, "together_"),
            "" if slowdown is None else f"{slowdown:.2f}",
        )
    return shown


def _jobs(result: Run) -> Table:
    """What a run without comparison tells of every job."""
    headings = ("job", "ended", "communication", "most", "latency", "p99", "MPI GB", "link GB")
    shown = table(
        "Jobs",
        headings,
        f"{_CAPTION}; latency is of packets; MPI GB: payload sent by ranks; link GB: bytes on injection links",
    )
    for row in result.jobs.collect().iter_rows(named=True):
        shown.add_row(
            row["name"],
            _time(row["end_ns"]),
            *_communication(row, ""),
            _time(row["packet_latency_mean_ns"]),
            _time(row["packet_latency_p99_ns"]),
            "" if row["mpi_bytes"] is None else f"{row['mpi_bytes'] / 1e9:.3g}",
            f"{row['injected_bytes'] / 1e9:.3g}",
        )
    return shown


def _communication(row: dict[str, float | None], prefix: str) -> tuple[str, str]:
    """Mean with deviation, and maximum; empty for a job without communication to time, as synthetic traffic."""
    mean, std, most = (row[f"{prefix}communication_time_{word}_ns"] for word in ("mean", "std", "max"))
    return ("", "") if not mean else (f"{_time(mean)} ± {_time(std)}", _time(most))


def _time(nanoseconds: float | None) -> str:
    from pantala.progress import time_text

    return "" if nanoseconds is None else time_text(nanoseconds, 3)
