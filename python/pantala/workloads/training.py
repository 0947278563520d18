"""The base of distributed-training applications: compute, then sum a gradient over all ranks."""

from __future__ import annotations

from typing import Any, ClassVar

from typing_extensions import override

from pantala.models.base import Flag, PositiveSize, UnsignedDuration
from pantala.text.units import Duration
from pantala.workloads.application import Application, Compute

__all__ = ["Training"]


class Training(Application):
    """Computing and an Allreduce in turn.

    Strong scaling shortens only the computing, because the gradient has the same size on any number
    of ranks.
    """

    paper_ranks: ClassVar[int] = 528

    message: PositiveSize
    """Bytes that each Allreduce sums."""
    compute: Compute = Compute()
    """Computing before each Allreduce."""
    barrier: Flag = False
    """Whether a barrier of all ranks follows each Allreduce."""
    start_delay: UnsignedDuration = Duration(0)
    """Computing before the first iteration."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return {
            "kind": "allreduce_loop",
            "message_bytes": int(self.message),
            "iterations": self.iterations,
            "compute_ps": self.compute.total(self.share(ranks)),
            "barrier": self.barrier,
            "start_delay_ps": int(self.start_delay),
        }
