"""The claims of the paper, the rule for verdicts, and the finding on a claim."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from math import floor

__all__ = ["RULE", "Claim", "Finding", "Verdict", "claims", "inside", "verdict_of"]

#: The rule for verdicts, as documents show it.
RULE = (
    "A claim holds if every run agrees with the paper's own values or order, rounded as the paper"
    " prints them. It holds in direction if some run lies outside the paper's values but every run"
    " meets a weaker condition, which the table states for each claim. Otherwise it does not hold."
    " A claim without a weaker condition holds or does not."
)


class Verdict(StrEnum):
    """The verdict on a claim."""

    HOLDS = "holds"
    DIRECTION = "holds in direction"
    FAILS = "does not hold"
    UNTESTED = "not tested"


def verdict_of(holds: bool, direction: bool = False) -> Verdict:
    """Returns the verdict by `RULE`.

    Args:
        holds: whether every run agrees with the paper's own values or order.
        direction: whether every run meets the weaker condition; False if the claim has none.
    """
    return Verdict.HOLDS if holds else Verdict.DIRECTION if direction else Verdict.FAILS


def inside(value: float, low: float, high: float, unit: float) -> bool:
    """Returns whether a value, rounded to the paper's precision, lies in a range of the paper.

    Args:
        value: a measured value.
        low: lower end of the range, a multiple of `unit`.
        high: upper end of the range, a multiple of `unit`.
        unit: the last printed digit, 0.01 for whole per cent. Halves round up.
    """
    return round(low / unit) <= floor(value / unit + 0.5 + 1e-9) <= round(high / unit)


@dataclass(frozen=True)
class Claim:
    """One claim, as in claims.toml.

    Attributes:
        id: its number in the project's ledger of claims.
        where: section, equation or figure of the paper.
        kind: headline, result or structure.
        statement: the claim in our words.
        paper: the value that the paper gives.
        holds: condition for the verdict "holds".
        direction: condition for the verdict "holds in direction"; empty if the claim has none.
    """

    id: str
    where: str
    kind: str
    statement: str
    paper: str
    holds: str
    direction: str


@dataclass(frozen=True)
class Finding:
    """The finding on a claim.

    Attributes:
        verdict: the verdict by `RULE`.
        measured: the measured values.
        reason: the reason why the claim does not hold or was not tested, or a remark.
    """

    verdict: Verdict
    measured: str
    reason: str = ""


@lru_cache
def claims() -> tuple[Claim, ...]:
    """Returns all claims, in the order of the paper."""
    text = (files("pantala.papers.prisacari2015") / "claims.toml").read_text(encoding="utf-8")
    return tuple(Claim(**entry) for entry in tomllib.loads(text)["claim"])
