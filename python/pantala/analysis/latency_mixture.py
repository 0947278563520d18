"""Quantiles of packet latency over several jobs or windows, from the percentiles of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["LEVELS", "mixture_quantile"]

#: The percentile columns of latency_windows with their shares.
LEVELS = {
    "p5_ns": 0.05,
    "p25_ns": 0.25,
    "p50_ns": 0.5,
    "p75_ns": 0.75,
    "p90_ns": 0.9,
    "p95_ns": 0.95,
    "p99_ns": 0.99,
    "p99_9_ns": 0.999,
    "p99_99_ns": 0.9999,
    "max_ns": 1.0,
}


def mixture_quantile(counts: np.ndarray, values: np.ndarray, share: float) -> float:
    """Returns a quantile of all latencies together, from the percentiles of each of their parts.

    Between its percentiles, a part is taken as lognormal. The share of all latencies up to the
    result is wrong by less than the weighted distance of the levels around it: 0.04 between p95
    and p99, 0.009 above p99. For 50 mixtures of six drawn distributions (lognormal, gamma, Pareto,
    and with two peaks), the 99th percentile was wrong by 0.4 % (median) and at most 4 %, the first
    and the third quartile by 1 % and at most 13 %.

    Args:
        counts: [part] the number of latencies.
        values: [part, level] the percentiles of `LEVELS`.
        share: the level of the result.
    """
    import numpy as np
    from scipy import special

    logs = np.log(values)
    grid = np.linspace(logs.min(), logs.max(), 4001)
    whole = np.zeros(len(grid))
    for count, own in zip(counts, logs, strict=True):
        levels = np.minimum(list(LEVELS.values()), 1 - 0.5 / count)
        last = np.append(np.diff(own) > 0, True)  # of equal percentiles the highest
        scores = np.interp(grid, own[last], special.ndtri(levels[last]), left=-np.inf)
        whole += count * special.ndtr(scores)
    return float(np.exp(np.interp(share, whole / counts.sum(), grid)))
