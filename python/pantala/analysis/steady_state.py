"""Steady state: the end of a warm-up, and the confidence interval of the mean after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["BATCHES", "Estimate", "estimate", "warm_up"]

#: Numbers of batches, and the 99.5 % quantile of Student's t with one degree of freedom less
#: (two-sided, 99 %).
BATCHES = {20: 2.8609, 10: 3.2498}

_SMOOTHED = 5

#: The means of both halves of a straight line differ by 1.6 times the half width. In a steady
#: series they differ by more than this factor in three cases of a hundred: their difference has
#: twice the standard error of the mean.
_DRIFT = 1.3


@dataclass(frozen=True)
class Estimate:
    """The mean of a series after its warm-up.

    Attributes:
        mean: the mean after the warm-up.
        half_width: the half width of the 99 % confidence interval of the mean.
        warm_up: the share of observations that is left out at the beginning.
        steady: whether the rest has no drift: the means of its two halves differ by no more than
            chance explains.
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
    """Returns the number of observations in the warm-up, a multiple of five, by MSER-5.

    Source: White, Simulation 69(6), 1997; averages of five: White et al., WSC 2000. The
    observations are averaged by fives. The cut is where the rest has the smallest standard error of
    its mean. Only the first half of the series is searched: in a steady series the error hardly
    depends on the cut, and its minimum may be anywhere.
    """
    averages = _means(np.asarray(series, dtype=float), len(series) // _SMOOTHED)
    most = max(1, len(averages) // 2)
    errors = [
        float(((left := averages[cut:]) - left.mean()).var()) / len(left) for cut in range(most)
    ]
    return _SMOOTHED * int(np.argmin(errors))


def estimate(series: Sequence[float] | np.ndarray) -> Estimate:
    """Returns the steady mean of a series of at least 60 observations, by batch means.

    The observations have equal intervals. The series after the warm-up is cut into 20 batches of
    equal length, whose means count as independent. Batches that are too short give too narrow an
    interval. So the interval is also computed with 10 batches, and the wider one counts.
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
    """Returns the means of parts of equal length; the first observations may be left out."""
    length = len(values) // parts
    means: np.ndarray = values[len(values) - parts * length :].reshape(parts, length).mean(axis=1)
    return means
