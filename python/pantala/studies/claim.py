"""The claims of a study: what a paper says, and the conditions under which it holds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from pantala.errors import UsageError
from pantala.models.base import Model, plain
from pantala.models.faults import scenario_error
from pantala.scenario.toml import read_toml

__all__ = ["Bounds", "Claim", "Kind", "read_claims"]

#: headline: of the abstract or the conclusions; result: any other outcome of a simulation;
#: configuration: an input, or a property of the machine.
Kind = Literal["headline", "result", "configuration"]

#: The lowest and the highest value of a measure; ``inf`` and ``-inf`` leave an end open.
Bounds = tuple[float, float]


class Claim(Model):
    """One claim of a paper. Statement and rule are in the words of the study.

    A measure is a number per seed. The claim holds if the interval of each measure of `holds` lies
    inside its bounds. It holds in direction if it does not hold, and the interval of each measure
    of `direction` lies inside its bounds; usually these are zero and infinity.
    """

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    """Its name in the study."""
    where: str
    """The section, figure, table or equation of the paper."""
    kind: Kind
    """headline, result or configuration."""
    statement: str
    """What the paper says."""
    paper: str
    """The values that the paper gives."""
    holds: dict[str, Bounds] = Field(default_factory=dict)
    """For each measure the bounds inside which the claim holds."""
    direction: dict[str, Bounds] = Field(default_factory=dict)
    """For each measure the bounds inside which it holds at least in direction."""
    test: str = ""
    """The test of the project that shows the claim, if no run does."""
    unjudged: str = ""
    """Why the claim cannot be judged by simulation."""
    partly: str = ""
    """What a verdict leaves out, if the claim can be judged in part only."""
    changed: str = ""
    """An earlier rule, its verdict and the reason for the change, if the rule was changed."""


class _ClaimsFile(Model):
    """The file claims.toml."""

    claims: tuple[Claim, ...]


def read_claims(path: Path) -> tuple[Claim, ...]:
    """Returns the claims of a file of ``[[claims]]`` tables, in its order.

    Raises:
        ScenarioError: the file cannot be read, or a key is wrong.
        UsageError: two claims have one id, or a claim has no rule, or bounds are no range.
    """
    tables = read_toml(path)
    try:
        found = _ClaimsFile.model_validate(tables).claims
    except ValidationError as error:
        raise scenario_error(error, str(path), plain(tables)) from None
    twice = [id_ for id_, count in Counter(claim.id for claim in found).items() if count > 1]
    if twice:
        raise UsageError(f"{path}: claims: two have the id '{twice[0]}'; rename one")
    for claim in found:
        _check(claim, path)
    return found


def _check(claim: Claim, path: Path) -> None:
    where = f"{path}: claim {claim.id}"
    ways = [bool(claim.holds), bool(claim.test), bool(claim.unjudged)]
    if sum(ways) != 1:
        raise UsageError(
            f"{where}: has {sum(ways)} of the keys holds, test, unjudged; write exactly one"
        )
    if claim.direction and not claim.holds:
        raise UsageError(
            f"{where}: direction: is a rule for runs, and the claim has none; remove it, or write"
            " holds in place of test or unjudged"
        )
    sides: Mapping[str, Mapping[str, Bounds]] = {
        "holds": claim.holds,
        "direction": claim.direction,
    }
    for key, bounds in sides.items():
        for measure, (low, high) in bounds.items():
            if math.isnan(low) or math.isnan(high) or low > high:
                raise UsageError(
                    f"{where}: {key}.{measure} = [{low}, {high}]: is no range; write the lower end"
                    " first"
                )
            if low == high and math.isinf(low):
                raise UsageError(
                    f"{where}: {key}.{measure} = [{low}, {high}]: holds no number; write a finite"
                    " end"
                )
