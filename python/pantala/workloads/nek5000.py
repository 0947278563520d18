"""Nek5000: a flow solver with spectral elements."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from typing_extensions import override

from pantala.models.base import Count, Flag, PositiveSize
from pantala.text.units import Duration, Size
from pantala.workloads.application import Application, Compute, grid_of

__all__ = ["Nek5000"]


class Nek5000(Application):
    """Nek5000: exchanges with up to 26 neighbours, a coarse solve on a tree and small Allreduces.

    An iteration is one step of the pressure solver:
    - It computes.
    - It exchanges with up to 26 neighbours (MPI_Waitall).
    - It sends partial sums of the coarse problem up a tree of all ranks, and the solution down
      (MPI_Recv).
    - It sums `allreduces` times over all ranks.

    Source: Chunduri et al., IPDPS 2021, Table I (point-to-point medium, KB; light collectives of 16
    B; 48% of the time in MPI: MPI_Allreduce, MPI_Waitall, MPI_Recv).

    Assumptions:
    - A rank stands for a node, and its messages have the sizes of Table I.
    - The paper does not assign messages to the three calls. The assignment follows from spectral
      elements.
    - The sizes of faces, edges and corners have a mean of 4 KB over 26 neighbours.
    - The number of Allreduces is chosen here.
    - The compute time is fitted to the share of MPI.
    """

    paper_ranks: ClassVar[int] = 256

    kind: Literal["nek5000"] = "nek5000"
    """A flow solver with spectral elements."""
    grid: tuple[Count, Count, Count] | None = None
    """Ranks along x, y and z. The product is the job's number of ranks. Default: the grid nearest
    to a cube."""
    face_message: PositiveSize = Size(14_336)
    """Bytes to each of the six neighbours across a face."""
    edge_message: PositiveSize = Size(1_792)
    """Bytes to each of the twelve neighbours across an edge."""
    corner_message: PositiveSize = Size(224)
    """Bytes to each of the eight neighbours across a corner."""
    coarse: PositiveSize = Size(1_024)
    """Bytes per message of the coarse solve."""
    allreduce: PositiveSize = Size(16)
    """Bytes of an Allreduce."""
    allreduces: Count = 3
    """Allreduces per iteration."""
    periodic: Flag = True
    """Whether opposite faces of the grid are neighbours."""
    iterations: Count = 20
    """Iterations per rank."""
    compute: Compute = Compute(time=Duration.parse("53 us"))
    """Computing before each exchange."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        share = self.share(ranks)
        face = self.face(self.face_message, ranks, 3)
        line = max(1, round(int(self.edge_message) * share ** (1 / 3)))
        return {
            "kind": "phases",
            "grid": grid_of(self.grid, ranks, 3),
            "iterations": self.iterations,
            "phases": [
                {"phase": "compute", "time_ps": self.compute.total(share)},
                {
                    "phase": "around",
                    "message_bytes": [face, line, int(self.corner_message)],
                    "wait": "all",
                    "periodic": self.periodic,
                },
                {"phase": "tree", "message_bytes": int(self.coarse)},
                {
                    "phase": "allreduce",
                    "message_bytes": int(self.allreduce),
                    "times": self.allreduces,
                },
            ],
        }
