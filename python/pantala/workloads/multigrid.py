"""MultiGrid: geometric multigrid."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from pantala.models.base import Count, Flag, PositiveSize, Repetitions, RepetitionsOrNone
from pantala.text.units import Size
from pantala.workloads.application import Application, Compute, grid_of, shrunk

__all__ = ["MultiGrid"]

#: Bytes of a sum of one number, and of two numbers.
_SUM, _NORM = 8, 16


class MultiGrid(Application):
    """MultiGrid: V-cycles of geometric multigrid on boxes of a structured mesh.

    A cycle makes `sweeps_down` exchanges per level on the way down and `sweeps_up` on the way up.
    On the coarsest level, each step of the solver has one exchange and `bottom_sums` dot products.
    Two exchanges with norms come before the first cycle and one after the last.

    An exchange posts all receives, sends with blocking sends, and waits: first with the ranks
    inside the domain, across faces only, then with the ranks across its periodic boundary, across
    edges and corners, too.

    Source: Yang et al., SC 2016, 3.2 and Table 2 (125 ranks, 5 MB per rank, 625 MB in total, from
    traces of the Design Forward project). The program is BoxLib's solver (Bell et al., BoxLib
    User's Guide, Lawrence Berkeley National Laboratory, 2012). The trace of its rank 0 is public:
    grid, box, levels, exchanges, sums, sizes, partners and their order are those of this trace,
    which has one cycle.

    Assumptions: two cycles. They give 5.3 MB per rank inside the domain, nearest to Table 2. The
    exchange and the norm at the end of the trace come once, not in every cycle.
    """

    paper_ranks: ClassVar[int] = 125

    kind: Literal["multigrid"] = "multigrid"
    """Geometric multigrid."""
    grid: tuple[Count, Count, Count] | None = None
    """Ranks along x, y and z, x fastest. The product is the job's number of ranks. Default: the
    grid nearest to a cube."""
    points: tuple[Count, Count, Count] = (64, 64, 64)
    """Cells of a rank's box along x, y and z on the finest level."""
    point: PositiveSize = Size(8)
    """Bytes per cell."""
    levels: Annotated[Count, Field(le=32)] = 6
    """Levels per cycle."""
    sweeps_down: Repetitions = 5
    """Exchanges per level on the way down: two relaxations with two colours, and the residual."""
    sweeps_up: Repetitions = 4
    """Exchanges per level on the way up: two relaxations with two colours."""
    bottom_steps: Repetitions = 4
    """Solver steps on the coarsest level. Each has one exchange."""
    bottom_sums: RepetitionsOrNone = 2
    """Allreduces of 8 B per solver step on the coarsest level. The last step but one has another of
    16 B."""
    periodic: Flag = True
    """Whether opposite faces of the domain are neighbours."""
    iterations: Count = 2
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
            "point_bytes": int(self.point),
            "levels": self.levels,
            "sweeps_down": self.sweeps_down,
            "sweeps_up": self.sweeps_up,
            "coarse_sum_bytes": [
                [_NORM] * (step == self.bottom_steps - 2) + [_SUM] * self.bottom_sums
                for step in range(self.bottom_steps)
            ],
            "sum_bytes": [],
            "before_sum_bytes": [[], [_NORM, _SUM]],
            "after_sum_bytes": [[_NORM]],
            "periodic": self.periodic,
            "blocking": True,
            "corners_from": self.levels,
            "far_from": self.levels,
            "far_percent": 0,
            "iterations": self.iterations,
            "compute_ps": self.compute.total(share),
        }
