"""Qbox: first-principles molecular dynamics."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pantala.scenario.base import Count, PositiveSize
from pantala.scenario.workload.application import Compute
from pantala.scenario.workload.rank_constraints import RankConstrained
from pantala.units import Duration, Size

__all__ = ["Qbox"]


class Qbox(RankConstrained):
    """Qbox: Fourier transforms in the columns of a process array, products of matrices along its
    rows.

    Source: Chunduri et al., IPDPS 2021, Table I (point-to-point medium, 50 KB; medium collectives
    of 128 KB; 66% of the time in MPI: MPI_Alltoallv, MPI_Recv, MPI_Wait).

    An iteration: compute, two Alltoallv in every column (a transform forth and back), `shifts`
    panels to the next rank of the row (MPI_Recv for what comes, MPI_Wait for what goes). Cray's MPI
    has a routing mode for Alltoallv (II.D).

    Assumptions: a rank stands for a node, and its messages are of the paper's size; 128 KB is what
    a rank gives to an Alltoallv, all parts together, as AutoPerf counts; columns of 16; which
    messages the calls are for; the time, which is fitted to the share of MPI. It needs a multiple
    of `rows` ranks.
    """

    paper_ranks: ClassVar[int] = 256
    needs: ClassVar[str] = "whole columns of ranks"

    kind: Literal["qbox"] = "qbox"
    """First-principles molecular dynamics."""
    rows: Count = 16
    """Ranks of a column, among which a Fourier transform is."""
    transform: PositiveSize = Size(131_072)
    """Bytes that a rank gives to an Alltoallv."""
    panel: PositiveSize = Size(50_000)
    """Bytes of a panel."""
    shifts: Count = 2
    """Panels sent on in an iteration."""
    iterations: Count = 4
    """Iterations of every rank."""
    compute: Compute = Compute(time=Duration.parse("42 us"))
    """Computing before the transforms."""

    def takes(self, ranks: int) -> bool:
        """Whether columns are whole."""
        return ranks % self.rows == 0

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """The plan's workload object, for a job of `ranks`."""
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
