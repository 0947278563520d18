"""LU: a sweep in two dimensions."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from typing_extensions import override

from pantala.models.base import Count, Flag, PositiveSize, UnsignedDuration
from pantala.text.units import Size
from pantala.workloads.application import Application, Compute, grid_of, sizes
from pantala.workloads.start_delay import START_DELAY

__all__ = ["Lu"]


class Lu(Application):
    """LU: waves from one corner of a two-dimensional grid to the opposite corner, then back.

    In each step of a sweep a rank receives from two neighbours, computes, and sends to the other
    two. All calls block. The next step follows directly.

    Source: Kang et al., SC 2022, IV and Table I (13,713.22 MB on 528 ranks, peak ingress 30.0 KB),
    with SST's NAS-LU motif. Two messages of 15 kB give the peak. 450 steps each way on a grid of 22
    x 24 ranks, with SST's headers, give the total. Inferred from the execution time: three
    iterations of 150 steps, and no computing.
    """

    paper_ranks: ClassVar[int] = 528

    kind: Literal["lu"] = "lu"
    """A solver whose messages sweep through a two-dimensional grid."""
    grid: tuple[Count, Count] | None = None
    """Ranks along x and y, x fastest. The product is the job's number of ranks. Default: the grid
    nearest to a square."""
    message: PositiveSize = Size(15_000)
    """Bytes per step to each downstream neighbour."""
    steps: Count = 150
    """Steps per sweep."""
    iterations: Count = 3
    """Iterations per rank. Each has a sweep in one direction and, with `back`, a sweep back."""
    back: Flag = True
    """Whether a sweep back follows every sweep."""
    compute: Compute = Compute()
    """Computing per step, between receiving and sending."""
    start_delay: UnsignedDuration = START_DELAY
    """Computing before the first iteration. It is part of the execution times of the paper."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return {
            "kind": "sweep",
            "grid": grid_of(self.grid, ranks, 2),
            "message_bytes": [self.face(size, ranks, 3) for size in sizes(self.message, 2)],
            "steps": self.steps,
            "iterations": self.iterations,
            "back": self.back,
            "compute_ps": self.compute.total(self.share(ranks)),
            "start_delay_ps": int(self.start_delay),
        }
