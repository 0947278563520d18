"""The claims of the paper, and what comes of them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

__all__ = ["Claim", "Finding", "claims"]


@dataclass(frozen=True)
class Claim:
    """One claim, as in claims.toml.

    Attributes:
        id: its number in the project's ledger of claims.
        where: section, equation or figure of the paper.
        kind: headline, result or structure.
        statement: what is claimed, in our words.
        paper: the value that the paper gives.
        accept: when it holds here.
    """

    id: str
    where: str
    kind: str
    statement: str
    paper: str
    accept: str


@dataclass(frozen=True)
class Finding:
    """What came of a claim.

    Attributes:
        holds: whether it holds; None if nothing here can tell.
        measured: what was found, in numbers.
        reason: why it does not hold or could not be tested, or what to know although it does.
    """

    holds: bool | None
    measured: str
    reason: str = ""

    @property
    def verdict(self) -> str:
        """The finding in two or three words."""
        return {True: "holds", False: "does not hold", None: "not tested"}[self.holds]


@lru_cache
def claims() -> tuple[Claim, ...]:
    """All claims, in the order of the paper."""
    text = (files("pantala") / "studies" / "prisacari2015" / "claims.toml").read_text(encoding="utf-8")
    return tuple(Claim(**entry) for entry in tomllib.loads(text)["claim"])
