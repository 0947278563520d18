"""Chunduri et al. (IPDPS 2021): the machines Theta and Cori, and applications."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pantala.papers.description import Paper

if TYPE_CHECKING:
    from pantala.papers.application_table import PaperTable

__all__ = ["PAPER"]


def _table() -> PaperTable:
    from pantala.papers.chunduri2021.table import TABLE

    return TABLE


PAPER = Paper(
    name="chunduri2021",
    source=(
        'Chunduri et al., "Performance Evaluation of Adaptive Routing on Dragonfly-based'
        ' Production Systems", IPDPS 2021'
    ),
    table=_table,
)
