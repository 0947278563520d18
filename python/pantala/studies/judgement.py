"""The rule for verdicts: intervals of measures over seeds against the bounds of a claim.

A measure is a number per seed. Its interval is the 95 % bootstrap interval of the mean over seeds
(`pantala.analysis.statistics.mean_interval`). With few seeds it contains the true mean less often
than that: see `coverage`.
An interval is *inside* bounds, *outside* them, or *astride* one of them. Bounds of zero and
infinity ask for a sign, so zero itself lies outside them.

- *holds*: every measure of `holds` is inside.
- *holds in direction*: some measure of `holds` is outside, and every measure of `direction` is
  inside.
- *does not hold*: some measure of `holds` is outside, and some measure of `direction` is outside,
  or there is none.
- *undecided at N seeds*: anything else.
- *one seed*: only one seed has all measures. There is no interval, and no verdict, unless the study
  says why one seed is enough. The interval is then the value.
- *not run*: no seed has all measures.
- *no value*: no seed has all measures, although all their runs are there (`Campaign` knows it).

*Shown by test*, *cannot be simulated* and *partly judged* stand in the claim itself. A claim that
is judged in part has the verdict of its part.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from pantala.analysis.statistics import Interval, mean_interval
from pantala.errors import UsageError
from pantala.studies.claim import Bounds, Claim

__all__ = ["Judgement", "Measured", "Verdict", "coverage", "judge"]

#: Differences of floating-point sums that are no differences.
_ROUNDING = 1e-9
#: The least number that has a sign.
_SMALLEST = 3 * _ROUNDING
#: For numbers of seeds: how often the interval of as many normal values contains their true mean,
#: in 1,200 to 6,000 draws. Two values are on both sides of the mean in half of all cases.
_COVERAGE = {2: 0.5, 3: 0.72, 4: 0.79, 5: 0.84, 6: 0.86, 8: 0.89, 10: 0.91, 20: 0.93}


class Verdict(StrEnum):
    """The verdict on a claim."""

    HOLDS = "holds"
    DIRECTION = "holds in direction"
    FAILS = "does not hold"
    UNDECIDED = "undecided"
    ONE_SEED = "one seed"
    NOT_RUN = "not run"
    NO_VALUE = "no value"
    TEST = "shown by test"
    UNJUDGED = "cannot be simulated"


@dataclass(frozen=True)
class Measured:
    """A measure of a claim.

    Attributes:
        name: its name.
        interval: its mean over seeds, with the interval.
        bounds: the bounds inside which the claim holds; None if it has none.
        place: ``inside``, ``outside`` or ``astride`` the bounds; empty without bounds. With one
            seed, where its value lies.
    """

    name: str
    interval: Interval
    bounds: Bounds | None
    place: str


@dataclass(frozen=True)
class Judgement:
    """The verdict on a claim, with the numbers behind it.

    Attributes:
        claim: the claim.
        verdict: the verdict.
        seeds: the number of seeds that have all measures.
        measured: the measures.
        infinite: the number of seeds that do not count, because a measure is infinite there.
    """

    claim: Claim
    verdict: Verdict
    seeds: int = 0
    measured: tuple[Measured, ...] = ()
    infinite: int = 0

    @property
    def words(self) -> str:
        """The verdict in words, with what limits it."""
        text = str(self.verdict)
        if self.verdict is Verdict.UNDECIDED:
            text += f" at {self.seeds} seeds"
        if self.verdict is Verdict.ONE_SEED:
            text += ", outside" if any(m.place == "outside" for m in self.measured) else ", inside"
        if self.infinite:
            text += f", {self.infinite} of {self.seeds + self.infinite} seeds infinite"
        return f"{text} (partly judged)" if self.claim.partly else text


def coverage(seeds: int) -> float:
    """Returns how often the 95 % bootstrap interval of a mean contains the true one.

    It is for normal values. The interval of three is inside their range: in three of ten cases it
    is the range, and in seven of ten one end is nearer to the mean.

    Args:
        seeds: the number of values, at least two. A number between those that are known counts as
            the next smaller one.
    """
    return _COVERAGE[max(each for each in _COVERAGE if each <= seeds)]


def judge(
    claim: Claim,
    measures: Mapping[str, np.ndarray],
    *,
    one_seed: bool = False,
    repeated: Sequence[int] = (),
) -> Judgement:
    """Returns the verdict on a claim.

    Args:
        claim: the claim.
        measures: the values of each measure, one per seed in one order; NaN where a seed has none.
        one_seed: whether one seed has a verdict.
        repeated: the places of seeds that do not count, because their runs are those of others.

    Raises:
        KeyError: a measure of the claim's rule is missing.
        UsageError: a measure has not one value per seed.
    """
    if claim.test:
        return Judgement(claim, Verdict.TEST)
    if claim.unjudged:
        return Judgement(claim, Verdict.UNJUDGED)
    needed = [*dict.fromkeys([*claim.holds, *claim.direction])]
    arrays = {name: np.asarray(measures[name], dtype=float) for name in needed}
    for name, array in arrays.items():
        if array.ndim != 1 or array.shape != arrays[needed[0]].shape:
            raise UsageError(
                f"its measure {name} has the shape {array.shape}, which is not one value per seed;"
                " return an array with one dimension"
            )
    values = np.array(list(arrays.values()))
    there = np.isfinite(values).all(axis=0)
    infinite = np.isinf(values).any(axis=0)
    there[[*repeated]] = infinite[[*repeated]] = False
    seeds, lost = int(there.sum()), int(infinite.sum())
    if not seeds:
        return Judgement(claim, Verdict.NO_VALUE if lost else Verdict.NOT_RUN, infinite=lost)
    of_seeds = {name: row[there] for name, row in zip(needed, values, strict=True)}
    others = [name for name in measures if name not in of_seeds]
    found = {
        name: mean_interval(row.tolist(), method="bootstrap") for name, row in of_seeds.items()
    }
    measured = [
        Measured(name, each, claim.holds.get(name), _place(each, claim.holds.get(name)))
        for name, each in found.items()
    ]
    measured += [
        Measured(name, each, None, "")
        for name in others
        if (each := _shown(measures[name], there, repeated))
    ]
    if seeds == 1 and not one_seed:
        return Judgement(claim, Verdict.ONE_SEED, 1, tuple(measured), lost)
    return Judgement(claim, _verdict(claim, found), seeds, tuple(measured), lost)


def _verdict(claim: Claim, found: Mapping[str, Interval]) -> Verdict:
    strict = [_place(found[name], bounds) for name, bounds in claim.holds.items()]
    if all(place == "inside" for place in strict):
        return Verdict.HOLDS
    if "outside" not in strict:
        return Verdict.UNDECIDED
    loose = [_place(found[name], bounds) for name, bounds in claim.direction.items()]
    if not loose or "outside" in loose:
        return Verdict.FAILS
    return Verdict.DIRECTION if all(place == "inside" for place in loose) else Verdict.UNDECIDED


def _place(interval: Interval, bounds: Bounds | None) -> str:
    """Returns where an interval lies; the interval of one seed is its value."""
    if bounds is None:
        return ""
    low, high = bounds
    if interval.count == 1:
        begin = end = interval.mean
    else:
        begin, end = interval.low, interval.high
    if high == math.inf and low == 0:
        low = _SMALLEST
    if low == -math.inf and high == 0:
        high = -_SMALLEST
    if low - _ROUNDING <= begin and end <= high + _ROUNDING:
        return "inside"
    if end < low - _ROUNDING or begin > high + _ROUNDING:
        return "outside"
    return "astride"


def _shown(values: np.ndarray, there: np.ndarray, repeated: Sequence[int]) -> Interval | None:
    """Returns the interval of a measure without bounds.

    It is over the seeds of the verdict, so that means can be compared; of a measure without a value
    for any of them, it is over the seeds that have one.
    """
    finite = np.asarray(values, dtype=float)
    if finite.shape == there.shape:
        of_verdict = np.isfinite(finite[there]).any()
        finite = finite[there] if of_verdict else np.delete(finite, [*repeated])
    finite = finite[np.isfinite(finite)]
    return mean_interval(finite.tolist(), method="bootstrap") if finite.size else None
