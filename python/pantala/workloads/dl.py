"""DL: distributed training on a large data set."""

from __future__ import annotations

from typing import Literal

from pantala.models.base import Count, PositiveSize, UnsignedDuration
from pantala.text.units import Size
from pantala.workloads.application import Compute
from pantala.workloads.start_delay import START_DELAY
from pantala.workloads.training import Training

__all__ = ["Dl"]


class Dl(Training):
    """DL: large-scale training with messages as long as CosmoFlow's and almost no computing.

    Source: Kang et al., SC 2022, IV and Table I (9,714.44 MB on 528 ranks, 4.7 times CosmoFlow's
    rate). With a binary tree, eight Allreduces of 144,000 doubles move 8 x 2 x 527 x 1.152 MB.
    Inferred from the time: ranks do not compute.
    """

    kind: Literal["dl"] = "dl"
    """Distributed training with back-to-back Allreduces."""
    message: PositiveSize = Size(1_152_000)
    """Bytes that each Allreduce sums."""
    iterations: Count = 8
    """Iterations per rank."""
    compute: Compute = Compute()
    """Computing before each Allreduce."""
    start_delay: UnsignedDuration = START_DELAY
    """Computing before the first iteration. It is part of the execution times of the paper."""
