"""HACC: cosmology with particles and a long-range solver."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pantala.scenario.base import Count, PositiveSize
from pantala.scenario.workload.application import Compute, grid_of
from pantala.scenario.workload.rank_constraints import RankConstrained
from pantala.units import Duration, Size

__all__ = ["Hacc"]


class Hacc(RankConstrained):
    """HACC: large messages between random pairs of ranks (a 3D FFT), an exchange of particles, an
    Allreduce.

    Source: Chunduri et al., IPDPS 2021, Table I (point-to-point light, above 1 MB; light Allreduce
    of 1 KB; 22% of the time in MPI: MPI_Wait, MPI_Waitall, MPI_Allreduce) and IV.C: the FFT
    dominates, over random pairs of ranks, with asynchronous messages of 1.2 MB that are waited for
    by MPI_Wait; particles go to neighbours.

    An iteration is a step: compute, `rounds` exchanges with a random partner each (MPI_Wait), an
    exchange with 26 neighbours (MPI_Waitall), an Allreduce.

    Assumptions: a rank stands for a node, and its messages are of the paper's size; every exchange
    has partners of its own, drawn by the job's name; a periodic grid for the particles, whose
    messages' sizes the paper does not give; the time, which is fitted to the share of MPI. It needs
    an even number of ranks.
    """

    paper_ranks: ClassVar[int] = 256
    needs: ClassVar[str] = "pairs of ranks"

    kind: Literal["hacc"] = "hacc"
    """Particles and a long-range solver."""
    grid: tuple[Count, Count, Count] | None = None
    """Ranks along x, y, z; their product is the job's ranks. If not given, the one nearest to a
    cube."""
    message: PositiveSize = Size(1_200_000)
    """Bytes of a message of the FFT."""
    rounds: Count = 1
    """Exchanges of the FFT in an iteration."""
    particles: PositiveSize = Size(32_000)
    """Bytes of particles to each of six neighbours across a face; an eighth across an edge, a 64th
    across a corner."""
    allreduce: PositiveSize = Size(1_024)
    """Bytes of the Allreduce."""
    iterations: Count = 1
    """Iterations of every rank."""
    compute: Compute = Compute(time=Duration.parse("1.24 ms"))
    """Computing before the FFT."""

    def takes(self, ranks: int) -> bool:
        """Whether every rank has a partner."""
        return ranks % 2 == 0

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """The plan's workload object, for a job of `ranks`."""
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
