"""Rayleigh: convection in a sphere with spectral methods."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from typing_extensions import override

from pantala.models.base import Count, PositiveSize
from pantala.text.units import Duration, Size
from pantala.workloads.application import Compute, grid_of
from pantala.workloads.rank_constraints import RankConstrained

__all__ = ["Rayleigh"]


class Rayleigh(RankConstrained):
    """Rayleigh: large Alltoallv in the rows and the columns of a process array.

    The application needs a number of ranks that is not prime. An iteration is one time step:
    - It computes.
    - Every row does an Alltoallv, then every column. These are the transposes of the spectral
      method.
    - Every rank sends a small message to the first rank of its row (MPI_Send), which receives them
      one after the other.
    - A barrier ends the step.

    Source: Chunduri et al., IPDPS 2021, Table I (no point-to-point; heavy collectives of 23 MB; 28%
    of the time in MPI: MPI_Alltoallv, MPI_Send, MPI_Barrier).

    Assumptions:
    - A rank stands for a node.
    - 23 MB is the sum of all parts that a rank passes to an Alltoallv, as AutoPerf counts it.
    - The process array is the one nearest to a square.
    - MPI_Send collects diagnostics. It takes time in the paper, although the paper counts no
      point-to-point messages.
    - The compute time is fitted to the share of MPI.
    """

    paper_ranks: ClassVar[int] = 256
    needs: ClassVar[str] = "rows and columns of two ranks or more"

    kind: Literal["rayleigh"] = "rayleigh"
    """Convection in a sphere."""
    grid: tuple[Count, Count] | None = None
    """Ranks per row, and number of rows. The product is the job's number of ranks. Default: the
    array nearest to a square."""
    transpose: PositiveSize = Size(23_000_000)
    """Bytes that a rank passes to an Alltoallv."""
    diagnostics: PositiveSize = Size(16_384)
    """Bytes that a rank sends to the first rank of its row."""
    iterations: Count = 1
    """Iterations per rank."""
    compute: Compute = Compute(time=Duration.parse("23 ms"))
    """Computing before the transposes."""

    def takes(self, ranks: int) -> bool:
        """Returns whether the ranks form an array with at least two rows and two columns."""
        return self.grid is not None or grid_of(None, ranks, 2)[0] > 1

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
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
