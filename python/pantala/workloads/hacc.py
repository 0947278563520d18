"""HACC: cosmology with particles and a long-range solver."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from typing_extensions import override

from pantala.models.base import Count, PositiveSize
from pantala.text.units import Duration, Size
from pantala.workloads.application import Compute, grid_of
from pantala.workloads.rank_constraints import RankConstrained

__all__ = ["Hacc"]


class Hacc(RankConstrained):
    """HACC: a 3D FFT between random pairs of ranks, an exchange of particles and an Allreduce.

    An iteration is one time step: compute, `rounds` exchanges with a random partner each
    (MPI_Wait), an exchange with 26 neighbours (MPI_Waitall) and an Allreduce. The application needs
    an even number of ranks.

    Source: Chunduri et al., IPDPS 2021, Table I (point-to-point light, above 1 MB; light Allreduce
    of 1 KB; 22% of the time in MPI: MPI_Wait, MPI_Waitall, MPI_Allreduce) and IV.C. The FFT
    dominates. Its asynchronous messages of 1.2 MB go between random pairs of ranks, and MPI_Wait
    completes them. Particles go to neighbours.

    Assumptions:
    - A rank stands for a node, and its messages have the paper's size.
    - Every exchange draws its own partners, from the job's name.
    - Particles move on a periodic grid. The paper does not give the size of their messages.
    - The compute time is fitted to the share of MPI.
    """

    paper_ranks: ClassVar[int] = 256
    needs: ClassVar[str] = "pairs of ranks"

    kind: Literal["hacc"] = "hacc"
    """Particles and a long-range solver."""
    grid: tuple[Count, Count, Count] | None = None
    """Ranks along x, y and z. The product is the job's number of ranks. Default: the grid nearest
    to a cube."""
    message: PositiveSize = Size(1_200_000)
    """Bytes per message of the FFT."""
    rounds: Count = 1
    """Exchanges of the FFT per iteration."""
    particles: PositiveSize = Size(32_000)
    """Bytes of particles to each of the six neighbours across a face. A neighbour across an edge
    receives an eighth, across a corner a 64th."""
    allreduce: PositiveSize = Size(1_024)
    """Bytes of the Allreduce."""
    iterations: Count = 1
    """Iterations per rank."""
    compute: Compute = Compute(time=Duration.parse("1.24 ms"))
    """Computing before the FFT."""

    def takes(self, ranks: int) -> bool:
        """Returns whether every rank has a partner."""
        return ranks % 2 == 0

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        face = self.face(self.particles, ranks, 3)
        return {
            "kind": "phases",
            "grid": grid_of(self.grid, ranks, 3),
            "iterations": self.iterations,
            "phases": [
                {"phase": "compute", "time_ps": self.compute.total(self.share(ranks))},
                {
                    "phase": "pairs",
                    "message_bytes": self.part(self.message, ranks),
                    "rounds": self.rounds,
                    "wait": "each",
                },
                {
                    "phase": "around",
                    "message_bytes": [face, max(1, face // 8), max(1, face // 64)],
                    "wait": "all",
                    "periodic": True,
                },
                {"phase": "allreduce", "message_bytes": int(self.allreduce), "times": 1},
            ],
        }
