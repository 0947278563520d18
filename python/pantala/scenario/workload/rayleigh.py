"""Rayleigh: convection in a sphere, by spectral methods."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pantala.scenario.base import Count, PositiveSize
from pantala.scenario.workload.application import Compute, grid_of
from pantala.scenario.workload.rank_constraints import RankConstrained
from pantala.units import Duration, Size

__all__ = ["Rayleigh"]


class Rayleigh(RankConstrained):
    """Rayleigh: large Alltoallv in the rows and the columns of a process array, and little else.

    Source: Chunduri et al., IPDPS 2021, Table I (no point-to-point; heavy collectives of 23 MB; 28%
    of the time in MPI: MPI_Alltoallv, MPI_Send, MPI_Barrier).

    An iteration is a time step: compute, an Alltoallv in every row and one in every column
    (transposes between the spaces in which parts of the step are done), a small message of every
    rank to the first of its row, which receives them one after the other (MPI_Send), a barrier.

    Assumptions: a rank stands for a node; 23 MB is what a rank gives to an Alltoallv, all parts
    together, as AutoPerf counts; the array nearest to a square; MPI_Send, which takes time though
    the paper counts no point-to-point messages, as diagnostics that are collected; the time, which
    is fitted to the share of MPI. It needs a number of ranks that is no prime.
    """

    paper_ranks: ClassVar[int] = 256
    needs: ClassVar[str] = "rows and columns of two ranks or more"

    kind: Literal["rayleigh"] = "rayleigh"
    """Convection in a sphere."""
    grid: tuple[Count, Count] | None = None
    """Ranks of a row, and rows; their product is the job's ranks. If not given, the array nearest
    to a square."""
    transpose: PositiveSize = Size(23_000_000)
    """Bytes that a rank gives to an Alltoallv."""
    diagnostics: PositiveSize = Size(16_384)
    """Bytes that a rank sends to the first of its row."""
    iterations: Count = 1
    """Iterations of every rank."""
    compute: Compute = Compute(time=Duration.parse("23 ms"))
    """Computing before the transposes."""

    def takes(self, ranks: int) -> bool:
        """Whether there is an array of them."""
        return self.grid is not None or grid_of(None, ranks, 2)[0] > 1

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """The plan's workload object, for a job of `ranks`."""
        size = self.part(self.transpose, ranks)
        return {
            "kind": "phases",
            "grid": grid_of(self.grid, ranks, 2),
            "iterations": self.iterations,
            "phases": [
                {"phase": "compute", "time_ps": self.compute.total(self.share(ranks))},
                {"phase": "all_to_all", "dimension": 0, "bytes": size},
                {"phase": "all_to_all", "dimension": 1, "bytes": size},
                {"phase": "collect", "dimension": 0, "message_bytes": int(self.diagnostics)},
                {"phase": "barrier"},
            ],
        }
