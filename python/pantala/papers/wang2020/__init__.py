"""Wang et al. (IPDPS 2020): machines, mixes of jobs, applications and study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pantala.papers.description import Paper

if TYPE_CHECKING:
    from pantala.papers.application_table import PaperTable
    from pantala.studies import StudyDefinition

__all__ = ["PAPER"]


def _table() -> PaperTable:
    from pantala.papers.wang2020.table import TABLE

    return TABLE


def _study() -> StudyDefinition:
    from pantala.studies import read_study

    return read_study("wang2020", Path(__file__).parent / "study")


PAPER = Paper(
    name="wang2020",
    source=(
        'Wang et al., "Union: An Automatic Workload Manager for Accelerating Network'
        ' Simulation", IPDPS 2020'
    ),
    table=_table,
    study=_study,
)
