"""Kang et al. (SC 2022): machine, mix of jobs and applications."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pantala.papers.description import Paper

if TYPE_CHECKING:
    from pantala.papers.application_table import PaperTable
    from pantala.studies import StudyDefinition

__all__ = ["PAPER"]


def _table() -> PaperTable:
    from pantala.papers.kang2022.table import TABLE

    return TABLE


def _study() -> StudyDefinition:
    from pantala.studies import read_study

    return read_study("kang2022", Path(__file__).parent / "study")


PAPER = Paper(
    name="kang2022",
    source=(
        'Kang et al., "Study of Workload Interference with Intelligent Routing on'
        ' Dragonfly", SC 2022'
    ),
    table=_table,
    study=_study,
)
