"""AMG: algebraic multigrid."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from pantala.scenario.base import Count, Index, PositiveSize
from pantala.scenario.workload.application import Application, Compute, grid_of, shrunk
from pantala.units import Size

__all__ = ["Amg"]


class Amg(Application):
    """AMG: V-cycles of an algebraic multigrid method, sparse and small messages to ever more
    neighbours.

    Source: Yang et al., SC 2016, 3.2 and Table 2 (216 ranks, 0.6 MB a rank, 130 MB in all, from
    traces of the Design Forward project); its sAMG is this with `amplification = 100`. The solver
    is BoomerAMG: Henson and Yang, Applied Numerical Mathematics 41(1), 2002.

    A cycle: on every level two relaxations down and two up, each with an exchange of halos; the
    finest level is a 7-point stencil (6 neighbours), the next one couples across edges and corners
    too (26), and from the third on some ranks two away (`far_percent`), as Galerkin products widen
    stencils. A level has half the points along each dimension; where less than one is left a rank,
    every second rank drops out. Behind a cycle come the dot products of the conjugate gradients
    around it.

    Assumptions, since the paper counts traces and does not say: 6 x 6 x 6 ranks, 12 x 12 x 12
    points each, 7 levels (down to one rank), and 17 cycles, which make Table 2's bytes.
    """

    paper_ranks: ClassVar[int] = 216

    kind: Literal["amg"] = "amg"
    """Algebraic multigrid."""
    grid: tuple[Count, Count, Count] | None = None
    """Ranks along x, y, z, x fastest; their product is the job's ranks. If not given, the one
    nearest to a cube."""
    points: tuple[Count, Count, Count] = (12, 12, 12)
    """Points of a rank along x, y, z on the finest level."""
    point: PositiveSize = Size(8)
    """Bytes of a point."""
    levels: Annotated[Count, Field(le=32)] = 7
    """Levels of a cycle."""
    sweeps: Count = 2
    """Relaxations on a level, on the way down and again on the way up."""
    far_percent: Annotated[Index, Field(le=100)] = 30
    """How many in a hundred of the ranks two away are neighbours, from the third level on."""
    dot_products: Index = 3
    """Allreduces behind a cycle."""
    dot_product: PositiveSize = Size(8)
    """Bytes of each."""
    amplification: Count = 1
    """What all sizes are multiplied by; 100 is the sAMG of Yang et al."""
    iterations: Count = 17
    """Cycles of every rank."""
    compute: Compute = Compute()
    """Computing before each cycle; Yang et al. have none."""

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """The plan's workload object, for a job of `ranks`."""
        share = self.share(ranks)
        return {
            "kind": "multigrid",
            "grid": grid_of(self.grid, ranks, 3),
            "points": shrunk(self.points, share),
            "point_bytes": int(self.point) * self.amplification,
            "levels": self.levels,
            "sweeps": self.sweeps,
            "coarse_sweeps": 1,
            "coarse_sums": 0,
            "sums": self.dot_products,
            "sum_bytes": int(self.dot_product) * self.amplification,
            "corners_from": 1,
            "far_from": 2,
            "far_percent": self.far_percent,
            "iterations": self.iterations,
            "compute_ps": self.compute.total(share),
        }
