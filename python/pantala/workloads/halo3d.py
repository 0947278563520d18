"""Halo3D: a stencil in three dimensions."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from pantala.models.base import Count, Flag, PositiveSize, UnsignedDuration, UnsignedSize
from pantala.text.units import Duration, Size
from pantala.workloads.application import Application, Compute, grid_of, sizes
from pantala.workloads.start_delay import START_DELAY

__all__ = ["Halo3d"]


class Halo3d(Application):
    """Halo3D: every rank of a three-dimensional grid exchanges with up to six neighbours.

    The exchange goes by dimension, as in SST's Halo3D motif: a rank starts the receives from both
    neighbours, sends to one and then to the other with blocking sends, and waits for both receives.

    Source: Kang et al., SC 2022, IV and Table I (47,769.10 MB on 528 ranks, peak ingress 1.15 MB).
    Two messages of 576 kB give the peak. 30 iterations on an open grid of 528 ranks, with SST's
    headers, give the total to the last digit. Inferred: these numbers, the order 11 x 8 x 6 of the
    grid (the default of SST), and that ranks do not compute.
    """

    paper_ranks: ClassVar[int] = 528

    kind: Literal["halo3d"] = "halo3d"
    """A three-dimensional stencil."""
    grid: tuple[Count, Count, Count] | None = None
    """Ranks along x, y and z, x fastest. The product is the job's number of ranks. Default: the
    grid nearest to a cube, longest side first."""
    message: PositiveSize = Size(576_000)
    """Bytes to each neighbour."""
    iterations: Count = 30
    """Iterations per rank."""
    exchange: Literal["by_dimension", "at_once"] = "by_dimension"
    """The order of the calls.

    - by_dimension: as above.
    - at_once: all receives start, all sends start, and the rank waits for all.
    """
    compute: Compute = Compute()
    """Computing before each exchange."""
    copy_: Annotated[UnsignedDuration, Field(alias="copy")] = Duration(0)
    """Computing after the exchange along each dimension. Only with `exchange = "by_dimension"`."""
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
            "grid": grid_of(self.grid, ranks, 3, falling=True),
            "message_bytes": [self.face(size, ranks, 3) for size in sizes(self.message, 3)],
            "iterations": self.iterations,
            "compute_ps": self.compute.total(self.share(ranks)),
            "periodic": self.periodic,
            "exchange": self.exchange,
            "copy_ps": int(self.copy_),
            "reduction_bytes": int(self.reduction),
            "start_delay_ps": int(self.start_delay),
        }
