"""Compute and Allreduce in turn: distributed training in general."""

from __future__ import annotations

from typing import Literal

from pantala.scenario.base import Count, PositiveSize
from pantala.scenario.workload.application import Compute
from pantala.scenario.workload.training import Training

__all__ = ["AllreduceLoop"]


class AllreduceLoop(Training):
    """Training jobs in general: compute, then sum a gradient over all ranks; `cosmoflow` and `dl`
    are such.

    Source: Kang et al., SC 2022, IV. Strong scaling shortens the computing only: a gradient is
    as long on any number of ranks.
    """

    kind: Literal["allreduce_loop"] = "allreduce_loop"
    """Compute and Allreduce in turn."""
    message: PositiveSize
    """Bytes reduced."""
    iterations: Count
    """Iterations of every rank."""
    compute: Compute = Compute()
    """Computing before each Allreduce."""
