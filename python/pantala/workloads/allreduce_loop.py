"""Distributed training in general: computing and an Allreduce in turn."""

from __future__ import annotations

from typing import Literal

from pantala.models.base import Count, PositiveSize
from pantala.workloads.application import Compute
from pantala.workloads.training import Training

__all__ = ["AllreduceLoop"]


class AllreduceLoop(Training):
    """Distributed training in general: compute, then sum a gradient over all ranks.

    `cosmoflow` and `dl` are two such applications with published sizes. Strong scaling shortens
    only the computing, because the gradient has the same size on any number of ranks.

    Source: Kang et al., SC 2022, IV.
    """

    kind: Literal["allreduce_loop"] = "allreduce_loop"
    """Computing and an Allreduce in turn."""
    message: PositiveSize
    """Bytes that each Allreduce sums."""
    iterations: Count
    """Iterations per rank."""
    compute: Compute = Compute()
    """Computing before each Allreduce."""
