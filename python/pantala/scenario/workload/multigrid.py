"""MultiGrid: geometric multigrid."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from pantala.scenario.base import Count, Index, PositiveSize
from pantala.scenario.workload.application import Application, Compute, grid_of, shrunk
from pantala.units import Size

__all__ = ["MultiGrid"]


class MultiGrid(Application):
    """MultiGrid: V-cycles of a geometric multigrid method on boxes of a structured mesh.

    Source: Yang et al., SC 2016, 3.2 and Table 2 (125 ranks, 5 MB a rank, 625 MB in all, from
    traces of the Design Forward project). The solver is that of BoxLib (Bell et al., BoxLib User's
    Guide, Lawrence Berkeley National Laboratory, 2012): every rank has a box, which is coarsened
    with it down to two cells a side, so that all ranks go on to the coarsest level, where conjugate
    gradients solve what is left.

    A cycle: on every level two red-black relaxations down and two up, with an exchange of faces
    before each colour; on the coarsest level an exchange and `bottom_sums` dot products for each
    step of the solver there.

    Assumptions, since the paper counts traces and does not say: 5 x 5 x 5 ranks, boxes of 32 x 32 x
    32, 10 steps at the bottom, and 12 cycles, which make Table 2's bytes; no neighbours across the
    edge of the domain.
    """

    paper_ranks: ClassVar[int] = 125

    kind: Literal["multigrid"] = "multigrid"
    """Geometric multigrid."""
    grid: tuple[Count, Count, Count] | None = None
    """Ranks along x, y, z, x fastest; their product is the job's ranks. If not given, the one
    nearest to a cube."""
    points: tuple[Count, Count, Count] = (32, 32, 32)
    """Cells of a rank's box along x, y, z on the finest level."""
    point: PositiveSize = Size(8)
    """Bytes of a cell."""
    levels: Annotated[Count, Field(le=32)] = 5
    """Levels of a cycle."""
    sweeps: Count = 4
    """Exchanges on a level, on the way down and again on the way up: two relaxations of two
    colours."""
    bottom_steps: Count = 10
    """Steps of the solver on the coarsest level, an exchange each."""
    bottom_sums: Index = 4
    """Allreduces of 8 B of each of these."""
    iterations: Count = 12
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
            "point_bytes": int(self.point),
            "levels": self.levels,
            "sweeps": self.sweeps,
            "coarse_sweeps": self.bottom_steps,
            "coarse_sums": self.bottom_sums,
            "sums": 1,
            "sum_bytes": 8,
            "corners_from": self.levels,
            "far_from": self.levels,
            "far_percent": 0,
            "iterations": self.iterations,
            "compute_ps": self.compute.total(share),
        }
