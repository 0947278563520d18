"""Qbox: first-principles molecular dynamics."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from typing_extensions import override

from pantala.models.base import Count, PositiveSize
from pantala.text.units import Duration, Size
from pantala.workloads.application import Compute
from pantala.workloads.rank_constraints import RankConstrained

__all__ = ["Qbox"]


class Qbox(RankConstrained):
    """Qbox: Fourier transforms in the columns of a process array, matrix products along its rows.

    The application needs a multiple of `rows` ranks. An iteration has three steps:
    - It computes.
    - Every column does two Alltoallv: one transform forward and one back. Cray's MPI has a separate
      routing mode for Alltoallv (II.D).
    - Every rank sends `shifts` panels to the next rank of its row. MPI_Recv receives a panel, and
      MPI_Wait completes a send.

    Source: Chunduri et al., IPDPS 2021, Table I (point-to-point medium, 50 KB; medium collectives
    of 128 KB; 66% of the time in MPI: MPI_Alltoallv, MPI_Recv, MPI_Wait).

    Assumptions:
    - A rank stands for a node, and its messages have the paper's size.
    - 128 KB is the sum of all parts that a rank passes to an Alltoallv, as AutoPerf counts it.
    - A column has 16 ranks.
    - The paper does not assign messages to the calls. The assignment is chosen here.
    - The compute time is fitted to the share of MPI.
    """

    paper_ranks: ClassVar[int] = 256
    needs: ClassVar[str] = "whole columns of ranks"

    kind: Literal["qbox"] = "qbox"
    """First-principles molecular dynamics."""
    rows: Count = 16
    """Ranks per column. Each column does its own Fourier transform."""
    transform: PositiveSize = Size(131_072)
    """Bytes that a rank passes to an Alltoallv."""
    panel: PositiveSize = Size(50_000)
    """Bytes of a panel."""
    shifts: Count = 2
    """Panels sent per iteration."""
    iterations: Count = 4
    """Iterations per rank."""
    compute: Compute = Compute(time=Duration.parse("42 us"))
    """Computing before the transforms."""

    def takes(self, ranks: int) -> bool:
        """Returns whether all columns are whole."""
        return ranks % self.rows == 0

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        transform = {
            "phase": "all_to_all",
            "dimension": 0,
            "bytes": self.part(self.transform, ranks),
        }
        return {
            "kind": "phases",
            "grid": [self.rows, ranks // self.rows],
            "iterations": self.iterations,
            "phases": [
                {"phase": "compute", "time_ps": self.compute.total(self.share(ranks))},
                transform,
                transform,
                {
                    "phase": "shift",
                    "dimension": 1,
                    "message_bytes": self.part(self.panel, ranks),
                    "steps": self.shifts,
                },
            ],
        }
