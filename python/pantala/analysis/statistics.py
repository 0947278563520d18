"""Statistics over seeds: intervals of means, paired differences, outliers, and when to stop."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from pantala.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "Interval",
    "Method",
    "Precision",
    "Spread",
    "batches",
    "distinct",
    "independent_difference",
    "marked",
    "mean_interval",
    "paired_difference",
    "spread_of",
]

Method = Literal["student", "bootstrap"]

#: Resamples of the bootstrap, and their seed: equal values give equal intervals.
_RESAMPLES = 9999
_SEED = 1
#: The relative difference of values that are equal up to rounding.
_ROUNDING = 1e-13
#: The first batch of seeds, and the following ones. An interval at which a sweep stopped covers the
#: mean a little less often than an interval of a fixed number of seeds, because a batch with a
#: small spread ends the sweep. A first batch of ten keeps 94 % of 95 %; a test holds that.
_FIRST_BATCH = 10
_BATCH = 5


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


@dataclass(frozen=True)
class Spread:
    """How values vary.

    Attributes:
        deviation: the standard deviation of the sample; None of one value.
        p95: the 95th percentile, linear between values.
    """

    deviation: float | None
    p95: float


def spread_of(values: Sequence[float]) -> Spread:
    """Returns how values vary, at least one."""
    import numpy as np

    array = np.asarray(values, dtype=np.float64)
    deviation = float(array.std(ddof=1)) if array.size > 1 else None
    return Spread(deviation, float(np.percentile(array, 95)))


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
        UsageError: there is no value, a value is not finite, the confidence is not between 0 and 1,
            or the method is not known.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, 14.3.
    """
    import numpy as np

    array = np.asarray(values, dtype=np.float64)
    if not array.size:
        raise UsageError("no value is given; an interval needs one")
    if not np.isfinite(array).all():
        raise UsageError("a value is not finite; leave it out and say so")
    if not 0 < confidence < 1:
        raise UsageError(
            f"confidence = {confidence}: is not between 0 and 1; the usual one is 0.95"
        )
    if method not in get_args(Method):
        raise UsageError(
            f"method = '{method}': is not known; choose one of {', '.join(get_args(Method))}"
        )
    mean = float(array.mean())
    if array.size == 1:
        return Interval(mean, -math.inf, math.inf, 1)
    if _equal(array):
        return Interval(mean, mean, mean, int(array.size))
    if method == "student":
        from scipy import special  # scipy.stats takes a second to load

        error = float(array.std(ddof=1)) / math.sqrt(array.size)
        half = float(special.stdtrit(array.size - 1, (1 + confidence) / 2)) * error
        return Interval(mean, mean - half, mean + half, int(array.size))
    from scipy import stats

    found = stats.bootstrap(
        (array,),
        np.mean,
        confidence_level=confidence,
        n_resamples=_RESAMPLES,
        rng=np.random.default_rng(_SEED),
    ).confidence_interval
    return Interval(mean, float(found.low), float(found.high), int(array.size))


def _equal(values: np.ndarray) -> bool:
    """Returns whether values are equal up to rounding. The bootstrap divides by their spread."""
    import numpy as np

    return bool(np.ptp(values) <= _ROUNDING * np.abs(values).max())


def distinct(results: Sequence[Hashable]) -> list[int]:
    """Returns the places of the first of equal results: seeds without effect count once.

    If nothing depends on the seed, runs of several seeds are one run. Their values have no spread,
    and an interval of width zero would claim a certainty that nothing supports.

    Args:
        results: the hash of the results of each run, or of the runs that a value is made of.
    """
    places: dict[Hashable, int] = {}
    for place, result in enumerate(results):
        places.setdefault(result, place)
    return list(places.values())


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
    import numpy as np

    if len(base) != len(other):
        raise UsageError(f"{len(base)} and {len(other)} values are no pairs; give the same seeds")
    differences = np.asarray(other, dtype=np.float64) - np.asarray(base, dtype=np.float64)
    return mean_interval(differences.tolist(), confidence, method)


def independent_difference(
    base: Sequence[float],
    other: Sequence[float],
    confidence: float = 0.95,
    method: Method = "student",
) -> Interval:
    """Returns the difference of two means, other minus base, of values that are no pairs.

    `student` is Welch's t interval, which allows different variances. `bootstrap` is the
    bias-corrected and accelerated bootstrap of both samples.

    Returns:
        The difference; its count is that of the smaller sample. It is infinite if a sample has one
        value.

    Raises:
        UsageError: a sample has no value; see also `mean_interval`.

    Source: Welch, The generalization of Student's problem, Biometrika 34, 1947.
    """
    import numpy as np

    first, second = (mean_interval(each, confidence) for each in (base, other))
    mean, count = second.mean - first.mean, min(first.count, second.count)
    if count == 1:
        return Interval(mean, -math.inf, math.inf, count)
    samples = [np.asarray(each, dtype=np.float64) for each in (other, base)]
    if all(_equal(sample) for sample in samples):
        return Interval(mean, mean, mean, count)
    from scipy import stats

    if method == "student":
        found: Any = stats.ttest_ind(*samples, equal_var=False).confidence_interval(confidence)
    else:
        found = stats.bootstrap(
            samples,
            lambda one, two, axis: np.mean(one, axis=axis) - np.mean(two, axis=axis),
            confidence_level=confidence,
            n_resamples=_RESAMPLES,
            rng=np.random.default_rng(_SEED),
        ).confidence_interval
    return Interval(mean, float(found.low), float(found.high), count)


@dataclass(frozen=True)
class Precision:
    """The precision at which a sweep adds no more seeds.

    Attributes:
        relative: half the width of a 95 % interval over its mean, such as 0.02.
        of: the column of the table jobs.
    """

    relative: float
    of: str = "communication_time_mean_ns"

    @classmethod
    def parse(cls, text: str | float, of: str | None = None) -> Precision:
        """Returns the precision of a share or of text such as ``2%`` or ``0.02``.

        Args:
            text: the precision.
            of: a numeric column of the table jobs; the communication time if not given.

        Raises:
            UsageError: it is not between 0 and 1, or there is no such column.
        """
        from pantala.catalogue.tables import TABLES
        from pantala.errors import nearest

        written = str(text).strip()
        try:
            share = float(written.removesuffix("%")) / (100 if written.endswith("%") else 1)
        except ValueError:
            share = math.nan
        if not 0 < share < 1:
            raise UsageError(f"precision = {text}: is not between 0 and 1; write e.g. 2% or 0.02")
        if of is None:
            return cls(share)
        schema = TABLES["jobs"].polars_schema
        numeric = [name for name, kind in schema.items() if kind().is_numeric()]
        if of not in numeric:
            close = nearest(of, numeric)
            hint = f"did you mean '{close}'?" if close else "pantala metrics lists them"
            raise UsageError(f"precision of '{of}': the table jobs has no such number; {hint}")
        return cls(share, of)


def batches(seeds: int) -> Iterator[int]:
    """Yields the numbers of seeds after which a sweep may stop: 10, 15, 20, ..., and all of them.

    The decision after a batch sees all seeds of the batch, in their order. So it depends neither on
    the number of workers nor on the order in which runs end.
    """
    yield from range(_FIRST_BATCH, seeds, _BATCH)
    yield seeds


def marked(values: Sequence[float]) -> tuple[list[float], list[bool]]:
    """Returns the z-score of each value, and whether it is an outlier: beyond 3 sigma.

    Nothing is removed. Up to ten values have no outlier by this rule: the largest z-score of n
    values is (n - 1) / sqrt(n). A single value has the z-score 0.

    Source: Chunduri et al., IPDPS 2021, III and Fig. 3.
    """
    from pantala.metrics.samples import sigma_clipped, z_scores

    if len(values) < 2:
        return [0.0] * len(values), [False] * len(values)
    return z_scores(values).tolist(), sigma_clipped(values).tolist()
