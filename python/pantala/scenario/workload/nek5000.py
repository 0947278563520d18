"""Nek5000: spectral elements."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pantala.scenario.base import Count, Flag, PositiveSize
from pantala.scenario.workload.application import Application, Compute, grid_of
from pantala.units import Duration, Size

__all__ = ["Nek5000"]


class Nek5000(Application):
    """Nek5000: exchanges with all neighbours of a box of elements, a coarse solve along a tree,
    small Allreduces.

    Source: Chunduri et al., IPDPS 2021, Table I (point-to-point medium, KB; light collectives of 16
    B; 48% of the time in MPI: MPI_Allreduce, MPI_Waitall, MPI_Recv).

    An iteration is one of the pressure solver: compute, exchange with up to 26 neighbours
    (MPI_Waitall), send partial sums of the coarse problem up a tree of all ranks and the solution
    down (MPI_Recv), sum `allreduces` times.

    Assumptions: a rank stands for a node, and its messages are of the size of Table I; which
    messages the three calls are for, by what spectral elements need; the sizes of faces, edges and
    corners, whose mean over 26 neighbours is 4 KB; the number of Allreduces; the times, which are
    fitted to the share of MPI.
    """

    paper_ranks: ClassVar[int] = 256

    kind: Literal["nek5000"] = "nek5000"
    """Spectral elements."""
    grid: tuple[Count, Count, Count] | None = None
    """Ranks along x, y, z; their product is the job's ranks. If not given, the one nearest to a
    cube."""
    face_message: PositiveSize = Size(14_336)
    """Bytes to each of six neighbours across a face."""
    edge_message: PositiveSize = Size(1_792)
    """Bytes to each of twelve neighbours across an edge."""
    corner_message: PositiveSize = Size(224)
    """Bytes to each of eight neighbours across a corner."""
    coarse: PositiveSize = Size(1_024)
    """Bytes of a message of the coarse solve."""
    allreduce: PositiveSize = Size(16)
    """Bytes of an Allreduce."""
    allreduces: Count = 3
    """Allreduces an iteration."""
    periodic: Flag = True
    """Whether opposite faces of the grid are neighbours."""
    iterations: Count = 20
    """Iterations of every rank."""
    compute: Compute = Compute(time=Duration.parse("53 us"))
    """Computing before each exchange."""

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """The plan's workload object, for a job of `ranks`."""
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
