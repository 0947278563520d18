"""Steady state: where a warm-up ends, and how sure the mean behind it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["BATCHES", "Estimate", "estimate", "warm_up"]

#: Numbers of batches, and the 99.5 % quantile of Student's t with one degree of freedom less:
#: two-sided, 99 %.
BATCHES = {20: 2.8609, 10: 3.2498}

_SMOOTHED = 5

#: The halves of a straight line differ by 1.6 times the half width; those of a steady series by
#: more than this many times it in three cases of a hundred (their difference has twice the standard
#: error of the mean).
_DRIFT = 1.3


@dataclass(frozen=True)
class Estimate:
    """The mean of a series behind its warm-up.

    Attributes:
        mean: of what is behind the warm-up.
        half_width: of the 99 % confidence interval of the mean.
        warm_up: which share of the observations is left out at the beginning.
        steady: whether what is left has no drift: the means of its two halves differ by no more
            than chance explains.
    """

    mean: float
    half_width: float
    warm_up: float
    steady: bool

    @property
    def relative(self) -> float:
        """The half width as a share of the mean; infinite for a mean of zero."""
        return self.half_width / self.mean if self.mean > 0 else float("inf")


def warm_up(series: Sequence[float] | np.ndarray) -> int:
    """Where the warm-up of a series ends, by MSER-5 (White, Simulation 69(6), 1997; five: White et
    al., WSC 2000).

    The observations are averaged by fives; the warm-up is so long that what is left has the
    smallest standard error of its mean. It is looked for in the first half of the series: in a
    steady series the error hardly depends on the cut, and its least value may stand anywhere.

    Returns:
        The number of observations to leave out, a multiple of five.
    """
    averages = _means(np.asarray(series, dtype=float), len(series) // _SMOOTHED)
    most = max(1, len(averages) // 2)
    errors = [
        float(((left := averages[cut:]) - left.mean()).var()) / len(left) for cut in range(most)
    ]
    return _SMOOTHED * int(np.argmin(errors))


def estimate(series: Sequence[float] | np.ndarray) -> Estimate:
    """The steady mean of a series of at least 60 observations at equal intervals, by the method of
    batch means.

    What is behind the warm-up is cut into 20 batches of equal length, whose means count as
    independent. Batches that are too short for that give too small an interval; so it is also
    worked out with 10 batches, and the wider of the two counts.
    """
    values = np.asarray(series, dtype=float)
    cut = warm_up(series)
    left = values[cut:]
    half_width = float(
        max(t * _means(left, batches).std(ddof=1) / batches**0.5 for batches, t in BATCHES.items())
    )
    early, late = _means(left, 2)
    return Estimate(
        float(left.mean()),
        half_width,
        cut / len(values),
        bool(abs(late - early) <= _DRIFT * half_width),
    )


def _means(values: np.ndarray, parts: int) -> np.ndarray:
    """The means of so many parts of equal length; what is over is left out at the beginning."""
    length = len(values) // parts
    means: np.ndarray = values[len(values) - parts * length :].reshape(parts, length).mean(axis=1)
    return means
