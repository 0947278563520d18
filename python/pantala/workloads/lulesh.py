"""LULESH: a 26-neighbour stencil, then a sweep."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from typing_extensions import override

from pantala.models.base import Count, UnsignedDuration, UnsignedSize
from pantala.text.units import Duration, Size
from pantala.workloads.application import Compute, grid_of
from pantala.workloads.rank_constraints import RankConstrained
from pantala.workloads.start_delay import START_DELAY

__all__ = ["Lulesh"]


class Lulesh(RankConstrained):
    """LULESH: shock hydrodynamics on a cube of ranks.

    An iteration has four phases: a broadcast, a reduction, an exchange with up to 26 neighbours
    across faces, edges and corners, and a sweep. The sweep has many steps of blocking calls and
    arranges the same ranks as a two-dimensional grid. The iterations table has a row per phase.

    Source: Kang et al., SC 2022, IV and Table I (17,900.12 MB on 512 ranks, peak ingress 1.95 MB
    and 14.91 KB). The motif of SST's SC22 fork gives the sizes:
    - 74,814 B (290,279,024 / 3,880) to each of 26 neighbours.
    - 100 steps with two messages of 7,457 B (299,785,872 / 40,200).
    - 30 doubles in the broadcast and in the reduction.

    Twelve iterations, with SST's headers, give the total. Inferred: the compute time, between 0 and
    36 us, from the execution time.
    """

    paper_ranks: ClassVar[int] = 512
    needs: ClassVar[str] = "a cube"

    kind: Literal["lulesh"] = "lulesh"
    """Shock hydrodynamics: stencil and sweep."""
    message: UnsignedSize = Size(74_814)
    """Bytes to each neighbour across a face. 0 switches the stencil off."""
    edge_message: UnsignedSize | None = None
    """Bytes to each neighbour across an edge. Default: `message`."""
    corner_message: UnsignedSize | None = None
    """Bytes to each neighbour across a corner. Default: `message`."""
    sweep_grid: tuple[Count, Count] | None = None
    """Ranks along the two dimensions of the sweep, the first fastest. Default: the grid nearest to
    a square."""
    sweep_message: UnsignedSize = Size(7_457)
    """Bytes per step of the sweep to each downstream neighbour. 0 switches the sweep off."""
    sweep_steps: Count = 100
    """Steps per sweep."""
    collective: UnsignedSize = Size(240)
    """Bytes of the broadcast and of the reduction. 0 switches both off."""
    iterations: Count = 12
    """Iterations per rank."""
    compute: Compute = Compute(time=Duration.parse("20 us"))
    """Computing at the end of each of the four phases of an iteration."""
    start_delay: UnsignedDuration = START_DELAY
    """Computing before the first iteration. It is part of the execution times of the paper."""

    def takes(self, ranks: int) -> bool:
        """Returns whether `ranks` is a cube."""
        return _side(ranks) ** 3 == ranks

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        # A face scales with the square of the part's side, an edge with the side, a corner not.
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
            "bcast_bytes": int(self.collective),
            "reduce_bytes": int(self.collective),
            "iterations": self.iterations,
            "compute_ps": self.compute.total(self.share(ranks)),
            "start_delay_ps": int(self.start_delay),
        }


def _side(ranks: int) -> int:
    """Returns the side of the largest cube of at most `ranks` ranks."""
    side = 1
    while (side + 1) ** 3 <= ranks:
        side += 1
    return side
