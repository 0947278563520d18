"""AMG: algebraic multigrid."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from pantala.models.base import Count, Index, PositiveSize, Repetitions, RepetitionsOrNone
from pantala.text.units import Size
from pantala.workloads.application import Application, Compute, grid_of, shrunk

__all__ = ["Amg"]


class Amg(Application):
    """AMG: V-cycles of algebraic multigrid with small messages to many neighbours.

    A cycle visits every level on the way down and again on the way up. At each visit it does two
    relaxations, and each relaxation exchanges halos. The dot products of the conjugate-gradient
    solver follow each cycle.

    The neighbours of a rank depend on the level:
    - The finest level has a 7-point stencil (6 neighbours).
    - The second level adds the neighbours across edges and corners (26).
    - From the third level on, some ranks at distance two are neighbours too (`far_percent`),
      because Galerkin products widen the stencil.

    Each level has half as many points along each dimension. When less than one point per rank would
    remain, every second rank drops out.

    Source: Yang et al., SC 2016, 3.2 and Table 2 (216 ranks, 0.6 MB per rank, 130 MB in total, from
    traces of the Design Forward project). Their sAMG is this application with `amplification =
    100`. The solver is BoomerAMG (Henson and Yang, Applied Numerical Mathematics 41(1), 2002).

    Assumptions: the paper reports only trace totals. The following values are chosen here and give
    the bytes of Table 2: 6 x 6 x 6 ranks, 12 x 12 x 12 points per rank, 7 levels (down to one rank)
    and 17 cycles.
    """

    paper_ranks: ClassVar[int] = 216

    kind: Literal["amg"] = "amg"
    """Algebraic multigrid."""
    grid: tuple[Count, Count, Count] | None = None
    """Ranks along x, y and z, x fastest. The product is the job's number of ranks. Default: the
    grid nearest to a cube."""
    points: tuple[Count, Count, Count] = (12, 12, 12)
    """Points per rank along x, y and z on the finest level."""
    point: PositiveSize = Size(8)
    """Bytes per point."""
    levels: Annotated[Count, Field(le=32)] = 7
    """Levels per cycle."""
    sweeps: Repetitions = 2
    """Relaxations per level on the way down, and again on the way up."""
    far_percent: Annotated[Index, Field(le=100)] = 30
    """Percentage of the ranks at distance two that are neighbours, from the third level on."""
    dot_products: RepetitionsOrNone = 3
    """Allreduces after each cycle."""
    dot_product: PositiveSize = Size(8)
    """Bytes of each of these Allreduces."""
    amplification: Count = 1
    """Factor that multiplies all message sizes. 100 gives the sAMG of Yang et al."""
    iterations: Count = 17
    """Cycles per rank."""
    compute: Compute = Compute()
    """Computing before each cycle. Yang et al. have none."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        share = self.share(ranks)
        return {
            "kind": "multigrid",
            "grid": grid_of(self.grid, ranks, 3),
            "points": shrunk(self.points, share),
            "point_bytes": int(self.point) * self.amplification,
            "levels": self.levels,
            "sweeps_down": self.sweeps,
            "sweeps_up": self.sweeps,
            "coarse_sum_bytes": [[]],
            "sum_bytes": [int(self.dot_product) * self.amplification] * self.dot_products,
            "corners_from": 1,
            "far_from": 2,
            "far_percent": self.far_percent,
            "iterations": self.iterations,
            "compute_ps": self.compute.total(share),
        }
