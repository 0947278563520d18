"""MultiGrid: geometric multigrid."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from pantala.scenario.base import Count, Index, PositiveSize
from pantala.scenario.workload.application import Application, Compute, grid_of, shrunk
from pantala.units import Size

__all__ = ["MultiGrid"]


class MultiGrid(Application):
    """MultiGrid: V-cycles of geometric multigrid on boxes of a structured mesh.

    A cycle does two red-black relaxations per level on the way down and two on the way up. An
    exchange of faces precedes each colour. On the coarsest level, each step of the solver has one
    exchange and `bottom_sums` dot products.

    Source: Yang et al., SC 2016, 3.2 and Table 2 (125 ranks, 5 MB per rank, 625 MB in total, from
    traces of the Design Forward project). The solver is BoxLib's (Bell et al., BoxLib User's Guide,
    Lawrence Berkeley National Laboratory, 2012). Every rank has a box, which is coarsened down to
    two cells per side. All ranks therefore take part in the coarsest level, where conjugate
    gradients solve the remaining problem.

    Assumptions: the paper reports only trace totals. The grid of 5 x 5 x 5 ranks, boxes of 32 x 32
    x 32 cells, 10 steps on the coarsest level and 12 cycles are chosen here. They give the bytes of
    Table 2. Ranks at the edge of the domain have no neighbours beyond it.
    """

    paper_ranks: ClassVar[int] = 125

    kind: Literal["multigrid"] = "multigrid"
    """Geometric multigrid."""
    grid: tuple[Count, Count, Count] | None = None
    """Ranks along x, y and z, x fastest. The product is the job's number of ranks. Default: the
    grid nearest to a cube."""
    points: tuple[Count, Count, Count] = (32, 32, 32)
    """Cells of a rank's box along x, y and z on the finest level."""
    point: PositiveSize = Size(8)
    """Bytes per cell."""
    levels: Annotated[Count, Field(le=32)] = 5
    """Levels per cycle."""
    sweeps: Count = 4
    """Exchanges per level on the way down, and again on the way up: two relaxations with two
    colours."""
    bottom_steps: Count = 10
    """Solver steps on the coarsest level. Each has one exchange."""
    bottom_sums: Index = 4
    """Allreduces of 8 B per solver step on the coarsest level."""
    iterations: Count = 12
    """Cycles per rank."""
    compute: Compute = Compute()
    """Computing before each cycle. Yang et al. have none."""

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object for a job of `ranks`."""
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
