"""The steady throughput of all jobs of an experiment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from pantala.analysis.steady_throughput import throughputs_of
from pantala.caveats import Caveat
from pantala.errors import UsageError
from pantala.text.amounts import counted

if TYPE_CHECKING:
    from pantala.experiments.stored_experiment import StoredExperiment

__all__ = ["imprecise_runs", "throughputs_over"]

_TABLE = "job_windows"


def throughputs_over(experiment: StoredExperiment) -> pl.DataFrame:
    """Returns the throughputs of each job of each run that is there; see `throughputs_of`.

    Without the table jobs, jobs that end by themselves have no values.

    Raises:
        UsageError: the experiment does not keep the table job_windows.
    """
    experiment.table(_TABLE)  # raises if it is not kept
    ends = _ends(experiment)
    done = experiment.runs.filter(pl.col("state") == "done")
    found = []
    for windows in experiment.batches(_TABLE, done["run"].unique()):
        for (run,), rows in windows.group_by("run", maintain_order=True):
            document = experiment.run(str(run)).document
            mine = None if ends is None else ends.get(str(run), {})
            one = throughputs_of(document["plan"], rows, document["simulated_ns"], mine)
            found.append(one.with_columns(run=pl.lit(str(run))))
    table = pl.concat(found) if found else _none()
    cases = experiment.cases.filter(pl.col("run").is_not_null())
    return cases.join(table, on="run", how="inner", maintain_order="left").drop("run")


def imprecise_runs(experiment: StoredExperiment, precision: float) -> Iterator[Caveat]:
    """Yields a caveat if runs ended before the throughput of every job was known.

    Args:
        experiment: an experiment whose runs go on until they are precise.
        precision: half the width of the confidence interval that was asked for, over the mean.
    """
    found = throughputs_over(experiment)
    known = (pl.col("relative") <= precision) & pl.col("steady")
    runs = found.group_by("case", "part").agg(known.fill_null(value=False).all().alias("known"))
    short = runs.height - int(runs["known"].sum())
    if short:
        share = f"{100 * precision:g} %"
        text = (
            f"{short:,} of {counted(runs.height, 'run')} ended at the longest time or the most"
            f" packets, before their throughput was known to {share}."
        )
        yield Caveat("imprecise", text, f"{short:,} of {runs.height:,} runs imprecise")


def _ends(experiment: StoredExperiment) -> dict[str, dict[int, float]] | None:
    """Returns the ends in ns of the jobs that have ended, by run and number of the job.

    None if the experiment does not keep the table jobs.
    """
    try:
        rows = experiment.table("jobs").select("run", "job", "end_ns").drop_nulls()
    except UsageError:
        return None
    ends: dict[str, dict[int, float]] = {}
    for run, job, end in rows.collect().iter_rows():
        ends.setdefault(run, {})[job] = end
    return ends


def _none() -> pl.DataFrame:
    return throughputs_of(
        {"record": {"window_ps": 1}, "jobs": []}, pl.DataFrame(), 0.0
    ).with_columns(run=pl.lit(""))
