"""`pantala sweep`: simulates a scenario over axes and seeds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pantala.cli import complete
from pantala.cli.arguments import Coarsen, Settings, SizeLimit, Threads, Workers
from pantala.cli.executors import (
    ExecutorName,
    Memory,
    Partition,
    RunsPerTask,
    Setup,
    SlurmOption,
    TimeLimit,
    Where,
)
from pantala.cli.tables import console, say_caveats, table
from pantala.text.plain_text import say

if TYPE_CHECKING:
    from rich.table import Table

    from pantala.analysis.statistics import Precision
    from pantala.experiments.dataset import Experiment
    from pantala.experiments.description import Description
    from pantala.experiments.estimate import Estimate
    from pantala.experiments.runner import Sweep

__all__ = ["HELP", "sweep"]

HELP = """Simulate a scenario over axes and seeds: many runs, one data set.

FILE is an experiment file, or a scenario with [b]--axis[/b] and [b]--seeds[/b]. Axes are crossed.
The list of runs comes first. Runs that DIR has already are not simulated again, so the same command
continues an interrupted sweep. Several processes can share DIR.

[b]pantala status DIR[/b] shows what is there. [b]pt.Experiment("DIR").table("jobs")[/b] reads all
runs as one table.
"""

#: Rows of medians and of failed runs that the command prints.
_MOST_ROWS = 40
_MOST_FAILED = 10
#: Refused cases that the list shows before a sweep; --dry-run shows all.
_MOST_REFUSED = 10
#: Values of an axis that the list shows.
_MOST_VALUES = 8


def sweep(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="An experiment file (TOML or Python), or a scenario.",
            show_default=False,
            autocompletion=complete.runnable,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="The directory of the experiment. Default: runs/NAME.",
            autocompletion=complete.files,
        ),
    ] = None,
    axis: Annotated[
        list[str] | None,
        typer.Option(
            "--axis",
            metavar="KEY=VALUE,...",
            help="An axis, e.g. routing.algorithm=ugal_g,par or jobs.*.placement=random,contiguous."
            " KEY=...;KEY=... zips keys. Repeatable.",
        ),
    ] = None,
    seeds: Annotated[
        str | None,
        typer.Option("--seeds", metavar="N", help="Number of seeds, or a list such as 1,2,5."),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            "--keep",
            metavar="TABLES",
            help="Tables to keep of every run. Default: jobs,ranks,links.",
        ),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(
            "--precision",
            metavar="SHARE",
            help="Add seeds until half the width of every 95 % interval is this share of its mean,"
            " e.g. 2%. --seeds is then the largest number.",
        ),
    ] = None,
    precision_of: Annotated[
        str | None,
        typer.Option(
            "--precision-of",
            metavar="COLUMN",
            help="Column of the table jobs that the precision is of. Default:"
            " communication_time_mean_ns.",
        ),
    ] = None,
    settings: Settings = None,
    coarsen: Coarsen = None,
    workers: Workers = None,
    threads: Threads = "1",
    executor: ExecutorName = "local",
    partition: Partition = None,
    time_limit: TimeLimit = None,
    runs_per_task: RunsPerTask = None,
    mem: Memory = None,
    setup: Setup = None,
    slurm_option: SlurmOption = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Simulate runs that failed before once more.")
    ] = False,
    skip_refused: Annotated[
        bool,
        typer.Option(
            "--skip-refused",
            help="List cases that cannot be run with the reason, and simulate the others. Default:"
            " such a case is an error.",
        ),
    ] = False,
    size_limit: SizeLimit = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="List the runs and their cost; simulate nothing. Programs in Python run.",
        ),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only warnings and errors.")
    ] = False,
) -> None:
    """Sweeps a scenario over axes."""
    from pantala.cli.interruption import InterruptedCommand
    from pantala.cli.option_values import check_workers_and_seed, parse_threads
    from pantala.core.extension import check_threads
    from pantala.experiments.dataset import Experiment
    from pantala.experiments.estimate import estimate, local_workers
    from pantala.experiments.runner import Sweep, precision_of_options
    from pantala.planning.record_size import parse_limit
    from pantala.runs.progress import SweepLine
    from pantala.text.plain_console import PlainConsole

    check_workers_and_seed(workers, 0)
    each = parse_threads(threads)
    check_threads(each)
    where = Where.read(executor, partition, time_limit, runs_per_task, slurm_option, mem, setup)
    wanted = precision_of_options(precision, precision_of)
    description = _description(file, axis, seeds, keep, settings, coarsen, wanted, skip_refused)
    target = Path("runs") / description.name if out is None else out
    made = Sweep(description, target, retry=retry, size_limit=parse_limit(size_limit))
    of_a_run = each if isinstance(each, int) else 1
    cost = estimate(made)
    at_once = workers or local_workers(cost, each)
    if quiet:
        made.warn_of_refused()
    else:
        _list(made, cost, at_once if where.name == "local" else None, every=dry_run)
    where.warn_of_limit(cost, of_a_run)
    if dry_run:
        for program in _programs():
            _say(program)
        if where.name == "slurm" and cost.runs:
            _say(where.preview(target, cost, of_a_run))
        return
    errors = PlainConsole(stderr=True)
    try:
        with (
            where.open(target, cost, at_once, of_a_run) as others,
            SweepLine(None if quiet else errors) as line,
        ):
            made.run(workers=at_once, threads=each, executor=others, on_progress=line.update)
    except KeyboardInterrupt:
        raise InterruptedCommand(
            f"interrupted; the finished runs are in {target}; to continue, give the same command"
            " again"
        ) from None
    experiment = Experiment(target, description.name)
    if not quiet:
        say_caveats(experiment.caveats)
        for shown in _medians(experiment):
            console().print(shown)
        _print_effects(experiment)
        if description.precision is not None:
            _say(_told(made, description.precision, description.seeds))
        _say(f"experiment: {target}")
    if made.failed:
        _print_failed(experiment)
        raise typer.Exit(1)


def _programs() -> Iterator[str]:
    """Yields a line per program in Python that the sweep has run for its plans."""
    from pantala.programs.outputs import runs

    for program, number in runs().items():
        yield f"ran the program {program}: {number} time{'' if number == 1 else 's'}"


def _description(
    file: Path,
    axis: list[str] | None,
    seeds: str | None,
    keep: str | None,
    settings: list[str] | None,
    coarsen: int | None,
    precision: Precision | None,
    skip_refused: bool,
) -> Description:
    from pantala.cli.option_values import parse_seeds, parse_settings
    from pantala.cli.scenario_file import read_scenario
    from pantala.experiments.axes import parse_axis
    from pantala.experiments.description import describe, read_experiment

    changes = parse_settings(settings)
    if coarsen is not None:
        changes["detail.coarsen"] = coarsen
    read = read_experiment(file)
    return describe(
        (lambda changes: read_scenario(file, changes)) if read is None else read,
        axes=[parse_axis(text) for text in axis or ()],
        seeds=None if seeds is None else parse_seeds(seeds),
        keep=None if keep is None else [word.strip() for word in keep.split(",") if word.strip()],
        changes=changes,
        precision=precision,
        skip_refused=skip_refused,
        source=str(file),
        folder=file.parent,
    )


def _list(made: Sweep, cost: Estimate, workers: int | None, *, every: bool) -> None:
    """Prints the axes, the runs, those already there, and the cost of the others.

    Args:
        made: the runs.
        cost: the cost of those that are missing.
        workers: the number of local processes; None if another executor simulates.
        every: whether to print every refused case.
    """
    from pantala.analysis.statistics import batches
    from pantala.text.amounts import bytes_text, clock

    description, listing = made.description, made.listing
    sizes = [len(each.points) for each in description.axes]
    cases = len(listing.expansion)
    crossed = f"{' x '.join(map(str, sizes))} = " if len(sizes) > 1 else ""
    _say(f"{description.name}: {crossed}{_count(cases, 'case')}, {_count(listing.count, 'run')}")
    for each in description.axes:
        for column in each.columns:
            values = [str(point.shown[column]) for point in each.points]
            more = f", ... ({len(values)} values)" if len(values) > _MOST_VALUES else ""
            _say(f"  {column}: {', '.join(values[:_MOST_VALUES])}{more}")
    _print_refused(made, every=every)
    if description.precision is not None:
        first, second, *_ = (*batches(description.seeds), 0)
        more = f", then up to {description.seeds}" if second else ""
        _say(f"  {first} seeds{more}, until {_wanted(description.precision)}")
    if listing.changed:
        _say(f"changed since it began: {listing.changed}; runs that it no longer needs are kept")
    there = listing.count - cost.runs
    if there:
        failed = f", {_count(len(made.failed), 'failed run')} among them" if made.failed else ""
        again = "; --retry repeats them" if made.failed else ""
        _say(f"there already: {there:,} of {_count(listing.count, 'run')}{failed}{again}")
    if cost.runs:
        basis = "by the finished runs" if cost.measured else "by their traffic"
        at_once = 1 if workers is None else min(workers, cost.runs)
        time = clock(cost.seconds / at_once)
        memory = bytes_text(cost.memory_bytes * at_once)
        _say(
            f"to simulate: {_count(cost.runs, 'run')}; about"
            + (
                f" {time} of simulation, {memory} of memory for each"
                if workers is None
                else f" {time} with {_count(workers, 'worker')}, {memory} of memory"
            )
            + f", {bytes_text(cost.disk_bytes)} on disk ({basis})"
        )


def _print_refused(made: Sweep, *, every: bool) -> None:
    from pantala.experiments.cases_file import REFUSED, over_seeds

    refused = made.listing.refused
    if refused.is_empty():
        return
    cases = _count(len(made.listing.expansion), "case")
    _say(f"refused: {refused.height:,} of {cases}, not simulated:")
    rows = over_seeds(refused)
    shown = rows if every else rows.head(_MOST_REFUSED)
    for row in shown.iter_rows(named=True):
        several = str(row.get("seed")).endswith("seeds")
        place = ", ".join(
            row[axis] if axis == "seed" and several else f"{axis}={row[axis]}"
            for axis in made.description.columns
        )
        _say(f"  {place}: {row[REFUSED]}")
    if more := rows.height - shown.height:
        _say(f"  ... {more:,} more; pantala status {made.root} lists all")


def _wanted(precision: Precision) -> str:
    return f"the interval of every {precision.of} is within {100 * precision.relative:.3g} %"


def _told(made: Sweep, precision: Precision, most: int) -> str:
    """Returns a line that says at how many seeds the sweep stopped, and why."""
    seeds = f"{made.description.seeds} of {most} seeds"
    if made.widest is None:
        return f"{seeds}: no run has ended"
    if made.widest["runs"] == 1 and made.widest["repeated"]:
        return (
            f"{seeds}: all gave equal results, so there is no interval and more seeds add nothing"
        )
    keys = [*made.description.columns, "part", "name"]
    where = ", ".join(str(made.widest[key]) for key in keys if key in made.widest)
    reached = made.widest["relative"] <= precision.relative
    cut = ", of jobs of which some did not end" if made.widest["cut_off"] else ""
    return (
        f"{seeds}: {'' if reached else 'not reached that '}{_wanted(precision)}; the widest is"
        f" {100 * made.widest['relative']:.3g} % ({where}{cut})"
    )


def _medians(experiment: Experiment) -> list[Table]:
    """Returns a table of the median communication time and latency per case and job."""
    from pantala.text.amounts import time_text

    shown = {
        "communication_time_mean_ns": "communication",
        "packet_latency_mean_ns": "latency",
        "packet_latency_p99_ns": "p99",
    }
    medians = [experiment.medians(value) for value in shown]
    first = medians[0]
    keys = first.columns[:-2]
    seeds = max(int(frame["runs"].to_numpy().max(initial=0)) for frame in medians)
    title = f"Medians over {_count(seeds, 'seed')}" if "seed" in experiment.axes else "Runs"
    caption = "communication: time in MPI calls, mean over ranks; latency, p99: of packets"
    cut = _cut_off(experiment, keys)
    if any("*" in mark for mark in cut.values()):
        caption += "\n*: of a job that did not end in some run, which lowers its time"
    if any("~" in mark for mark in cut.values()):
        caption += "\n~: of a job that lasts as long as its run, which its time grows with"
    drawn = table(title, [*keys, *shown.values()], caption)
    for number, row in enumerate(first.select(keys).iter_rows()):
        if number == _MOST_ROWS:
            more = f"... {first.height - number:,} more rows; pantala report lists all"
            drawn.caption = f"{more}\n{drawn.caption}"
            break
        values = [frame[value][number] for frame, value in zip(medians, shown, strict=True)]
        mark = cut.get(row, "")
        drawn.add_row(
            *("" if key is None else str(key) for key in row),
            *("" if not value else time_text(value, 3) + mark for value in values),
        )
    return [drawn] if first.height else []


def _cut_off(experiment: Experiment, keys: list[str]) -> dict[tuple[object, ...], str]:
    """Returns the marks of rows of the medians: jobs that did not end, and jobs without an end."""
    import polars as pl

    without = ~pl.col("complete") & pl.col("communication_time_mean_ns").is_not_null()
    rows = experiment.table("jobs").filter(without).select("run", *keys).unique().collect()
    cut: dict[tuple[object, ...], str] = {}
    for run, *row in rows.iter_rows():
        name = row[keys.index("name")]
        mark = "*" if name in experiment.facts[run].unfinished else "~"
        cut[tuple(row)] = min(mark, cut.get(tuple(row), mark))
    return cut


def _print_effects(experiment: Experiment) -> None:
    """Prints matrices of victims and aggressors with intervals, if the runs allow them."""
    import polars as pl

    from pantala.analysis.attribution import METHODS, effect_in_words, ratios_text
    from pantala.cli.matrices import matrices
    from pantala.scenario.interference import mode_of

    asked = experiment.document["scenario"].get("interference")
    axis = "interference"
    values = [asked, *(experiment.cases[axis] if axis in experiment.axes else ())]
    modes = METHODS.keys() & {mode_of(value) for value in values}
    if not modes:
        return
    effects = experiment.effects().filter(pl.col("method").is_in(modes))
    several = bool((effects["runs"] > 1).any())
    text = []
    for row in effects.to_dicts():
        interval = ratios_text(row["low"], row["high"], "-") if row["runs"] > 1 else "1 seed"
        text.append(f"{row['mean']:.2f}" + f" ({interval})" * several)
    shown = effects.with_columns(shown=pl.Series(text, dtype=pl.String))
    for matrix in matrices(shown, "shown"):
        console().print(matrix)
    timed = effects.filter(pl.col("measure") == "slowdown", pl.col("runs") > 1)
    others = [axis for axis in experiment.axes if axis != "seed"]
    for row in timed.head(_MOST_ROWS).to_dicts():
        case = ", ".join(f"{axis}={row[axis]}" for axis in others)
        _say(f"{case}: {effect_in_words(row)}" if case else effect_in_words(row))


def _print_failed(experiment: Experiment) -> None:
    import sys

    import polars as pl

    from pantala.errors import shortened

    failed = experiment.runs.filter(pl.col("state") == "failed")
    say(f"{_count(failed['run'].n_unique(), 'run')} failed:", file=sys.stderr)
    for row in failed.head(_MOST_FAILED).iter_rows(named=True):
        case = ", ".join(f"{axis}={row[axis]}" for axis in experiment.axes)
        say(f"  {case or 'the run'} ({row['part']}): {shortened(row['reason'])}", file=sys.stderr)
    if failed.height > _MOST_FAILED:
        say(f"  ... pantala status {experiment.path} lists all", file=sys.stderr)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _say(text: str) -> None:
    console().print(text, highlight=False, markup=False, soft_wrap=True)
