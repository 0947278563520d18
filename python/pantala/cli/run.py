"""`pantala run`: runs a scenario, writes its tables and its report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pantala.cli import complete
from pantala.cli.arguments import (
    Coarsen,
    MachinePreset,
    NoPrograms,
    Ranks,
    RoutingName,
    ScenarioFile,
    Settings,
    SizeLimit,
    Skip,
    Threads,
    Variables,
)
from pantala.cli.tables import console, say_caveats, table
from pantala.text.plain_text import say

if TYPE_CHECKING:
    from rich.table import Table

    from pantala.experiments.experiment import Experiment
    from pantala.results.run import Run
    from pantala.scenario import Scenario

__all__ = ["HELP", "run"]

_CAPTION = "mean ± standard deviation over ranks, and the maximum"
_COMPARISON_CAPTION = (
    f"{_CAPTION}\nslowdown of communication time and of run time: together over alone"
)
_SKIPPING_CAPTION = (
    "\nskipped time counts at the rates of a sample, where ranks differ more than in a whole run:"
    "\ndeviation and maximum are larger than those of the run in full"
)
_TRAFFIC_CAPTION = (
    "mean packet latency; load as a share of terminal bandwidth\nslowdown of load: alone over"
    " together"
)

HELP = """Simulate a scenario, and write its tables and its report to a run directory.

With [b]interference = true[/b], each job runs alone first. Then all jobs run together on the same
nodes. [b]"pairs"[/b] also runs each pair of jobs, and [b]"leave_one_out"[/b] all jobs but one.

Ctrl-C or SIGTERM (the signal of a batch system at its time limit) stops the run. The tables
written so far are kept, and the run is marked incomplete. An interference experiment continues
with its missing runs when you give the same command again, even after [b]kill -9[/b].
"""


def run(
    file: ScenarioFile,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="The run directory. Default: runs/NAME, with the name of the scenario.",
            autocompletion=complete.files,
        ),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Replace an existing run in DIR; other files in it stay."),
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Seed that replaces the scenario's seed."),
    ] = None,
    settings: Settings = None,
    routing: RoutingName = None,
    preset: MachinePreset = None,
    variables: Variables = None,
    ranks: Ranks = None,
    coarsen: Coarsen = None,
    skip: Skip = None,
    threads: Threads = "1",
    report: Annotated[
        bool,
        typer.Option(
            "--report/--no-report",
            help="Write report.html, or leave it to [b]pantala report DIR[/b].",
        ),
    ] = True,
    size_limit: SizeLimit = None,
    no_programs: NoPrograms = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Check the scenario and print the time and memory that it needs, by a probe of"
            " half a second; keep nothing.",
        ),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only warnings and errors.")
    ] = False,
) -> None:
    """Runs a scenario file."""
    from pantala.api.run import run as run_scenario
    from pantala.cli.interruption import InterruptedCommand
    from pantala.cli.option_values import detail_changes, parse_settings, parse_threads
    from pantala.cli.scenario_file import read_scenario
    from pantala.errors import Interrupted
    from pantala.experiments.experiment import Experiment

    changes = parse_settings(settings)
    if seed is not None:
        changes["seed"] = seed
    changes |= detail_changes(coarsen, skip)
    scenario = read_scenario(file, changes, routing, preset, variables, ranks)
    if dry_run:
        _print_cost(scenario, out, size_limit)
        return
    try:
        result = run_scenario(
            scenario,
            out,
            overwrite=overwrite,
            progress=not quiet,
            report=report,
            threads=parse_threads(threads),
            size_limit=size_limit,
        )
    except Interrupted as stopped:
        raise InterruptedCommand(str(stopped)) from None
    if quiet:
        return
    from pantala.report.finding import finding_of
    from pantala.runs.progress import shown_steps
    from pantala.text.plain_console import PlainConsole

    output = console()
    say_caveats(result.caveats)
    for shown in _comparison(result) if isinstance(result, Experiment) else [_jobs(result)]:
        output.print(shown)
    if isinstance(result, Experiment):
        for shown in _effects(result):
            output.print(shown)
    with shown_steps("findings", PlainConsole(stderr=True)):
        text = finding_of(result)
    output.print(text, highlight=False, markup=False, soft_wrap=not output.is_terminal)
    if not isinstance(result, Experiment):
        _print_programs(result)
    output.print(f"tables: {result.path}", highlight=False, markup=False, soft_wrap=True)
    if report:
        output.print(
            f"report: {result.path / 'report.html'}", highlight=False, markup=False, soft_wrap=True
        )


def _print_cost(scenario: Scenario, out: Path | None, size_limit: str | None) -> None:
    """Prints what a scenario will cost."""
    from pantala.api.run import expected
    from pantala.planning.cost import cost_words
    from pantala.text.amounts import PLAIN, counted

    number, cost = expected(scenario, out, size_limit)
    disk = PLAIN.size(cost.disk_bytes)
    say(f"{scenario.name}: {counted(number, 'run')}, {cost_words(cost)}; {disk} on disk")


#: Lines of programs' logs that a run prints; the file has all.
_MOST_LINES = 60


def _print_programs(result: Run) -> None:
    """Prints the start of what programs have logged and printed."""
    lines = result.program_log_text.splitlines()
    for line in lines[:_MOST_LINES]:
        say(line)
    if len(lines) > _MOST_LINES:
        say(f"... {len(lines) - _MOST_LINES:,} more lines in program_logs.txt")


def _comparison(result: Experiment) -> list[Table]:
    """Returns the tables of an experiment: jobs that end, then synthetic traffic."""
    from pantala.report.reported_run import ReportedRun
    from pantala.run_tables.skipped_time import skipped_spans

    reported = ReportedRun.of(result)
    skipping = any(map(skipped_spans, reported.parts.values()))
    rows = [] if reported.slowdown is None else reported.slowdown.to_dicts()
    traffic = [row for row in rows if row["compared"] == "duration"]
    jobs = [row for row in rows if row["compared"] != "duration"]
    beside = reported.beside
    return [
        *([_slowdown(jobs, beside, skipping)] if jobs else []),
        *([_traffic(traffic)] if traffic else []),
    ]


def _effects(result: Experiment) -> list[Table]:
    """Returns matrices of victims and aggressors, if the scenario asks for them."""
    if not result.methods:
        return []
    import polars as pl

    from pantala.analysis.attribution import effects_of
    from pantala.cli.matrices import matrices

    effects = effects_of(result.slowdowns()).filter(
        pl.col("method").is_in(result.methods), pl.col("effect").is_not_null()
    )
    if effects.is_empty():
        return []
    text = [f"{effect:.2f}" for effect in effects["effect"]]
    return matrices(effects.with_columns(shown=pl.Series(text, dtype=pl.String)), "shown")


def _slowdown(rows: list[dict[str, Any]], beside: Mapping[str, str], skipping: bool) -> Table:
    """Returns a table of each job's communication time alone and together, and its slowdowns."""
    from pantala.report.finding import iterations_compared

    partly = any(iterations_compared(row) for row in rows)
    headings = [
        "job",
        "alone",
        "maximum",
        "together",
        "maximum",
        "slowdown",
        "run time",
        *["iterations"] * partly,
        *["with others"] * bool(beside),
    ]
    caption = _COMPARISON_CAPTION
    if beside:
        caption += "\nwith others: the part of the job's run in which another job ran"
    if skipping:
        caption += _SKIPPING_CAPTION
    shown = table("Communication time over ranks", headings, caption)
    for row in rows:
        shown.add_row(
            row["name"],
            *_communication(row, "alone_"),
            *_communication(row, "together_"),
            _ratio(row["slowdown"]),
            _ratio(row["run_time_slowdown"]),
            *[iterations_compared(row) or "all"] * partly,
            *[beside.get(row["name"], "all")] * bool(beside),
        )
    return shown


def _traffic(rows: list[dict[str, Any]]) -> Table:
    """Returns a table of latency and throughput of synthetic traffic, alone and together."""
    headings = [
        "job",
        "alone",
        "together",
        "slowdown",
        "load alone",
        "load together",
        "slowdown of load",
    ]
    shown = table(
        "Packet latency and accepted throughput of synthetic traffic", headings, _TRAFFIC_CAPTION
    )
    for row in rows:
        shown.add_row(
            row["name"],
            *(_time(row[f"{part}_packet_latency_mean_ns"]) for part in ("alone", "together")),
            _ratio(row["packet_latency_slowdown"]),
            *(_number(row[f"{part}_accepted_throughput"]) for part in ("alone", "together")),
            _ratio(row["accepted_throughput_slowdown"]),
        )
    return shown


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _jobs(result: Run) -> Table:
    """Returns a table of the jobs of a run without comparison."""
    from pantala.run_tables.skipped_time import skipped_spans

    headings = ("job", "end", "communication", "maximum", "latency", "p99", "MPI GB", "link GB")
    shown = table(
        "Jobs",
        headings,
        f"communication: {_CAPTION}\nlatency, p99: of packets; MPI GB: payload that ranks sent;"
        f" link GB: bytes on injection links{_SKIPPING_CAPTION if skipped_spans(result) else ''}",
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
    """Returns mean with deviation, and maximum; empty for a job without communication."""
    mean, std, most = (
        row[f"{prefix}communication_time_{word}_ns"] for word in ("mean", "std", "max")
    )
    return ("", "") if not mean else (f"{_time(mean)} ± {_time(std)}", _time(most))


def _time(nanoseconds: float | None) -> str:
    from pantala.text.amounts import PLAIN

    return "" if nanoseconds is None else PLAIN.duration(nanoseconds)
