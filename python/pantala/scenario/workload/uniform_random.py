"""UR: messages between random pairs of ranks."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pantala.scenario.base import Count, PositiveSize
from pantala.scenario.workload.application import Application, Compute
from pantala.units import Size

__all__ = ["UniformRandom"]


class UniformRandom(Application):
    """UR: in every iteration all ranks draw one random permutation and send along it.

    Source: Kang et al., SC 2022, IV and Table I (11,829.48 MB on 528 ranks, messages of 3.07 KB).
    It follows SST's Random motif (isend, irecv, waitall). The published input of that motif has
    7,200 iterations of 384 doubles and no computing. One rank in 528 draws itself, so the payload
    is 11,656 MB. With the 45 B of SST's headers per message, this is the paper's total.
    """

    paper_ranks: ClassVar[int] = 528

    kind: Literal["uniform_random"] = "uniform_random"
    """Messages between random pairs of ranks."""
    iterations: Count = 7_200
    """Iterations per rank."""
    message: PositiveSize = Size(3_072)
    """Bytes of a message."""
    compute: Compute = Compute()
    """Computing before each iteration."""

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object for a job of `ranks`."""
        return {
            "kind": "uniform_random",
            "iterations": self.iterations,
            "message_bytes": self.part(self.message, ranks),
            "compute_ps": self.compute.total(self.share(ranks)),
        }
