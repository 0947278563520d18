"""Compute and Allreduce in turn: distributed training in general."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pantala.scenario.base import Count, PositiveSize
from pantala.scenario.workload.application import Application, Compute

__all__ = ["AllreduceLoop"]


class AllreduceLoop(Application):
    """Training jobs in general: compute, then sum a gradient over all ranks; `cosmoflow` and `dl` are such.

    Source: Kang et al., SC 2022, IV. Strong scaling shortens the computing only: a gradient is
    as long on any number of ranks.
    """

    paper_ranks: ClassVar[int] = 528

    kind: Literal["allreduce_loop"] = "allreduce_loop"
    """Compute and Allreduce in turn."""
    message: PositiveSize
    """Bytes reduced."""
    iterations: Count
    """Iterations of every rank."""
    compute: Compute = Compute()
    """Computing before each Allreduce."""

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """The plan's workload object, for a job of `ranks`."""
        return {
            "kind": "allreduce_loop",
            "message_bytes": int(self.message),
            "iterations": self.iterations,
            "compute_ps": self.compute.total(self.share(ranks)),
        }
