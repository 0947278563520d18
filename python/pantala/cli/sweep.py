"""`pantala sweep`: simulates a scenario over axes and seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pantala.cli import complete
from pantala.cli.arguments import Coarsen, NoPrograms, Settings, SizeLimit, Skip, Threads, Workers
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
from pantala.cli.sweep_tables import (
    median_tables,
    print_effects,
    print_failed,
    print_list,
    reached_precision,
    throughput_tables,
)
from pantala.cli.tables import console, say_caveats, say_line
from pantala.text.amounts import counted

if TYPE_CHECKING:
    from pantala.analysis.statistics import Precision
    from pantala.experiments.description import Description

__all__ = ["HELP", "sweep"]

HELP = """Simulate a scenario over axes and seeds: many runs, one data set.

FILE is an experiment file, or a scenario with [b]--axis[/b] and [b]--seeds[/b]. Axes are crossed.
The list of runs comes first. Runs that DIR has already are not simulated again, so the same command
continues an interrupted sweep. Several processes can share DIR.

[b]pantala status DIR[/b] shows what is there. [b]pt.Experiment("DIR").table("jobs")[/b] reads all
runs as one table.
"""


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
    skip: Skip = None,
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
    no_programs: NoPrograms = False,
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
    from pantala.cli.option_values import check_workers_and_seed, detail_changes, parse_threads
    from pantala.core.extension import check_threads
    from pantala.experiments.drawn_jobs import drawn_in_words
    from pantala.experiments.estimate import estimate, local_workers, probes_before
    from pantala.experiments.experiment import Experiment
    from pantala.experiments.runner import Sweep, precision_of_options
    from pantala.planning.record_size import parse_limit
    from pantala.runs.progress import SweepLine
    from pantala.text.plain_console import PlainConsole

    check_workers_and_seed(workers, 0)
    each = parse_threads(threads)
    check_threads(each)
    where = Where.read(executor, partition, time_limit, runs_per_task, slurm_option, mem, setup)
    wanted = precision_of_options(precision, precision_of)
    detail = detail_changes(coarsen, skip)
    description = _description(file, axis, seeds, keep, settings, detail, wanted, skip_refused)
    target = Path("runs") / description.name if out is None else out
    made = Sweep(description, target, retry=retry, size_limit=parse_limit(size_limit))
    of_a_run = each if isinstance(each, int) else 1
    probes = probes_before(len(made.missing))
    cost = estimate(made) if dry_run else estimate(made, 0 if quiet else probes)
    at_once = workers or local_workers(cost, each)
    if quiet:
        made.warn_of_refused()
    else:
        print_list(made, cost, at_once if where.name == "local" else None, every=dry_run)
    where.warn_of_limit(cost, of_a_run)
    if dry_run:
        for program in _programs():
            say_line(program)
        if where.name == "slurm" and cost.runs:
            say_line(where.preview(target, cost, of_a_run))
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
        for shown in (*median_tables(experiment), *throughput_tables(experiment)):
            console().print(shown)
        if drawn := drawn_in_words(experiment.drawn):
            say_line(drawn)
        print_effects(experiment)
        if description.precision is not None:
            say_line(reached_precision(made, description.precision, description.seeds))
        say_line(f"experiment: {_place(target, description.name)}")
    if made.failed:
        print_failed(experiment)
        raise typer.Exit(1)


def _place(target: Path, name: str) -> str:
    """Returns how a command names an experiment; a directory can hold a run besides."""
    from pantala.files.run_directory import EXPERIMENTS, INTERFERENCE_FILE

    if not (target / INTERFERENCE_FILE).is_file():
        return str(target)
    return f"{target / EXPERIMENTS / name} ({target} alone is the run of pantala run in it)"


def _programs() -> Iterator[str]:
    """Yields a line per program in Python that the sweep has run for its plans."""
    from pantala.programs.outputs import runs

    for program, number in runs().items():
        yield f"ran the program {program}: {counted(number, 'time')}"


def _description(
    file: Path,
    axis: list[str] | None,
    seeds: str | None,
    keep: str | None,
    settings: list[str] | None,
    detail: Mapping[str, Any],
    precision: Precision | None,
    skip_refused: bool,
) -> Description:
    from pantala.cli.option_values import parse_seeds, parse_settings
    from pantala.cli.scenario_file import read_scenario
    from pantala.errors import UsageError
    from pantala.experiments.axes import parse_axis
    from pantala.experiments.description import describe, read_experiment

    changes = {**parse_settings(settings), **detail}
    read = read_experiment(file)
    if read is None and file.suffix == ".ncptl":
        raise UsageError(
            f"{file}: is a coNCePTuaL program, whose ranks a scenario sets; sweep a scenario with a"
            f' job that has ranks and workload = {{ kind = "ncptl", file = "{file}" }}'
        )
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
