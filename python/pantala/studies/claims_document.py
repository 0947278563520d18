"""The verdicts of a study as JSON and in words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import polars as pl

from pantala.core.extension import core
from pantala.studies.campaign import Campaign
from pantala.studies.claim import Bounds
from pantala.studies.judgement import Judgement, Measured
from pantala.studies.variations import Variation
from pantala.text.amounts import counted, join, significant

__all__ = [
    "bounds_in_words",
    "claims_document",
    "claims_frame",
    "counts_in_words",
    "measured_in_words",
    "with_number",
]


_SCHEMA = {
    "claim": pl.String,
    "where": pl.String,
    "kind": pl.String,
    "verdict": pl.String,
    "seeds": pl.UInt32,
    "measure": pl.String,
    "mean": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "bound_low": pl.Float64,
    "bound_high": pl.Float64,
    "place": pl.String,
}


def claims_document(campaign: Campaign) -> dict[str, Any]:
    """Returns the claims with rule, numbers, verdict and the runs behind them, for JSON.

    Infinite ends of intervals and bounds are null.
    """
    found = campaign.judgements()
    return {
        "study": campaign.study.name,
        "source": campaign.study.source,
        "pantala": core().VERSION,
        "directory": str(campaign.root),
        "caveats": [each.to_dict() for each in campaign.caveats],
        "counts": {kind: dict(counts) for kind, counts in _counts(found).items()},
        "runs": {
            name: each.cases["run"].drop_nulls().n_unique()
            for name, each in campaign.experiments.items()
        },
        "claims": [_claim(each) for each in found],
        "variations": [_variation(each) for each in campaign.variations()],
    }


def claims_frame(found: Sequence[Judgement]) -> pl.DataFrame:
    """Returns the verdicts as a table with a row per measure, and one per claim without measures.

    Columns: ``claim``, ``where``, ``kind``, ``verdict``, ``seeds``, ``measure``, ``mean``, ``low``
    and ``high`` (the interval; null with one seed), ``bound_low`` and ``bound_high`` (of the rule;
    null if infinite or if there is none), ``place``.
    """
    rows: list[tuple[object, ...]] = []
    for each in found:
        claim = each.claim
        head = (claim.id, claim.where, claim.kind, each.words, each.seeds)
        for measured in each.measured or [None]:
            if measured is None:
                rows.append((*head, *[None] * 7))
                continue
            interval = measured.interval
            several = interval.count > 1
            low, high = (interval.low, interval.high) if several else (None, None)
            bounds = map(_finite, measured.bounds) if measured.bounds else (None, None)
            rows.append((*head, measured.name, interval.mean, low, high, *bounds, measured.place))
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def counts_in_words(found: Sequence[Judgement]) -> list[str]:
    """Returns a line per kind of claim: how many there are of each verdict."""
    return [
        f"{counted(sum(counts.values()), f'{kind} claim')}:"
        f" {join([with_number(verdict, number) for verdict, number in counts.items()])}"
        for kind, counts in _counts(found).items()
    ]


def with_number(verdict: str, number: int) -> str:
    """Returns how many claims have a verdict, such as ``2 hold`` or ``1 does not hold``."""
    words = verdict
    if number != 1:
        words = words.replace("does not", "do not").replace("holds", "hold")
    return f"{number} {words}"


def measured_in_words(judgement: Judgement) -> str:
    """Returns the measures of a claim: mean and interval over seeds, and the bounds."""
    return "; ".join(map(_measured, judgement.measured))


def bounds_in_words(bounds: Bounds) -> str:
    """Returns the bounds of a measure, such as ``at least 0.5``."""
    low, high = bounds
    if low == 0 and math.isinf(high):  # a sign: zero itself lies outside
        return "more than 0"
    if high == 0 and math.isinf(low):
        return "less than 0"
    if math.isinf(high):
        return f"at least {significant(low)}"
    if math.isinf(low):
        return f"at most {significant(high)}"
    return f"{significant(low)} to {significant(high)}"


def _measured(each: Measured) -> str:
    interval = each.interval
    text = f"{each.name} {significant(interval.mean)}"
    if interval.count > 1:
        text += f" ({significant(interval.low)} to {significant(interval.high)})"
    if each.bounds is not None:
        text += f" [{bounds_in_words(each.bounds)}]"
    return text


def _counts(found: Sequence[Judgement]) -> dict[str, Counter[str]]:
    kinds = dict.fromkeys(each.claim.kind for each in found)
    return {
        kind: Counter(str(each.verdict) for each in found if each.claim.kind == kind)
        for kind in kinds
    }


def _claim(judgement: Judgement) -> dict[str, Any]:
    claim = judgement.claim
    return {
        "id": claim.id,
        "where": claim.where,
        "kind": claim.kind,
        "statement": claim.statement,
        "paper": claim.paper,
        "verdict": judgement.words,
        "seeds": judgement.seeds,
        "measures": {
            each.name: {
                "mean": each.interval.mean,
                "low": _finite(each.interval.low),
                "high": _finite(each.interval.high),
                "bounds": None if each.bounds is None else list(map(_finite, each.bounds)),
                "place": each.place,
            }
            for each in judgement.measured
        },
        "direction": {name: list(map(_finite, ends)) for name, ends in claim.direction.items()},
        **{
            key: value
            for key in ("test", "unjudged", "partly", "changed")
            if (value := getattr(claim, key))
        },
    }


def _variation(variation: Variation) -> dict[str, Any]:
    return {
        "experiment": variation.experiment,
        "variation": variation.name,
        "runs": variation.runs,
        "claims": {
            each.claim.id: {
                measured.name: {"mean": _finite(measured.interval.mean), "place": measured.place}
                for measured in each.measured
            }
            for each in variation.judgements
        },
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
