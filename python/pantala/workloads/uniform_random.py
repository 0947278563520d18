"""UR: messages between random pairs of ranks."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Strict
from typing_extensions import override

from pantala.models.base import Count, PositiveSize, UnsignedDuration
from pantala.text.units import Size
from pantala.workloads.application import Application, Compute
from pantala.workloads.start_delay import START_DELAY

__all__ = ["UniformRandom"]


class UniformRandom(Application):
    """UR: in every iteration all ranks send along one random permutation.

    A rank starts its send, then its receive, and waits for both. The permutations are those of
    SST's Random motif. They depend on the numbers of ranks and iterations and on
    `permutation_seed`, not on the scenario's seed. A rank that a permutation maps to itself sends
    nothing.

    Source: Kang et al., SC 2022, IV and Table I (11,829.48 MB on 528 ranks, messages of 3.07 KB).
    The published input of SST's motif has 7,200 iterations of 384 doubles and no computing. 6,465
    messages fall on fixed ranks. With SST's headers, the others give the total to 0.003 MB.
    """

    paper_ranks: ClassVar[int] = 528

    kind: Literal["uniform_random"] = "uniform_random"
    """Messages between random pairs of ranks."""
    iterations: Count = 7_200
    """Iterations per rank."""
    message: PositiveSize = Size(3_072)
    """Bytes of a message."""
    messages: Count = 1
    """Messages of a rank per iteration, all to the same rank."""
    permutation_seed: Annotated[int, Strict(), Field(ge=0, le=2**32 - 1)] = 0
    """Number that is added to the seeds of the permutations. 0 gives those of SST and the paper."""
    compute: Compute = Compute()
    """Computing before each iteration."""
    start_delay: UnsignedDuration = START_DELAY
    """Computing before the first iteration. It is part of the execution times of the paper."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return {
            "kind": "uniform_random",
            "iterations": self.iterations,
            "message_bytes": self.part(self.message, ranks),
            "messages": self.messages,
            "compute_ps": self.compute.total(self.share(ranks)),
            "start_delay_ps": int(self.start_delay),
            **({"permutation_seed": self.permutation_seed} if self.permutation_seed else {}),
        }
