"""Yang et al. (SC 2016): machine, mixes of jobs and applications."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pantala.papers.description import Paper

if TYPE_CHECKING:
    from pantala.papers.application_table import PaperTable
    from pantala.studies import StudyDefinition

__all__ = ["PAPER"]


def _table() -> PaperTable:
    from pantala.papers.yang2016.table import TABLE

    return TABLE


def _study() -> StudyDefinition:
    from pantala.studies import read_study

    return read_study("yang2016", Path(__file__).parent / "study")


PAPER = Paper(
    name="yang2016",
    source=(
        'Yang et al., "Watch Out for the Bully! Job Interference Study on Dragonfly'
        ' Network", SC 2016'
    ),
    table=_table,
    study=_study,
)
