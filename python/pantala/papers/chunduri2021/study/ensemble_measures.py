"""The measures of ensembles, and of what differs between a full and an empty machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl

from pantala.papers.chunduri2021.study.platform import APPLICATIONS, MODES
from pantala.papers.chunduri2021.study.samples import (
    PLACEMENTS,
    job_times,
    mean_by_seed,
    of_mode,
    of_placements,
    saved,
    share_above_zero,
    under_all,
    under_both,
    without_outliers,
)
from pantala.studies.evidence import Evidence

Measures = Mapping[str, np.ndarray]
Measure = Callable[[Evidence], Measures]

#: The experiment with an application in ensembles.
_ENSEMBLE = {"milc": "tiles", "hacc": "tiles", "rayleigh": "rayleigh"}


def ensemble(e: Evidence, application: str, **where: object) -> pl.DataFrame:
    """Returns the samples of the ensembles of an application on 256 nodes."""
    rows = job_times(
        e, _ENSEMBLE.get(application, "ensembles"), {"application": application, **where}
    )
    return without_outliers(rows, ["application", "mode"])


def same_sign(e: Evidence) -> Measures:
    """Returns the share of applications that prefer the same mode compact and dispersed."""
    found = []
    for kind in APPLICATIONS:
        compact, dispersed = (saved(e, ensemble(e, kind, placement=each)) for each in PLACEMENTS)
        found.append(compact * dispersed)
    return {"share_of_applications": share_above_zero(found, len(e.seeds))}


def hacc_by_bias(e: Evidence) -> Measures:
    """Returns how HACC's run time rises with the bias, in ensembles."""
    modes = ("AD0", "AD2", "AD3")
    rows = under_all(ensemble(e, "hacc"), modes)
    times = {mode: mean_by_seed(e, of_mode(rows, mode), "run_ns") for mode in modes}
    return {
        "ad2_over_ad0": times["AD2"] / times["AD0"],
        "ad3_over_ad2": times["AD3"] / times["AD2"],
        "ad3_increase": times["AD3"] / times["AD0"] - 1,
    }


def scores(e: Evidence) -> pl.DataFrame:
    """Returns the z-scores of all jobs of all ensembles, by application (Fig. 9).

    A placement of an application without runs under one of the modes is left out: the scores of
    the others would say how they differ from each other only.
    """
    of_all = [under_all(ensemble(e, kind), MODES) for kind in APPLICATIONS]
    frames = [each for each in of_all if not each.is_empty()]
    if not frames:
        return pl.DataFrame()
    run = pl.col("run_ns")
    return pl.concat(frames).with_columns(
        score=(run - run.mean().over("application")) / run.std().over("application")
    )


def best_of_modes(e: Evidence) -> Measures:
    """Returns how far AD3's mean and range of z-scores lie below those of the next best mode.

    ``applications`` is the number of applications with scores.
    """
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
        "applications": _applications(e, rows),
    }


def _applications(e: Evidence, rows: pl.DataFrame) -> np.ndarray:
    if not rows.is_empty():
        rows = rows.group_by("seed").agg(pl.col("application").n_unique())
    return mean_by_seed(e, rows, "application")


def second_of_modes(e: Evidence) -> Measures:
    """Returns how far AD2's mean z-score lies above AD3's and below AD0's."""
    rows = scores(e)
    mean = {each: mean_by_seed(e, of_mode(rows, each), "score") for each in ("AD0", "AD2", "AD3")}
    return {
        "ad2_over_ad3": mean["AD2"] - mean["AD3"],
        "ad0_over_ad2": mean["AD0"] - mean["AD2"],
        "applications": _applications(e, rows),
    }


def third_of_modes(e: Evidence) -> Measures:
    """Returns how far AD1's mean z-score lies below AD0's."""
    rows = scores(e)
    mean = {each: mean_by_seed(e, of_mode(rows, each), "score") for each in ("AD0", "AD1")}
    return {"ad0_over_ad1": mean["AD0"] - mean["AD1"], "applications": _applications(e, rows)}


def full_and_empty(e: Evidence) -> Measures:
    """Returns what AD3 saves MILC on 512 nodes on a full machine, and its times over AD0's alone.

    Returns:
        ``ensemble_saving``; ``isolated_ad3_over_ad0`` of the means over both placements, and the
        same for each placement.
    """
    alone = under_all(job_times(e, "isolated", {"application": "milc-512"}))

    def ratio(placements: Sequence[str]) -> np.ndarray:
        first, third = (
            of_placements(e, of_mode(alone, mode), placements, "run_ns") for mode in ("AD0", "AD3")
        )
        found: np.ndarray = third / first
        return found

    return {
        "ensemble_saving": saved(e, under_both(e, "large", "milc")),
        "isolated_ad3_over_ad0": ratio(PLACEMENTS),
        **{f"isolated_{each}": ratio([each]) for each in PLACEMENTS},
    }


ENSEMBLE_MEASURES: Mapping[str, Measure] = {
    "CHUN-2-05": same_sign,
    "CHUN-5-01": best_of_modes,
    "CHUN-5-02": second_of_modes,
    "CHUN-5-03": third_of_modes,
    "CHUN-5A-04": full_and_empty,
    "CHUN-5B-01": hacc_by_bias,
}
