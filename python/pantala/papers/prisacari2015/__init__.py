"""Prisacari et al. (HPSR 2015): machines and a study.

The paper describes bottlenecks inside groups under Valiant's routing, and two ways to avoid them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pantala.papers.description import Paper

if TYPE_CHECKING:
    from pantala.studies import StudyDefinition

__all__ = ["PAPER"]


def _study() -> StudyDefinition:
    from pantala.studies import read_study

    return read_study("prisacari2015", Path(__file__).parent / "study")


PAPER = Paper(
    name="prisacari2015",
    source=(
        'Prisacari et al., "Performance Optimization of Load Imbalanced Workloads in Large Scale'
        ' Dragonfly Systems", HPSR 2015'
    ),
    study=_study,
)
