"""Stencil5D: a stencil in five dimensions."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from typing_extensions import override

from pantala.models.base import Count, Flag, PositiveSize, UnsignedDuration, UnsignedSize
from pantala.text.units import Size
from pantala.workloads.application import Application, Compute, grid_of, sizes
from pantala.workloads.start_delay import START_DELAY

__all__ = ["Stencil5d"]


class Stencil5d(Application):
    """Stencil5D: every rank of a five-dimensional grid exchanges with up to ten neighbours.

    The exchange goes up and then down, as in the authors' motif for SST: a rank starts the receives
    from all neighbours above and sends to them, one blocking send after another; it does the same
    below, and waits for the receives. A rank sends down only when its sends up are complete, so
    long messages make a wave through the grid, from the last rank to the first.

    Source: Kang et al., SC 2022, IV and Table I (9,833.95 MB on 528 ranks, peak ingress 14.0 MB).
    Five messages of 2.8 MB up give the peak. One iteration on an open grid of 2 x 2 x 3 x 4 x 11
    ranks, with SST's headers, gives the total to the last digit. Inferred: these numbers, the order
    of the grid's extents, and that ranks do not compute.
    """

    paper_ranks: ClassVar[int] = 528

    kind: Literal["stencil5d"] = "stencil5d"
    """A five-dimensional stencil."""
    grid: tuple[Count, Count, Count, Count, Count] | None = None
    """Ranks along each dimension, the first fastest. The product is the job's number of ranks.
    Default: the grid nearest to a cube, shortest side first."""
    message: PositiveSize = Size(2_800_000)
    """Bytes to each neighbour."""
    iterations: Count = 1
    """Iterations per rank."""
    exchange: Literal["upper_then_lower", "at_once"] = "upper_then_lower"
    """The order of the calls.

    - upper_then_lower: as above; only on an open grid.
    - at_once: all receives start, all sends start, and the rank waits for all.
    """
    compute: Compute = Compute()
    """Computing before each exchange."""
    reduction: UnsignedSize = Size(0)
    """Bytes of an Allreduce at the end of each iteration; 0 for none."""
    start_delay: UnsignedDuration = START_DELAY
    """Computing before the first iteration. It is part of the execution times of the paper."""
    periodic: Flag = False
    """Whether opposite faces of the grid are neighbours."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return {
            "kind": "stencil",
            "grid": grid_of(self.grid, ranks, 5),
            "message_bytes": [self.face(size, ranks, 5) for size in sizes(self.message, 5)],
            "iterations": self.iterations,
            "compute_ps": self.compute.total(self.share(ranks)),
            "periodic": self.periodic,
            "exchange": self.exchange,
            "reduction_bytes": int(self.reduction),
            "start_delay_ps": int(self.start_delay),
        }
