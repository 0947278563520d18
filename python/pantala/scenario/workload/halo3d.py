"""Halo3D: a stencil in three dimensions."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pantala.scenario.base import Count, Flag, PositiveSize
from pantala.scenario.workload.application import Application, Compute, grid_of, sizes
from pantala.units import Duration, Size

__all__ = ["Halo3d"]

#: Fitted to the execution time in Table I of Kang et al.
_COMPUTE = Compute(time=Duration.parse("12 us"))


class Halo3d(Application):
    """Halo3D: every rank of a three-dimensional grid exchanges with up to six neighbours.

    Source: Kang et al., SC 2022, IV and Table I (47,769.10 MB on 528 ranks, peak ingress 1.15 MB).
    Six messages of 192 kB give the peak. 90 iterations on an open grid of 6 x 8 x 11 ranks give the
    total. The grid is an assumption. The compute time is fitted.
    """

    paper_ranks: ClassVar[int] = 528

    kind: Literal["halo3d"] = "halo3d"
    """A three-dimensional stencil."""
    grid: tuple[Count, Count, Count] | None = None
    """Ranks along x, y and z, x fastest. The product is the job's number of ranks. Default: the
    grid nearest to a cube, shortest side first."""
    message: PositiveSize = Size(192_000)
    """Bytes to each neighbour."""
    iterations: Count = 90
    """Iterations per rank."""
    compute: Compute | None = None
    """Computing before each exchange. Default: 12 us, or zero if `message` is set."""
    periodic: Flag = False
    """Whether opposite faces of the grid are neighbours."""

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object for a job of `ranks`."""
        usual = Compute() if "message" in self.model_fields_set else _COMPUTE
        return {
            "kind": "stencil",
            "grid": grid_of(self.grid, ranks, 3),
            "message_bytes": [self.face(size, ranks, 3) for size in sizes(self.message, 3)],
            "iterations": self.iterations,
            "compute_ps": (self.compute or usual).total(self.share(ranks)),
            "periodic": self.periodic,
        }
