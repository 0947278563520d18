"""The difference of two samples of a metric: number, interval, and words that follow it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pantala.analysis.statistics import (
    Interval,
    Method,
    Spread,
    distinct,
    independent_difference,
    mean_interval,
    paired_difference,
    spread_of,
)
from pantala.comparison.quantities import quantity

__all__ = ["Basis", "Difference", "Value", "difference_of", "numbers_of"]

#: What an interval rests on: pairs of equal seeds, two samples of other seeds, or nothing.
Basis = Literal["paired", "independent", "single"]

Seed = int | None


@dataclass(frozen=True)
class Value:
    """A value of one seed.

    Attributes:
        number: the value.
        result: the hash of the results that it is made of; values of equal results count once.
    """

    number: float
    result: str


def numbers_of(sample: Mapping[Any, Value]) -> list[float]:
    """Returns the values of a sample; those of equal results once."""
    values = list(sample.values())
    return [values[place].number for place in distinct([each.result for each in values])]


@dataclass(frozen=True)
class Difference:
    """How a metric differs between two subjects.

    Attributes:
        metric: its name, which has its unit.
        base: mean and interval of the first subject.
        other: mean and interval of the second one.
        difference: other minus base, with its interval; infinite if there is none.
        basis: what the interval rests on.
        seeds: the seeds that the numbers are of: those of the pairs, or those of the base.
        other_seeds: the seeds of the second subject.
        base_spread: how the values of the first subject vary.
        other_spread: how those of the second one vary.
        equal_results: the seeds that do not count because their results equal those of a seed that
            does.
    """

    metric: str
    base: Interval
    other: Interval
    difference: Interval
    basis: Basis
    seeds: tuple[Seed, ...]
    other_seeds: tuple[Seed, ...]
    base_spread: Spread
    other_spread: Spread
    equal_results: tuple[Seed, ...] = ()

    @property
    def relative(self) -> float | None:
        """The difference over the mean of the base; None if that is zero."""
        return self.difference.mean / abs(self.base.mean) if self.base.mean else None

    @property
    def significant(self) -> bool | None:
        """Whether the interval of the difference excludes zero; None without an interval."""
        return None if self.basis == "single" else self.difference.excludes_zero

    @property
    def words(self) -> str:
        """The difference in words: ``12 % higher (8 to 16 %), significant``."""
        found = self.difference
        if self.basis == "single":
            size = "equal" if found.mean == 0 else self._size()
            return f"{size}; {self._why_no_interval()}"
        if found.low == found.high == 0:
            return f"equal in all {self._runs()}"
        text = f"{self._range()}; {self._runs()}"
        if not found.excludes_zero:
            return f"no significant difference ({text})"
        return f"{self._size()} ({text}), significant"

    def document(self) -> dict[str, object]:
        """Returns the difference as JSON; an end of an interval that does not exist is null."""
        return {
            "base": _document(self.base) | asdict(self.base_spread),
            "other": _document(self.other) | asdict(self.other_spread),
            "difference": _document(self.difference),
            "relative": self.relative,
            "basis": self.basis,
            "significant": self.significant,
            "seeds": list(self.seeds),
            "other_seeds": list(self.other_seeds),
            "equal_results": list(self.equal_results),
            "words": self.words,
        }

    def _size(self) -> str:
        direction = "higher" if self.difference.mean > 0 else "lower"
        if self.relative is None:
            return f"{quantity(self.metric, abs(self.difference.mean))} {direction}"
        return f"{_percent(abs(self.relative))} % {direction}"

    def _range(self) -> str:
        """Returns the interval of the difference, in per cent of the base's mean if it has one."""
        found = self.difference
        if not self.base.mean:
            return f"{quantity(self.metric, found.low)} to {quantity(self.metric, found.high)}"
        ends = [end / abs(self.base.mean) for end in (found.low, found.high)]
        if found.excludes_zero:  # the word says which way
            ends = sorted(abs(end) for end in ends)
        low, high = (_percent(end) for end in ends)
        return f"{low} to {high} %" if low != high else f"{low} %"

    def _runs(self) -> str:
        if self.basis == "paired":
            return f"{len(self.seeds)} seeds"
        return f"{len(self.seeds)} and {len(self.other_seeds)} runs of other seeds"

    def _why_no_interval(self) -> str:
        if self.seeds != self.other_seeds:
            one, other = (", ".join(map(str, each)) for each in (self.seeds, self.other_seeds))
            return f"no interval: no two seeds in common (seeds {one} and {other})"
        if self.equal_results:
            number = 1 + len(self.equal_results)
            return f"no interval: {number} seeds with equal results count as one"
        return "no interval: one run each"


def difference_of(
    metric: str,
    base_values: Mapping[Any, float | Value],
    other_values: Mapping[Any, float | Value],
    confidence: float = 0.95,
    method: Method = "student",
) -> Difference:
    """Returns the difference of two samples.

    Runs of equal seeds share placement, traffic and noise, so they are compared in pairs; values
    without a partner are left out. Without common seeds, the samples count as independent. One
    value on either side has no interval. Seeds with equal results count once.

    Args:
        metric: the name of the metric.
        base_values: the values of the first subject by seed, at least one.
        other_values: the values of the second subject.
        confidence: the probability that an interval covers the true difference.
        method: student or bootstrap.

    Raises:
        UsageError: the confidence is not between 0 and 1, or a value is not finite.
    """
    base, other = _of_seeds(base_values), _of_seeds(other_values)
    shared = [seed for seed in base if seed in other]
    if shared:
        places = distinct([(base[seed].result, other[seed].result) for seed in shared])
        seeds = others = [shared[place] for place in places]
    else:
        seeds, others = (_distinct_seeds(sample) for sample in (base, other))
    every = {*shared} if shared else {*base, *other}
    left = tuple(sorted(every - {*seeds, *others}, key=str))
    first = [base[seed].number for seed in seeds]
    second = [other[seed].number for seed in others]
    basis: Basis = "paired" if shared else "independent"
    if min(len(first), len(second)) == 1:
        basis = "single"
    compared = paired_difference if shared else independent_difference
    ones = numbers_of({seed: base[seed] for seed in seeds})
    twos = numbers_of({seed: other[seed] for seed in others})
    return Difference(
        metric,
        mean_interval(ones, confidence, method),
        mean_interval(twos, confidence, method),
        compared(first, second, confidence, method),
        basis,
        tuple(seeds),
        tuple(others),
        spread_of(ones),
        spread_of(twos),
        left,
    )


def _of_seeds(values: Mapping[Any, float | Value]) -> dict[Any, Value]:
    """Returns values whose results are known; numbers of seeds count as different results."""
    return {
        seed: value if isinstance(value, Value) else Value(value, f"seed {seed}")
        for seed, value in values.items()
    }


def _distinct_seeds(sample: Mapping[Any, Value]) -> list[Any]:
    seeds = list(sample)
    return [seeds[place] for place in distinct([sample[seed].result for seed in seeds])]


def _percent(share: float) -> str:
    """Returns a share in per cent with two digits, or three from 100 on."""
    value = 100 * share
    if abs(value) >= 99.5:
        return f"{value:,.0f}"
    text = f"{value:.2g}"
    return f"{float(text):f}".rstrip("0").rstrip(".") if "e" in text else text


def _document(interval: Interval) -> dict[str, float | int | None]:
    return {
        "mean": interval.mean,
        "low": interval.low if math.isfinite(interval.low) else None,
        "high": interval.high if math.isfinite(interval.high) else None,
        "count": interval.count,
    }
