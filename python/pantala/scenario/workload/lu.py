"""LU: a sweep in two dimensions."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pantala.scenario.base import Count, Flag, PositiveSize
from pantala.scenario.workload.application import Application, Compute, grid_of, sizes
from pantala.units import Duration, Size

__all__ = ["Lu"]


class Lu(Application):
    """LU: waves from one corner of a two-dimensional grid to the opposite one, then back.

    In each step of a sweep a rank receives from two neighbours, computes, and sends to the other
    two; the next step follows as soon as it can.
    Source: Kang et al., SC 2022, IV and Table I (13,713.22 MB on 528 ranks, peak ingress 30.0 KB),
    after SST's NAS-LU motif. Two messages of 15 kB are the peak; 450 steps each way on a grid of 22
    x 24 are the total. Nine iterations of 50 steps, and a microsecond to compute in each step,
    SST's defaults, give the time.
    """

    paper_ranks: ClassVar[int] = 528

    kind: Literal["lu"] = "lu"
    """A solver whose messages sweep through a two-dimensional grid."""
    grid: tuple[Count, Count] | None = None
    """Ranks along x and y, x fastest; their product is the job's ranks. If not given, the grid
    nearest to a square."""
    message: PositiveSize = Size(15_000)
    """Bytes to each downstream neighbour in a step."""
    steps: Count = 50
    """Steps of a sweep."""
    iterations: Count = 9
    """Iterations of every rank, each a sweep there and one back."""
    back: Flag = True
    """Whether every sweep is followed by one back."""
    compute: Compute = Compute(time=Duration.parse("1 us"))
    """Computing in each step, between receiving and sending."""

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """The plan's workload object, for a job of `ranks`."""
        return {
            "kind": "sweep",
            "grid": grid_of(self.grid, ranks, 2),
            "message_bytes": [self.face(size, ranks, 3) for size in sizes(self.message, 2)],
            "steps": self.steps,
            "iterations": self.iterations,
            "back": self.back,
            "compute_ps": self.compute.total(self.share(ranks)),
        }
