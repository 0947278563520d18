"""The measures of the claims: arrays over seeds. Here are those of times in production and alone.

The file ensemble_measures.py has those of ensembles, and counter_measures.py those of stalls, flits
and latencies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from pantala.papers.chunduri2021.study.counter_measures import COUNTER_MEASURES
from pantala.papers.chunduri2021.study.ensemble_measures import ENSEMBLE_MEASURES
from pantala.papers.chunduri2021.study.platform import APPLICATIONS, PRODUCTION
from pantala.papers.chunduri2021.study.samples import (
    PLACEMENTS,
    calls,
    job_times,
    mean_by_seed,
    of_mode,
    of_placements,
    saved,
    saving,
    share_above_zero,
    under_all,
    under_both,
    without_outliers,
)
from pantala.papers.chunduri2021.table import TABLE
from pantala.run_tables.exact_sums import exact_sum
from pantala.studies.evidence import Evidence

Measures = Mapping[str, np.ndarray]
Measure = Callable[[Evidence], Measures]

_KIND = ["application", "mode"]
#: The spans that MILC has in production on each number of nodes.
_SPANS = ("2 groups", "12 groups")


def produced(e: Evidence, application: str) -> pl.DataFrame:
    """Returns the samples of an application on 256 nodes in production under both modes."""
    experiment = "production_milc" if application == "milc" else "production"
    return under_both(e, experiment, application)


def improvement(application: str, experiment: str = "") -> Measure:
    """Returns the measure of what AD3 saves an application in production, as a row of Table II.

    Args:
        application: the application.
        experiment: its experiment; without it, that of 256 nodes of Theta.
    """

    def measure(e: Evidence) -> Measures:
        rows = under_both(e, experiment, application) if experiment else produced(e, application)
        return {"saving": saved(e, rows), "mpi_saving": saved(e, rows, "mpi_ns")}

    return measure


def cori_samples(e: Evidence) -> pl.DataFrame:
    """Returns the samples of MILC on 256 nodes of Cori."""
    return under_both(e, "cori", "milc-256")


def shares_of_mpi(e: Evidence) -> Measures:
    """Returns the share of MPI in the run time of each application alone, and its longest calls.

    Returns:
        For each application, under AD0: the mean share over the compact and the dispersed
        placement, and as ``milc_calls`` how many of the three calls of Table I have their place
        there, as a share of three, by time in both placements.
    """
    found = {}
    listed = {row.application.lower(): row.paper for row in TABLE.rows(1)}
    for kind in APPLICATIONS:
        where = {"application": kind, "mode": "AD0"}
        rows = job_times(e, "isolated", where)
        found[kind] = of_placements(e, rows, PLACEMENTS, pl.col("mpi_ns") / pl.col("run_ns"))
        names = [listed[kind][f"{place}_call"] for place in ("first", "second", "third")]
        right = np.full(len(e.seeds), np.nan)
        spent = calls(e, "isolated", where)
        for place, seed in enumerate(e.seeds):
            if not spent.is_empty():
                own = spent.filter(pl.col("seed") == seed)
                longest = own.group_by("call").agg(exact_sum("time_ns"))
                longest = longest.sort("time_ns", "call", descending=[True, False])
                if own["placement"].n_unique() == len(PLACEMENTS):
                    right[place] = np.mean(
                        [a == b for a, b in zip(names, longest["call"], strict=False)]
                    )
        found[f"{kind}_calls"] = right
    return found


def strong_scaling(e: Evidence) -> Measures:
    """Returns by how much MILC's time in MPI falls from 128 to 256, and from 256 to 512 nodes.

    Returns:
        ``less_at_256`` and ``less_at_512`` in production, over the numbers of groups that all
        sizes span; ``alone_less_at_256`` and ``alone_less_at_512`` on dispersed nodes of an empty
        machine.
    """
    times, alone = [], []
    for nodes in (128, 256, 512):
        name = "milc" if nodes == 256 else f"milc-{nodes}"
        experiment = "production_milc" if nodes == 256 else "production_sizes"
        rows = job_times(e, experiment, {"application": name, "mode": "AD0"})
        times.append(of_placements(e, without_outliers(rows, _KIND), _SPANS, "mpi_ns"))
        where = {"application": name, "mode": "AD0", "placement": "dispersed"}
        alone.append(mean_by_seed(e, job_times(e, "isolated", where), "mpi_ns"))
    return {
        "less_at_256": saving(*times[:2]),
        "less_at_512": saving(*times[1:]),
        "alone_less_at_256": saving(*alone[:2]),
        "alone_less_at_512": saving(*alone[1:]),
    }


def kernels(e: Evidence) -> Measures:
    """Returns what AD3 saves of the time of each kernel."""
    found = {}
    for kernel in ("latency", "bisection", "injection"):
        found[f"{kernel}_saving"] = saved(e, under_both(e, "kernels", kernel))
    return found


def varies(e: Evidence) -> Measures:
    """Returns how MILC's run time varies at each number of groups, and whether they explain it.

    Returns:
        ``least_deviation``: the distance from the mean over seeds of the same number of groups,
        as a share of the mean, for the number of groups where it is smallest. ``correlation`` of
        run time and groups.
    """
    rows = job_times(e, "production_milc", {"application": "milc", "mode": "AD0"})
    rows = without_outliers(rows, _KIND)
    least = np.full(len(e.seeds), np.nan)
    correlation = least.copy()
    if not rows.is_empty():
        rows = rows.with_columns(
            groups=pl.col("placement").str.extract(r"(\d+)").cast(pl.Float64),
            off=(pl.col("run_ns") / pl.col("run_ns").mean().over("placement") - 1).abs(),
            alike=pl.len().over("placement"),
        )
        for place, seed in enumerate(e.seeds):
            own = rows.filter(pl.col("seed") == seed)
            if own.height > 2:
                if own["alike"].to_numpy().min() > 1:  # one run has no deviation
                    least[place] = own["off"].to_numpy().min()
                times, groups = own["run_ns"].to_numpy(), own["groups"].to_numpy()
                correlation[place] = np.corrcoef(times, groups)[0, 1]
    return {"least_deviation": least, "correlation": correlation}


def at_each_span(e: Evidence) -> Measures:
    """Returns the share of sizes and numbers of groups at which MILC is faster under AD3."""
    found = []
    for experiment, name in (("production_milc", "milc"), ("production_sizes", "milc-128")):
        rows = under_both(e, experiment, name)
        if not rows.is_empty():
            for (_,), own in rows.group_by("placement", maintain_order=True):
                found.append(saved(e, own))
    return {"share_of_spans": share_above_zero(found, len(e.seeds))}


def in_calls(e: Evidence) -> Measures:
    """Returns what AD3 saves of MILC's time in its three calls, together and each."""
    rows = under_all(calls(e, "production_milc", {"application": "milc"}))
    names = ("allreduce", "wait", "isend")
    found = {}
    for name in names:
        own = rows if rows.is_empty() else rows.filter(pl.col("call") == name)
        found[name] = [mean_by_seed(e, of_mode(own, mode), "time_ns") for mode in ("AD0", "AD3")]
    sums = [np.sum([found[name][mode] for name in names], axis=0) for mode in (0, 1)]
    return {
        "sum_saving": saving(*sums),
        **{f"{name}_saving": saving(*found[name]) for name in names},
    }


def improves_but_hacc(e: Evidence) -> Measures:
    """Returns what AD3 saves of mean and standard deviation over placements, by application."""
    found = {}
    for kind in PRODUCTION:
        rows = produced(e, kind)
        found[f"{kind}_saving"] = saved(e, rows)
        deviations = []
        for mode in ("AD0", "AD3"):
            own = of_mode(rows, mode)
            if not own.is_empty():
                own = own.group_by("seed").agg(pl.col("run_ns").std())
            deviations.append(mean_by_seed(e, own, "run_ns"))
        found[f"{kind}_less_deviation"] = saving(*deviations)
    return found


def best(e: Evidence) -> Measures:
    """Returns the largest saving of run time and of time in MPI over applications."""
    runs = np.array([saved(e, produced(e, kind)) for kind in PRODUCTION])
    mpi = np.array([saved(e, produced(e, kind), "mpi_ns") for kind in PRODUCTION])
    return {"best_saving": runs.max(axis=0), "best_mpi_saving": mpi.max(axis=0)}


MEASURES: Mapping[str, Measure] = {
    **COUNTER_MEASURES,
    **ENSEMBLE_MEASURES,
    "CHUN-2-03": kernels,
    "CHUN-3-03": shares_of_mpi,
    "CHUN-4A-01": improvement("milc"),
    "CHUN-4A-03": varies,
    "CHUN-4A-04": at_each_span,
    "CHUN-4A-05": improvement("milc-512", "production_sizes"),
    "CHUN-4A-06": improvement("milc-512", "cori"),
    "CHUN-4A-07": improvement("milc-256", "cori"),
    "CHUN-4A-08": in_calls,
    "CHUN-4A-11": strong_scaling,
    "CHUN-T2-01": improvement("milc"),
    "CHUN-T2-02": improvement("milc-256", "cori"),
    "CHUN-T2-03": improvement("milcreorder"),
    "CHUN-T2-04": improvement("nek5000"),
    "CHUN-T2-05": improvement("hacc"),
    "CHUN-T2-06": improvement("qbox"),
    "CHUN-4B-08": improves_but_hacc,
    "CHUN-4B-09": best,
}
