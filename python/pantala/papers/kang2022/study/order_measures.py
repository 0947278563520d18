"""The measures of the claims about the order of jobs: by rate, and by peak ingress volume.

LULESH beside Halo3D stops under some routings (docs/studies/kang2022.md), so its runs there may
never be complete. The measures leave out what is not known of this pair, and need all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from scipy import stats

from pantala import papers
from pantala.papers.kang2022.study.cells import ROUTINGS, Measures, Q, increase, increases
from pantala.papers.kang2022.study.pairs import TARGETS, backgrounds
from pantala.studies.evidence import Evidence

#: The targets of the paper's claim on rates (V.A), and the pair whose runs can stop.
_BY_RATE = ("fft3d", "lu", "lulesh")
_STOPS = ("lulesh", "halo3d")


@cache
def table_1(key: str) -> dict[str, float]:
    """Returns a column of the paper's Table I by application."""
    rows = papers.table("kang2022").rows(1)
    return {row.application.lower(): row.paper[key] for row in rows}


def spearman(x: Sequence[float] | np.ndarray, y: np.ndarray) -> np.ndarray:
    """Returns the rank correlation of x with each column of y; NaN for a column with NaN."""
    there = np.isfinite(y).all(axis=0)
    found = [
        stats.spearmanr(x, column).statistic if ok else np.nan
        for ok, column in zip(there, y.T, strict=True)
    ]
    return np.array(found)


def rate_and_slowdown(e: Evidence) -> Measures:
    """Returns the least correlation of backgrounds' rates with increases, and Q's advantage.

    LULESH counts under the routings where its run beside Halo3D is there: a minimum over fewer
    cases can only be larger. The mean increases are over all pairs but this one.
    """
    rates, least, every = table_1("injection_gb_per_s"), [], []
    for target in _BY_RATE:
        among = backgrounds(target)
        rows = increases(e, target, among)
        found = np.array(
            [spearman([rates[b] for b in among], rows[:, r]) for r in range(len(ROUTINGS))]
        )
        least.append((np.fmin.reduce if target == _STOPS[0] else np.min)(found, axis=0))
        every += [row for b, row in zip(among, rows, strict=True) if (target, b) != _STOPS]
    mean = np.mean(every, axis=0)
    others = np.minimum(*least[:2])
    return {
        "least_correlation": np.where(np.isfinite(others), np.fmin(others, least[2]), np.nan),
        "less_under_q": mean[:Q].mean(axis=0) - mean[Q],
    }


def ingress_and_slowdown(e: Evidence) -> Measures:
    """Returns the correlation of targets' peak ingress with their increases beside Halo3D.

    It is of the targets without LULESH for a seed that lacks a run of LULESH beside Halo3D.
    """
    peaks = table_1("peak_ingress_bytes")
    volumes = np.array([peaks[each] for each in TARGETS])
    rows = np.array([increase(e, each, "halo3d").mean(axis=0) for each in TARGETS])
    own = np.array([each != _STOPS[0] for each in TARGETS])
    six, five = spearman(volumes, rows), spearman(volumes[own], rows[own])
    whole = np.isfinite(six)
    return {
        "correlation": np.where(whole, six, five),
        "targets": np.where(np.isfinite(five), 5.0 + whole, np.nan),
    }
