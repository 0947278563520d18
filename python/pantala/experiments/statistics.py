"""Statistics over seeds: intervals of means, and paired differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pantala.errors import UsageError

__all__ = ["Interval", "Method", "mean_interval", "paired_difference"]

Method = Literal["student", "bootstrap"]

#: Resamples of the bootstrap, and their seed: equal values give equal intervals.
_RESAMPLES = 9999
_SEED = 1


@dataclass(frozen=True)
class Interval:
    """A mean with its confidence interval.

    Attributes:
        mean: the mean of the values.
        low: the lower end; -inf if there is only one value.
        high: the upper end; inf if there is only one value.
        count: the number of values.
    """

    mean: float
    low: float
    high: float
    count: int

    @property
    def relative(self) -> float:
        """Half the width of the interval over the mean: the precision."""
        half = (self.high - self.low) / 2
        return half / abs(self.mean) if self.mean else (0.0 if half == 0 else math.inf)

    @property
    def excludes_zero(self) -> bool:
        """Whether zero lies outside: a difference is then significant."""
        return self.low > 0 or self.high < 0


def mean_interval(
    values: Sequence[float], confidence: float = 0.95, method: Method = "student"
) -> Interval:
    """Returns the mean of independent values and its confidence interval.

    `student` is Student's t interval, exact for normal values. `bootstrap` is the bias-corrected
    and accelerated bootstrap with 9,999 resamples, for other distributions; with few values it is
    too narrow. Equal values have an interval of width zero.

    Args:
        values: one value per seed.
        confidence: the probability that the interval covers the true mean.
        method: student or bootstrap.

    Raises:
        UsageError: there is no value, a value is not finite, or the confidence is not between 0
            and 1.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, 14.3.
    """
    from scipy import stats

    array = np.asarray(values, dtype=np.float64)
    if not array.size:
        raise UsageError("no value is given; an interval needs one")
    if not np.isfinite(array).all():
        raise UsageError("a value is not finite; leave it out and say so")
    if not 0 < confidence < 1:
        raise UsageError(
            f"confidence = {confidence}: is not between 0 and 1; the usual one is 0.95"
        )
    mean = float(array.mean())
    if array.size == 1:
        return Interval(mean, -math.inf, math.inf, 1)
    if np.ptp(array) == 0:
        return Interval(mean, mean, mean, int(array.size))
    if method == "student":
        half = float(stats.t.ppf((1 + confidence) / 2, array.size - 1) * stats.sem(array))
        return Interval(mean, mean - half, mean + half, int(array.size))
    found = stats.bootstrap(
        (array,),
        np.mean,
        confidence_level=confidence,
        n_resamples=_RESAMPLES,
        rng=np.random.default_rng(_SEED),
    ).confidence_interval
    return Interval(mean, float(found.low), float(found.high), int(array.size))


def paired_difference(
    base: Sequence[float],
    other: Sequence[float],
    confidence: float = 0.95,
    method: Method = "student",
) -> Interval:
    """Returns the mean of the differences of pairs, other minus base, with its interval.

    The pairs have one seed each: the same placement, traffic and noise (common random numbers), so
    that what they share drops out.

    Raises:
        UsageError: the numbers of values differ; see also `mean_interval`.
    """
    if len(base) != len(other):
        raise UsageError(f"{len(base)} and {len(other)} values are no pairs; give the same seeds")
    differences = np.asarray(other, dtype=np.float64) - np.asarray(base, dtype=np.float64)
    return mean_interval(differences.tolist(), confidence, method)
