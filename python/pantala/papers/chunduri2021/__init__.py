"""Chunduri et al. (IPDPS 2021): the machines Theta and Cori, applications and study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pantala.papers.description import Paper

if TYPE_CHECKING:
    from pantala.papers.application_table import PaperTable
    from pantala.studies import StudyDefinition

__all__ = ["PAPER"]


def _table() -> PaperTable:
    from pantala.papers.chunduri2021.table import TABLE

    return TABLE


def _study() -> StudyDefinition:
    from pantala.studies import read_study

    return read_study("chunduri2021", Path(__file__).parent / "study")


PAPER = Paper(
    name="chunduri2021",
    source=(
        'Chunduri et al., "Performance Evaluation of Adaptive Routing on Dragonfly-based'
        ' Production Systems", IPDPS 2021'
    ),
    table=_table,
    study=_study,
)
