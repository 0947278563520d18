"""What `pantala sweep` prints: its runs before they are made, medians, and what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pantala.cli.tables import console, say_line, table
from pantala.text.amounts import counted
from pantala.text.plain_text import say

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from pantala.analysis.statistics import Precision
    from pantala.experiments.estimate import Estimate
    from pantala.experiments.experiment import Experiment
    from pantala.experiments.runner import Sweep

__all__ = [
    "median_tables",
    "print_effects",
    "print_failed",
    "print_list",
    "print_refused",
    "reached_precision",
    "throughput_tables",
    "wanted_precision",
]

#: Rows of medians and of failed runs that the command prints.
_MOST_ROWS = 40
_MOST_FAILED = 10
#: Refused cases that the list shows before a sweep; --dry-run shows all.
_MOST_REFUSED = 10
#: Values of an axis that the list shows.
_MOST_VALUES = 8


def print_list(made: Sweep, cost: Estimate, workers: int | None, *, every: bool) -> None:
    """Prints the axes, the runs, those already there, and the cost of the others.

    Args:
        made: the runs.
        cost: the cost of those that are missing.
        workers: the number of local processes; None if another executor simulates.
        every: whether to print every refused case.
    """
    from pantala.analysis.statistics import batches
    from pantala.planning.cost import time_words
    from pantala.text.amounts import PLAIN

    description, listing = made.description, made.listing
    sizes = [len(each.points) for each in description.axes]
    cases = len(listing.expansion)
    crossed = f"{' x '.join(map(str, sizes))} = " if len(sizes) > 1 else ""
    say_line(
        f"{description.name}: {crossed}{counted(cases, 'case')}, {counted(listing.count, 'run')}"
    )
    for each in description.axes:
        for column in each.columns:
            values = [str(point.shown[column]) for point in each.points]
            more = f", ... ({len(values)} values)" if len(values) > _MOST_VALUES else ""
            say_line(f"  {column}: {', '.join(values[:_MOST_VALUES])}{more}")
    print_refused(made, every=every)
    if description.precision is not None:
        first, second, *_ = (*batches(description.seeds), 0)
        more = f", then up to {description.seeds}" if second else ""
        say_line(f"  {first} seeds{more}, until {wanted_precision(description.precision)}")
    if description.until_precise is not None:
        share = f"{100 * description.until_precise.precision:.3g} %"
        longest = PLAIN.duration(description.until_precise.longest_ps / 1000)
        say_line(f"  each run until its throughput is known to {share}, at most {longest}")
    if listing.changed:
        say_line(
            f"changed since it began: {listing.changed}; runs that it no longer needs are kept"
        )
    asked, known = made.asked.count, set(made.asked.runs)
    if asked < listing.count:
        say_line(f"asked for: {asked:,} of {counted(listing.count, 'run')}")
    there = asked - cost.runs
    if there:
        again = set(made.to_simulate)  # failed runs among them with --retry
        failures = sum(entry["run"] in known - again for entry in made.failed)
        failed = f", {counted(failures, 'failed run')} among them" if failures else ""
        retry = "; --retry repeats them" if failures else ""
        say_line(f"there already: {there:,} of {counted(asked, 'run')}{failed}{retry}")
    if cost.runs:
        at_once = 1 if workers is None else min(workers, cost.runs)
        time = time_words(cost.seconds / at_once, at_least=cost.at_least)
        memory = PLAIN.size(cost.memory_bytes * at_once)
        say_line(
            f"to simulate: {counted(cost.runs, 'run')}; {time} "
            + (
                f"of simulation, {memory} of memory for each"
                if workers is None
                else f"with {counted(at_once, 'worker')}, {memory} of memory"
            )
            + f", {PLAIN.size(cost.disk_bytes)} on disk ({cost.basis})"
        )


def print_refused(made: Sweep, *, every: bool) -> None:
    """Prints the cases that are not simulated, with the reason of each."""
    from pantala.experiments.cases_file import REFUSED, over_seeds

    refused = made.listing.refused
    if refused.is_empty():
        return
    cases = counted(len(made.listing.expansion), "case")
    say_line(f"refused: {refused.height:,} of {cases}, not simulated:")
    rows = over_seeds(refused)
    shown = rows if every else rows.head(_MOST_REFUSED)
    for row in shown.iter_rows(named=True):
        several = str(row.get("seed")).endswith("seeds")
        place = ", ".join(
            row[axis] if axis == "seed" and several else f"{axis}={row[axis]}"
            for axis in made.description.columns
        )
        say_line(f"  {place}: {row[REFUSED]}")
    if more := rows.height - shown.height:
        say_line(f"  ... {more:,} more; pantala status {made.root} lists all")


def wanted_precision(precision: Precision) -> str:
    """Returns the precision that a sweep adds seeds for, in words."""
    return f"the interval of every {precision.of} is within {100 * precision.relative:.3g} %"


def reached_precision(made: Sweep, precision: Precision, most: int) -> str:
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
    failed = len(made.failed)
    without = f"; {counted(failed, 'failed run')} left out" if failed else ""
    return (
        f"{seeds}: {'' if reached else 'not reached that '}{wanted_precision(precision)};"
        f" the widest is {100 * made.widest['relative']:.3g} % ({where}{cut}){without}"
    )


def median_tables(experiment: Experiment) -> list[Table]:
    """Returns a table of the median communication time and latency per case and job.

    Jobs without communication time, which are patterns, have no column of it.
    """
    from pantala.text.amounts import PLAIN

    shown = {
        "communication_time_mean_ns": "communication",
        "packet_latency_mean_ns": "latency",
        "packet_latency_p99_ns": "p99",
    }
    every = {value: experiment.medians(value) for value in shown}
    first = next(iter(every.values()))
    timed = any(first["communication_time_mean_ns"])
    if not timed:
        del shown["communication_time_mean_ns"]
    medians = [every[value] for value in shown]
    keys = first.columns[:-2]
    seeds = max(int(frame["runs"].to_numpy().max(initial=0)) for frame in medians)
    title = f"Medians over {counted(seeds, 'seed')}" if "seed" in experiment.axes else "Runs"
    communication = "communication: time in MPI calls, mean over ranks; " if timed else ""
    caption = f"{communication}latency, p99: of packets"
    cut = _cut_off(experiment, first.select(keys))
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
            *("" if not value else PLAIN.duration(value) + mark for value in values),
        )
    return [drawn] if first.height else []


def throughput_tables(experiment: Experiment) -> list[Table]:
    """Returns a table of the steady throughput of each job in each run.

    There is none unless the runs go on until their throughput is known.
    """
    from pantala.text.amounts import PLAIN, significant

    if not experiment.document.get("until_precise"):
        return []
    found = experiment.throughputs()
    if found.is_empty():
        return []
    keys = [*experiment.axes, "part", "name"]
    caption = (
        "accepted: share of the bandwidth of the job's terminals after the warm-up, with half of"
        " its 99 % interval; steady: without a drift"
    )
    drawn = table("Throughputs", [*keys, "accepted", "steady", "simulated"], caption)
    for row in found.head(_MOST_ROWS).iter_rows(named=True):
        accepted = ""
        if row["accepted"] is not None:
            half = row["half_width"]
            accepted = f"{row['accepted']:.4f} \N{PLUS-MINUS SIGN} {significant(half, 2)}"
        steady = {True: "yes", False: "no", None: ""}[row["steady"]]
        drawn.add_row(
            *(str(row[key]) for key in keys), accepted, steady, PLAIN.duration(row["simulated_ns"])
        )
    if (more := found.height - _MOST_ROWS) > 0:
        drawn.caption = f"... {more:,} more rows; Experiment.throughputs has all\n{caption}"
    return [drawn]


def _cut_off(experiment: Experiment, shown: pl.DataFrame) -> dict[tuple[object, ...], str]:
    """Returns the marks of rows of the medians: jobs that did not end, and jobs without an end."""
    keys = shown.columns
    rows = experiment.table("jobs").join(experiment.open_ended, on=["run", "name"])
    rows = rows.join(shown.lazy(), on=keys, how="semi", nulls_equal=True)
    cut: dict[tuple[object, ...], str] = {}
    for cut_off, *row in rows.select("cut_off", *keys).unique().collect().iter_rows():
        mark = "*" if cut_off else "~"
        cut[tuple(row)] = min(mark, cut.get(tuple(row), mark))
    return cut


def print_effects(experiment: Experiment) -> None:
    """Prints matrices of victims and aggressors with intervals, if the runs allow them.

    Without methods of effects, it prints a sentence about each target.
    """
    import polars as pl

    from pantala.analysis.attribution import effect_in_words, ratios_text
    from pantala.cli.matrices import matrices

    if not experiment.methods:
        _print_slowdowns(experiment)
        return
    effects = experiment.effects().filter(pl.col("method").is_in(experiment.methods))
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
        say_line(f"{case}: {effect_in_words(row)}" if case else effect_in_words(row))
    _say_more(timed.height, "effects")


def _print_slowdowns(experiment: Experiment) -> None:
    """Prints the slowdown of each target beside all other jobs, with its interval over seeds."""
    import polars as pl

    from pantala.analysis.attribution import slowdown_in_words
    from pantala.catalogue.job_sets import TOGETHER

    measures = ("slowdown", "run_time_slowdown")
    found = experiment.mean_slowdowns().filter(
        pl.col("job_set") == TOGETHER, pl.col("measure").is_in(measures), pl.col("runs") > 1
    )
    others = [axis for axis in experiment.axes if axis != "seed"]
    for row in found.head(_MOST_ROWS).to_dicts():
        case = ", ".join(f"{axis}={row[axis]}" for axis in others)
        say_line(f"{case}: {slowdown_in_words(row)}" if case else slowdown_in_words(row))
    _say_more(found.height, "mean_slowdowns")


def _say_more(sentences: int, method: str) -> None:
    """Says how many sentences are left out."""
    if sentences > _MOST_ROWS:
        left = counted(sentences - _MOST_ROWS, "more sentence")
        say_line(f"... {left}; {method}() of the experiment in Python has all")


def print_failed(experiment: Experiment) -> None:
    """Prints the failed runs with their reasons to standard error."""
    import sys

    import polars as pl

    from pantala.errors import shortened

    failed = experiment.runs.filter(pl.col("state") == "failed")
    say(f"{counted(failed['run'].n_unique(), 'run')} failed:", file=sys.stderr)
    for row in failed.head(_MOST_FAILED).iter_rows(named=True):
        case = ", ".join(f"{axis}={row[axis]}" for axis in experiment.axes)
        say(f"  {case or 'the run'} ({row['part']}): {shortened(row['reason'])}", file=sys.stderr)
    if failed.height > _MOST_FAILED:
        say(f"  ... pantala status {experiment.path} lists all", file=sys.stderr)
