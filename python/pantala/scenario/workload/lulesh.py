"""LULESH: a stencil of 26 neighbours, then a sweep."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pantala.scenario.base import Count, UnsignedSize
from pantala.scenario.workload.application import Compute, grid_of
from pantala.scenario.workload.rank_constraints import RankConstrained
from pantala.units import Duration, Size

__all__ = ["Lulesh"]


class Lulesh(RankConstrained):
    """LULESH: shock hydrodynamics on a cube of ranks.

    An iteration: a broadcast, a reduction, an exchange with the (up to) 26 neighbours across faces,
    edges and corners, and a sweep of many steps over the same ranks as a two-dimensional grid.
    Source: Kang et al., SC 2022, IV and Table I (17,900.12 MB on 512 ranks, peak ingress 1.95 MB
    and 14.91 KB), as the motif of SST's SC22 fork has it: 74,814 B (290,279,024 / 3,880) to each of
    26 neighbours, 100 steps of two messages of 7,457 B (299,785,872 / 40,200), and 30 doubles.
    Twelve iterations are the total. The time to compute is fitted.
    """

    paper_ranks: ClassVar[int] = 512
    needs: ClassVar[str] = "a cube"

    kind: Literal["lulesh"] = "lulesh"
    """Shock hydrodynamics: stencil and sweep."""
    message: UnsignedSize = Size(74_814)
    """Bytes to each neighbour across a face. 0: no stencil."""
    edge_message: UnsignedSize | None = None
    """Bytes to each neighbour across an edge; as `message` if not given."""
    corner_message: UnsignedSize | None = None
    """Bytes to each neighbour across a corner; as `message` if not given."""
    sweep_grid: tuple[Count, Count] | None = None
    """Ranks along the two dimensions of the sweep, the first fastest. If not given, the grid
    nearest to a square."""
    sweep_message: UnsignedSize = Size(7_457)
    """Bytes to each downstream neighbour in a step of the sweep. 0: no sweep."""
    sweep_steps: Count = 100
    """Steps of a sweep."""
    collective: UnsignedSize = Size(240)
    """Bytes of the broadcast, and of the reduction. 0: neither."""
    iterations: Count = 12
    """Iterations of every rank."""
    compute: Compute = Compute(time=Duration.parse("28 us"))
    """Computing after each of an iteration's four phases."""

    def takes(self, ranks: int) -> bool:
        """Whether they are a cube."""
        return _side(ranks) ** 3 == ranks

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """The plan's workload object, for a job of `ranks`."""
        # A rank's part shrinks in volume; a face does by its square, an edge by its side, a corner
        # not at all.
        side = self.share(ranks) ** (1 / 3)
        across = (self.message, self.edge_message, self.corner_message)
        given = [int(self.message if size is None else size) for size in across]
        shrunk = [
            round(size * side**dimensions)
            for size, dimensions in zip(given, (2, 1, 0), strict=True)
        ]
        return {
            "kind": "lulesh",
            "grid": [_side(ranks)] * 3,
            "message_bytes": shrunk,
            "sweep_grid": grid_of(self.sweep_grid, ranks, 2),
            "sweep_bytes": round(int(self.sweep_message) * side**2),
            "sweep_steps": self.sweep_steps,
            "collective_bytes": int(self.collective),
            "iterations": self.iterations,
            "compute_ps": self.compute.total(self.share(ranks)),
        }


def _side(ranks: int) -> int:
    """The side of the largest cube of no more than so many ranks."""
    side = 1
    while (side + 1) ** 3 <= ranks:
        side += 1
    return side
