"""The samples of the measures: jobs with their times, link classes and tiles with their counters.

A sample is a job of an ensemble, or the target of a run in production. Measures are arrays over
seeds: means over the samples of a seed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import polars as pl

from pantala.papers.chunduri2021.study.platform import WARM_UP
from pantala.run_tables.exact_sums import exact_sum
from pantala.studies.evidence import Evidence
from pantala.text.units import Duration
from pantala.workloads.hacc import Hacc

__all__ = [
    "FLIT_NS",
    "PLACEMENTS",
    "STEADY_NS",
    "calls",
    "classes",
    "job_times",
    "links_of_targets",
    "mean_by_seed",
    "of_mode",
    "of_placements",
    "saved",
    "saving",
    "share_above_zero",
    "tiles",
    "under_all",
    "under_both",
    "without_outliers",
]

_AXES = ("application", "mode", "placement")
#: The placements of jobs alone and in ensembles.
PLACEMENTS = ("compact", "dispersed")
#: The axes of experiments that lack some of `_AXES`.
_OTHERS: Mapping[str, tuple[str, ...]] = {
    "kernels": ("application", "mode"),
    "default_theta": ("mode",),
    "default_cori": ("mode",),
}
#: The time of a flit of 16 B by link class.
FLIT_NS = {
    "row": 16 / 5.25,
    "column": 16 / 5.25,
    "global": 16 / 4.69,
    "injection": 16 / 10.5,
    "ejection": 16 / 10.5,
}
#: What HACC computes before its messages, which the targets of production leave out.
_HACC_NS = (Hacc().compute.total(1.0) - 1_000_000) / 1000
#: The start of steady traffic. Most jobs of a background start at zero on an empty machine.
STEADY_NS = int(Duration.parse(WARM_UP)) / 1000
#: Standard deviations from which a sample is left out (III.A).
_SIGMA = 3.0


def axes(experiment: str) -> tuple[str, ...]:
    """Returns the axes of an experiment besides seeds."""
    return _OTHERS.get(experiment, _AXES)


def job_times(e: Evidence, experiment: str, where: Mapping[str, object]) -> pl.DataFrame:
    """Returns run time and time in MPI of the jobs that an experiment is about, in ns.

    Returns:
        seed, the axes, ``name``, ``job``, ``run_ns``, ``mpi_ns``; no columns without runs. Jobs
        that did not end are left out.
    """
    columns = (*axes(experiment), "name", "job", "complete", "start_ns", "end_ns")
    value = "communication_time_mean_ns"
    rows = e.chosen(experiment, "jobs", [*columns, value], where)
    if rows.is_empty():
        return pl.DataFrame()
    produced = ~pl.col("name").str.starts_with("background") & pl.col("complete")
    found = rows.filter(produced, pl.col("seed").is_in(e.seeds)).with_columns(
        run_ns=pl.col("end_ns") - pl.col("start_ns"), mpi_ns=pl.col(value)
    )
    if experiment.startswith("production"):
        late = pl.col("application") == "hacc"
        found = found.with_columns(
            run_ns=pl.col("run_ns") + pl.when(late).then(_HACC_NS).otherwise(0.0)
        )
    return found.drop("complete", "start_ns", "end_ns", value)


def without_outliers(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Returns samples without those beyond three standard deviations of their kind (III.A)."""
    if rows.is_empty():
        return rows
    run = pl.col("run_ns")
    distance = (run - run.mean().over(by)).abs()
    return rows.filter(distance <= _SIGMA * run.std().over(by).fill_null(0.0) + 1e-9)


def under_all(rows: pl.DataFrame, modes: Collection[str] = ("AD0", "AD3")) -> pl.DataFrame:
    """Returns the samples of the placements that have runs under each of some modes.

    A mean over placements would compare placements, too, if a mode lacked one of them. For the same
    reason a seed does not count that lacks placements which another seed has.
    """
    if rows.is_empty():
        return rows
    keys = [name for name in ("seed", "application", "placement") if name in rows.columns]
    own = rows.filter(pl.col("mode").is_in(modes))
    there = own.group_by(keys).agg(found=pl.col("mode").n_unique())
    there = there.filter(pl.col("found") == len(modes))
    alike = [name for name in keys if name == "application"]
    there = there.with_columns(cells=pl.len().over("seed", *alike))
    most = pl.col("cells").max().over(alike) if alike else pl.col("cells").max()
    there = there.filter(pl.col("cells") == most)
    return rows.join(there, keys, how="semi")


def mean_by_seed(e: Evidence, rows: pl.DataFrame, value: str | pl.Expr) -> np.ndarray:
    """Returns the mean of a value over the samples of each seed; NaN for a seed without any."""
    if rows.is_empty():
        return np.full(len(e.seeds), np.nan)
    expression = pl.col(value) if isinstance(value, str) else value
    means = dict(rows.group_by("seed").agg(expression.mean().alias("value")).iter_rows())
    return np.array([_number(means.get(seed)) for seed in e.seeds])


def saving(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Returns what the second saves of the first; NaN where there is nothing to save."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: np.ndarray = 1 - np.asarray(second) / np.asarray(first)
    return np.where(np.asarray(first) > 0, found, np.nan)


def under_both(e: Evidence, experiment: str, application: str) -> pl.DataFrame:
    """Returns the samples of the placements that have runs under AD0 and under AD3."""
    return without_outliers(
        under_all(job_times(e, experiment, {"application": application})), ["application", "mode"]
    )


def of_mode(rows: pl.DataFrame, mode: str) -> pl.DataFrame:
    """Returns the samples under a mode."""
    return rows if rows.is_empty() else rows.filter(pl.col("mode") == mode)


def saved(e: Evidence, rows: pl.DataFrame, value: str = "run_ns") -> np.ndarray:
    """Returns what AD3 saves of AD0's mean over samples, by seed."""
    return saving(*(mean_by_seed(e, of_mode(rows, mode), value) for mode in ("AD0", "AD3")))


def of_placements(
    e: Evidence, rows: pl.DataFrame, placements: Sequence[str], value: str | pl.Expr
) -> np.ndarray:
    """Returns the mean of a value over placements, by seed; NaN for a seed that lacks one."""
    means = [
        mean_by_seed(
            e, rows if rows.is_empty() else rows.filter(pl.col("placement") == each), value
        )
        for each in placements
    ]
    found: np.ndarray = np.mean(means, axis=0)
    return found


def share_above_zero(found: list[np.ndarray], seeds: int) -> np.ndarray:
    """Returns the share of rows that are above zero, by seed; NaN where one is unknown."""
    if not found:
        return np.full(seeds, np.nan)
    rows = np.array(found)
    share: np.ndarray = (rows > 0).mean(axis=0)
    return np.where(np.isfinite(rows).all(axis=0), share, np.nan)


def calls(e: Evidence, experiment: str, where: Mapping[str, object]) -> pl.DataFrame:
    """Returns the time of each call of the jobs of an experiment, in ns over all ranks."""
    own = axes(experiment)
    rows = e.chosen(experiment, "calls", [*own, "job", "call", "time_ns"], where)
    jobs = job_times(e, experiment, where)
    if rows.is_empty() or jobs.is_empty():
        return pl.DataFrame()
    return rows.join(jobs.select("seed", *own, "job", "run_ns", "mpi_ns"), ["seed", *own, "job"])


def classes(
    e: Evidence, experiment: str, where: Mapping[str, object], since_ns: float = 0.0
) -> pl.DataFrame:
    """Returns flits and stalled flits of each link class of each run.

    Args:
        e: the evidence.
        experiment: the experiment.
        where: values of axes.
        since_ns: the time from which windows count.

    Returns:
        seed, the axes, ``class``, ``flits``, ``stalls``, ``bytes``.
    """
    own = axes(experiment)
    columns = [*own, "window_start_ns", "class", "flits", "stall_ns", "bytes"]
    rows = e.chosen(experiment, "system_windows", columns, where)
    if rows.is_empty():
        return pl.DataFrame()
    counted = pl.col("seed").is_in(e.seeds) & (pl.col("window_start_ns") >= since_ns)
    sums = rows.filter(counted).group_by("seed", *own, "class", maintain_order=True)
    return sums.agg(pl.col("flits", "bytes").sum(), exact_sum("stall_ns")).with_columns(
        stalls=pl.col("stall_ns") / pl.col("class").replace_strict(FLIT_NS)
    )


def tiles(e: Evidence, experiment: str, where: Mapping[str, object]) -> pl.DataFrame:
    """Returns flits and stalled flits of each link: of each tile of a router.

    Returns:
        seed, the axes, ``link``, ``class``, ``router``, ``flits``, ``stalls``.
    """
    own = axes(experiment)
    ends = ["link", "class", "source_router", "target_router", "busy_ns", "stall_ns"]
    rows = e.chosen(experiment, "links", [*own, *ends], where)
    if rows.is_empty():
        return pl.DataFrame()
    flit = pl.col("class").replace_strict(FLIT_NS)
    return rows.filter(pl.col("seed").is_in(e.seeds)).select(
        "seed",
        *own,
        "link",
        "class",
        router=pl.col("source_router").fill_null(pl.col("target_router")),
        flits=pl.col("busy_ns") / flit,
        stalls=pl.col("stall_ns") / flit,
    )


def links_of_targets(
    e: Evidence, experiment: str, where: Mapping[str, object], groups: int = 0
) -> pl.DataFrame:
    """Returns the rows of `tiles` on the routers that serve the jobs of each run (III.B).

    Args:
        e: the evidence.
        experiment: the experiment.
        where: values of axes.
        groups: the number of groups of the jobs; 0 takes all jobs.
    """
    own = axes(experiment)
    every = tiles(e, experiment, where)
    places = ["job", "router", *(["group"] if groups else [])]
    ranks = e.chosen(experiment, "ranks", [*own, *places], where)
    jobs = job_times(e, experiment, where)
    if every.is_empty() or ranks.is_empty() or jobs.is_empty():
        return pl.DataFrame()
    keys = ["seed", *own]
    served = ranks.join(jobs.select(*keys, "job"), [*keys, "job"], how="semi")
    if groups:
        served = served.filter(pl.col("group").n_unique().over(*keys, "job") == groups)
    return every.join(served.select(*keys, "router").unique(), [*keys, "router"], how="semi")


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)
