"""The base of distributed-training applications: compute, then sum a gradient over all ranks."""

from __future__ import annotations

from typing import Any, ClassVar

from pantala.scenario.base import PositiveSize
from pantala.scenario.workload.application import Application, Compute

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

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object for a job of `ranks`."""
        return {
            "kind": "allreduce_loop",
            "message_bytes": int(self.message),
            "iterations": self.iterations,
            "compute_ps": self.compute.total(self.share(ranks)),
        }
