"""Wang et al. (IPDPS 2020): machines, mixes of jobs and applications."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pantala.papers.description import Paper

if TYPE_CHECKING:
    from pantala.papers.application_table import PaperTable

__all__ = ["PAPER"]


def _table() -> PaperTable:
    from pantala.papers.wang2020.table import TABLE

    return TABLE


PAPER = Paper(
    name="wang2020",
    source=(
        'Wang et al., "Union: An Automatic Workload Manager for Accelerating Network'
        ' Simulation", IPDPS 2020'
    ),
    table=_table,
)
