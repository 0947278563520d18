"""Kang et al. (SC 2022): machine, mix of jobs and applications."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pantala.papers.description import Paper

if TYPE_CHECKING:
    from pantala.papers.application_table import PaperTable

__all__ = ["PAPER"]


def _table() -> PaperTable:
    from pantala.papers.kang2022.table import TABLE

    return TABLE


PAPER = Paper(
    name="kang2022",
    source=(
        'Kang et al., "Study of Workload Interference with Intelligent Routing on'
        ' Dragonfly", SC 2022'
    ),
    table=_table,
)
