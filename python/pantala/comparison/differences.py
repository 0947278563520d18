"""The difference of two samples of a metric: number, interval, and words that follow it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pantala.comparison.numbers import quantity
from pantala.experiments.statistics import (
    Interval,
    Method,
    independent_difference,
    mean_interval,
    paired_difference,
)

__all__ = ["Basis", "Difference", "difference_of"]

#: What an interval rests on: pairs of equal seeds, two samples of other seeds, or nothing.
Basis = Literal["paired", "independent", "single"]

Seed = int | None


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
    """

    metric: str
    base: Interval
    other: Interval
    difference: Interval
    basis: Basis
    seeds: tuple[Seed, ...]
    other_seeds: tuple[Seed, ...]

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
        told = f"{self._range()}; {self._runs()}"
        if not found.excludes_zero:
            return f"no significant difference ({told})"
        return f"{self._size()} ({told}), significant"

    def document(self) -> dict[str, object]:
        """Returns the difference as JSON; an end of an interval that does not exist is null."""
        return {
            "base": _document(self.base),
            "other": _document(self.other),
            "difference": _document(self.difference),
            "relative": self.relative,
            "basis": self.basis,
            "significant": self.significant,
            "seeds": list(self.seeds),
            "other_seeds": list(self.other_seeds),
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
        return "no interval: one run each"


def difference_of(
    metric: str,
    base: Mapping[Any, float],
    other: Mapping[Any, float],
    confidence: float = 0.95,
    method: Method = "student",
) -> Difference:
    """Returns the difference of two samples.

    Runs of equal seeds share placement, traffic and noise, so they are compared in pairs; values
    without a partner are left out. Without common seeds, the samples count as independent. One
    value on either side has no interval.

    Args:
        metric: the name of the metric.
        base: the values of the first subject by seed, at least one.
        other: the values of the second subject.
        confidence: the probability that an interval covers the true difference.
        method: student or bootstrap.

    Raises:
        UsageError: the confidence is not between 0 and 1, or a value is not finite.
    """
    shared = [seed for seed in base if seed in other]
    seeds, others = (shared, shared) if shared else (list(base), list(other))
    first, second = [base[seed] for seed in seeds], [other[seed] for seed in others]
    basis: Basis = "paired" if shared else "independent"
    if min(len(first), len(second)) == 1:
        basis = "single"
    compared = paired_difference if shared else independent_difference
    return Difference(
        metric,
        mean_interval(first, confidence, method),
        mean_interval(second, confidence, method),
        compared(first, second, confidence, method),
        basis,
        tuple(seeds),
        tuple(others),
    )


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
