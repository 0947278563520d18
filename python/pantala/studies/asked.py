"""The cases that some claims of a study need, so that they can be simulated first.

A measure is asked for its values before there are runs. It names the experiments, and the values of
axes, that it reads.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, get_args

import polars as pl

from pantala.errors import UsageError, nearest
from pantala.studies.claim import Claim, Kind
from pantala.studies.evidence import SLOWDOWNS, Evidence

if TYPE_CHECKING:
    from pantala.experiments.description import Description
    from pantala.studies.definition import StudyDefinition

__all__ = ["cases_of_claims", "chosen_claims"]


class _Questions(Evidence):
    """Results without runs that note which cases are asked for.

    Attributes:
        cells: for each experiment, the values of axes of each question; empty for all cases.
    """

    def __init__(self, descriptions: Mapping[str, Description]) -> None:
        super().__init__(descriptions, {})
        self.cells: dict[str, list[dict[str, object]]] = {}
        self._whole: set[str] = set()

    def rows(self, experiment: str, table: str = SLOWDOWNS) -> pl.DataFrame:
        """Returns a table without rows; the question is for all cases unless a cell follows."""
        self._whole.add(experiment)
        return super().rows(experiment, table)

    def _check(
        self, experiment: str, columns: Sequence[str], where: Mapping[str, object], table: str
    ) -> None:
        super()._check(experiment, columns, where, table)
        axes = self._descriptions[experiment].columns
        found = {name: value for name, value in where.items() if name in axes}
        cells = self.cells.setdefault(experiment, [])
        if found not in cells:
            cells.append(found)

    def asked(self) -> dict[str, list[dict[str, object]]]:
        """Returns the cells, with all cases of an experiment of which no cell was named."""
        whole: dict[str, list[dict[str, object]]] = {
            name: [{}] for name in self._whole - set(self.cells)
        }
        return {**self.cells, **whole}


def chosen_claims(study: StudyDefinition, names: Collection[str]) -> list[Claim]:
    """Returns claims by their names, or by their kinds.

    Args:
        study: the study.
        names: identities of claims, and kinds: headline, result, configuration.

    Raises:
        UsageError: the study has no such claim, or no run decides any of them.
    """
    known = [claim.id for claim in study.claims]
    kinds: tuple[str, ...] = get_args(Kind)
    for name in names:
        if name not in known and name not in kinds:
            close = nearest(name, [*known, *kinds])
            hint = f"did you mean '{close}'?" if close else f"choose {', '.join(known)}, or a kind"
            raise UsageError(f"--claim {name}: the study has no such claim; {hint}")
    found = [claim for claim in study.claims if claim.id in names or claim.kind in names]
    decided = [claim for claim in found if claim.holds]
    if not decided:
        raise UsageError(
            f"--claim {', '.join(names)}: no run decides it; pantala study claims says what does"
        )
    return decided


def cases_of_claims(
    study: StudyDefinition, descriptions: Mapping[str, Description], claims: Collection[Claim]
) -> dict[str, pl.Expr]:
    """Returns for each experiment that claims read a condition on the axes of its cases.

    A claim reads all parts of a case: alone and together.

    Args:
        study: the study.
        descriptions: its experiments.
        claims: claims that runs decide.
    """
    found: dict[str, list[pl.Expr]] = {}
    for claim in claims:
        questions = _Questions(descriptions)
        study.measures[claim.id](questions)
        for name, cells in questions.asked().items():
            for cell in cells:
                found.setdefault(name, []).append(_condition(cell))
    return {name: reduce(or_, conditions) for name, conditions in found.items()}


def _condition(cell: Mapping[str, object]) -> pl.Expr:
    """Returns whether a case has these values."""
    return pl.all_horizontal(pl.lit(True), *(pl.col(n) == pl.lit(v) for n, v in cell.items()))
