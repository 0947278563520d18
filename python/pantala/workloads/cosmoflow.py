"""CosmoFlow: synchronous training of a neural network on cosmological data."""

from __future__ import annotations

from typing import Literal

from pantala.models.base import Count, PositiveSize, UnsignedDuration
from pantala.text.units import Duration, Size
from pantala.workloads.application import Compute
from pantala.workloads.start_delay import START_DELAY
from pantala.workloads.training import Training

__all__ = ["CosmoFlow"]


class CosmoFlow(Training):
    """CosmoFlow: an Allreduce of 28.15 MB every 129 ms, both divided by 25.

    Source: Kang et al., SC 2022, IV and Table I (2,373.84 MB on 528 ranks). The published input of
    SST's SC22 fork has two iterations of 5.16 ms and 140,750 doubles. With a binary tree they move
    2 x 2 x 527 x 1.126 MB.
    """

    kind: Literal["cosmoflow"] = "cosmoflow"
    """Distributed training with long computing between Allreduces."""
    message: PositiveSize = Size(1_126_000)
    """Bytes that each Allreduce sums."""
    iterations: Count = 2
    """Iterations per rank."""
    compute: Compute = Compute(time=Duration.parse("5.16 ms"))
    """Computing before each Allreduce."""
    start_delay: UnsignedDuration = START_DELAY
    """Computing before the first iteration. It is part of the execution times of the paper."""
