"""Stencil5D: a stencil in five dimensions."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pantala.scenario.base import Count, Flag, PositiveSize
from pantala.scenario.workload.application import Application, Compute, grid_of, sizes
from pantala.units import Duration, Size

__all__ = ["Stencil5d"]


class Stencil5d(Application):
    """Stencil5D: every rank of a five-dimensional grid exchanges with up to ten neighbours.

    Source: Kang et al., SC 2022, IV and Table I (9,833.95 MB on 528 ranks, peak ingress 14.0 MB).
    Ten messages of 1.4 MB give the peak. Two iterations on an open grid of 2 x 2 x 3 x 4 x 11 ranks
    give the total. The compute time is fitted.
    """

    paper_ranks: ClassVar[int] = 528

    kind: Literal["stencil5d"] = "stencil5d"
    """A five-dimensional stencil."""
    grid: tuple[Count, Count, Count, Count, Count] | None = None
    """Ranks along each dimension, the first fastest. The product is the job's number of ranks.
    Default: the grid nearest to a cube, shortest side first."""
    message: PositiveSize = Size(1_400_000)
    """Bytes to each neighbour."""
    iterations: Count = 2
    """Iterations per rank."""
    compute: Compute = Compute(time=Duration.parse("5.53 ms"))
    """Computing before each exchange."""
    periodic: Flag = False
    """Whether opposite faces of the grid are neighbours."""

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object for a job of `ranks`."""
        return {
            "kind": "stencil",
            "grid": grid_of(self.grid, ranks, 5),
            "message_bytes": [self.face(size, ranks, 5) for size in sizes(self.message, 5)],
            "iterations": self.iterations,
            "compute_ps": self.compute.total(self.share(ranks)),
            "periodic": self.periodic,
        }
