"""The measures of the claims: arrays over seeds. Here are those of times.

The file counter_measures.py has those of stalls, flits and latencies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from pantala.papers.chunduri2021.study.counter_measures import COUNTER_MEASURES
from pantala.papers.chunduri2021.study.platform import APPLICATIONS, MODES, PRODUCTION
from pantala.papers.chunduri2021.study.samples import (
    calls,
    job_times,
    mean_by_seed,
    saving,
    without_outliers,
)
from pantala.studies.evidence import Evidence

Measures = Mapping[str, np.ndarray]
Measure = Callable[[Evidence], Measures]

#: The experiment with an application in ensembles and in production.
_ENSEMBLE = {"milc": "tiles", "hacc": "tiles", "rayleigh": "rayleigh"}
_KIND = ["application", "mode"]


def ensemble(e: Evidence, application: str, **where: object) -> pl.DataFrame:
    """Returns the samples of the ensembles of an application on 256 nodes."""
    rows = job_times(
        e, _ENSEMBLE.get(application, "ensembles"), {"application": application, **where}
    )
    return without_outliers(rows, _KIND)


def produced(e: Evidence, application: str, **where: object) -> pl.DataFrame:
    """Returns the samples of an application on 256 nodes in production."""
    experiment = "production_milc" if application == "milc" else "production"
    return without_outliers(job_times(e, experiment, {"application": application, **where}), _KIND)


def saved(e: Evidence, rows: pl.DataFrame, value: str = "run_ns") -> np.ndarray:
    """Returns what AD3 saves of AD0's mean over samples, by seed."""
    return saving(*(mean_by_seed(e, of_mode(rows, mode), value) for mode in ("AD0", "AD3")))


def of_mode(rows: pl.DataFrame, mode: str) -> pl.DataFrame:
    """Returns the samples under a mode."""
    return rows if rows.is_empty() else rows.filter(pl.col("mode") == mode)


def improvement(application: str) -> Measure:
    """Returns the measure of a row of Table II."""

    def measure(e: Evidence) -> Measures:
        rows = produced(e, application)
        return {"saving": saved(e, rows), "mpi_saving": saved(e, rows, "mpi_ns")}

    return measure


def cori_samples(e: Evidence) -> pl.DataFrame:
    """Returns the samples of MILC on 256 nodes of Cori."""
    return without_outliers(job_times(e, "cori", {"application": "milc-256"}), _KIND)


def cori(e: Evidence) -> Measures:
    """Returns what AD3 saves of the run time of MILC on 256 nodes of Cori."""
    rows = cori_samples(e)
    return {"saving": saved(e, rows), "mpi_saving": saved(e, rows, "mpi_ns")}


def shares_of_mpi(e: Evidence) -> Measures:
    """Returns the share of MPI in the run time of each application alone, under AD0."""
    found = {}
    where = {"mode": "AD0", "placement": "dispersed"}
    for kind in APPLICATIONS:
        rows = job_times(e, "isolated", {"application": kind, **where})
        found[kind] = mean_by_seed(e, rows, pl.col("mpi_ns") / pl.col("run_ns"))
    spent = calls(e, "isolated", {"application": "milc", **where})
    third = np.full(len(e.seeds), np.nan)
    if not spent.is_empty():
        for place, seed in enumerate(e.seeds):
            own = spent.filter(pl.col("seed") == seed).sort("time_ns", descending=True)
            if own.height > 2:
                third[place] = float(own["call"][2] == "isend")
    return {**found, "milc_isend_is_third": third}


def strong_scaling(e: Evidence) -> Measures:
    """Returns by how much MILC's time in MPI falls from 128 to 256, and from 256 to 512 nodes."""
    times = []
    for nodes in (128, 256, 512):
        name = "milc" if nodes == 256 else f"milc-{nodes}"
        experiment = "production_milc" if nodes == 256 else "production_sizes"
        rows = job_times(e, experiment, {"application": name, "mode": "AD0"})
        times.append(mean_by_seed(e, without_outliers(rows, _KIND), "mpi_ns"))
    return {"less_at_256": saving(*times[:2]), "less_at_512": saving(*times[1:])}


def kernels(e: Evidence) -> Measures:
    """Returns what AD3 saves of the time of each kernel."""
    found = {}
    for kernel in ("latency", "bisection", "injection"):
        rows = job_times(e, "kernels", {"application": kernel})
        found[f"{kernel}_saving"] = saved(e, without_outliers(rows, _KIND))
    return found


def varies(e: Evidence) -> Measures:
    """Returns how MILC's run time varies at each number of groups, and whether they explain it.

    Returns:
        ``least_deviation``: the distance from the mean over seeds of the same number of groups,
        as a share of the mean, for the number of groups where it is smallest. ``correlation`` of
        run time and groups.
    """
    rows = produced(e, "milc", mode="AD0")
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
        rows = without_outliers(job_times(e, experiment, {"application": name}), _KIND)
        if not rows.is_empty():
            for (_,), own in rows.group_by("placement", maintain_order=True):
                found.append(saved(e, own))
    return {"share_of_spans": _share(found, len(e.seeds))}


def in_calls(e: Evidence) -> Measures:
    """Returns what AD3 saves of MILC's time in its three calls, together and each."""
    rows = calls(e, "production_milc", {"application": "milc"})
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


def same_sign(e: Evidence) -> Measures:
    """Returns the share of applications that prefer the same mode compact and dispersed."""
    found = []
    for kind in APPLICATIONS:
        compact, dispersed = (
            saved(e, ensemble(e, kind, placement=each)) for each in ("compact", "dispersed")
        )
        found.append(compact * dispersed)
    return {"share_of_applications": _share(found, len(e.seeds))}


def hacc_by_bias(e: Evidence) -> Measures:
    """Returns how HACC's run time rises with the bias, in ensembles."""
    times = {
        mode: mean_by_seed(e, of_mode(ensemble(e, "hacc"), mode), "run_ns")
        for mode in ("AD0", "AD2", "AD3")
    }
    return {
        "ad2_over_ad0": times["AD2"] / times["AD0"] - 1,
        "ad3_over_ad2": times["AD3"] / times["AD2"] - 1,
        "ad3_over_ad0": times["AD3"] / times["AD0"] - 1,
    }


def scores(e: Evidence) -> pl.DataFrame:
    """Returns the z-scores of all jobs of all ensembles, by application (Fig. 9).

    An application without runs under one of the modes is left out: the scores of the others would
    say how they differ from each other only.
    """
    of_all = [ensemble(e, kind) for kind in APPLICATIONS]
    frames = [each for each in of_all if not each.is_empty() and {*MODES} <= {*each["mode"]}]
    if not frames:
        return pl.DataFrame()
    run = pl.col("run_ns")
    return pl.concat(frames).with_columns(
        score=(run - run.mean().over("application")) / run.std().over("application")
    )


def best_of_modes(e: Evidence) -> Measures:
    """Returns how far AD3's mean and range of z-scores lie below those of the next best mode."""
    rows = scores(e)
    mean, width = {}, {}
    for mode in MODES:
        own = of_mode(rows, mode)
        mean[mode] = mean_by_seed(e, own, "score")
        widths = own
        if not own.is_empty():
            widths = own.group_by("seed", "application").agg(
                score=pl.col("score").max() - pl.col("score").min()
            )
        width[mode] = mean_by_seed(e, widths, "score")
    others = ("AD0", "AD1", "AD2")
    return {
        "mean_below_next": np.min([mean[each] for each in others], axis=0) - mean["AD3"],
        "range_below_next": np.min([width[each] for each in others], axis=0) - width["AD3"],
        "mean_below_ad0": mean["AD0"] - mean["AD3"],
    }


def second_of_modes(e: Evidence) -> Measures:
    """Returns how far AD2's mean z-score lies above AD3's and below AD0's."""
    rows = scores(e)
    mean = {each: mean_by_seed(e, of_mode(rows, each), "score") for each in ("AD0", "AD2", "AD3")}
    return {"ad2_over_ad3": mean["AD2"] - mean["AD3"], "ad0_over_ad2": mean["AD0"] - mean["AD2"]}


def full_and_empty(e: Evidence) -> Measures:
    """Returns what AD3 saves MILC on 512 nodes on a full and on an empty machine."""
    full = without_outliers(job_times(e, "large", {"application": "milc"}), _KIND)
    empty = without_outliers(job_times(e, "isolated", {"application": "milc-512"}), _KIND)
    return {"ensemble_saving": saved(e, full), "isolated_saving": saved(e, empty)}


def _share(found: list[np.ndarray], seeds: int) -> np.ndarray:
    """Returns the share of rows that are above zero, by seed; NaN where one is unknown."""
    if not found:
        return np.full(seeds, np.nan)
    rows = np.array(found)
    share: np.ndarray = (rows > 0).mean(axis=0)
    return np.where(np.isfinite(rows).all(axis=0), share, np.nan)


MEASURES: Mapping[str, Measure] = {
    **COUNTER_MEASURES,
    "CHUN-2-03": kernels,
    "CHUN-2-05": same_sign,
    "CHUN-3-03": shares_of_mpi,
    "CHUN-4A-01": improvement("milc"),
    "CHUN-4A-03": varies,
    "CHUN-4A-04": at_each_span,
    "CHUN-4A-07": cori,
    "CHUN-4A-08": in_calls,
    "CHUN-4A-11": strong_scaling,
    "CHUN-T2-01": improvement("milc"),
    "CHUN-T2-02": cori,
    "CHUN-T2-03": improvement("milcreorder"),
    "CHUN-T2-04": improvement("nek5000"),
    "CHUN-T2-05": improvement("hacc"),
    "CHUN-4B-08": improves_but_hacc,
    "CHUN-4B-09": best,
    "CHUN-5-01": best_of_modes,
    "CHUN-5-02": second_of_modes,
    "CHUN-5A-04": full_and_empty,
    "CHUN-5B-01": hacc_by_bias,
}
