"""Kernels that one property of the network limits: latency, bisection bandwidth or message rate."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Strict
from typing_extensions import override

from pantala.models.base import Count, PositiveSize
from pantala.text.units import Size
from pantala.workloads.application import grid_of
from pantala.workloads.rank_constraints import RankConstrained

__all__ = ["NetworkKernel"]


class NetworkKernel(RankConstrained):
    """A kernel limited by latency, by bisection bandwidth, or by the message rate of the NIC.

    `bound` chooses the communication of an iteration:
    - `latency`: `rounds` exchanges of `short` messages with a random partner each, one after the
      other, and an Allreduce of 8 B after each.
    - `bisection`: an exchange of `long` messages with a random partner.
    - `injection`: messages of 64 B to 26 neighbours at once. The NIC limits their rate if
      `mpi.gap` is longer than the network needs for a message.

    A rank does not compute. The application needs an even number of ranks.

    Source: Chunduri et al., IPDPS 2021, II.E, which names these classes: operations of a few KB
    that wait for single messages, large messages that need the throughput of the whole network, and
    operations that the NIC limits.

    Assumptions: the paper gives no kernel. Sizes and partners are chosen here.
    """

    paper_ranks: ClassVar[int] = 256
    needs: ClassVar[str] = "pairs of ranks"

    kind: Literal["network_kernel"] = "network_kernel"
    """A kernel that one property of the network limits."""
    bound: Literal["latency", "bisection", "injection"] = "latency"
    """What limits the kernel."""
    rounds: Annotated[int, Strict(), Field(ge=1, le=1000)] = 8
    """Exchanges per iteration of `latency`, at most 1,000."""
    short: PositiveSize = Size(2_048)
    """Bytes of a message of `latency`."""
    long: PositiveSize = Size(1_200_000)
    """Bytes of a message of `bisection`."""
    iterations: Count = 4
    """Iterations per rank."""

    def takes(self, ranks: int) -> bool:
        """Returns whether every rank has a partner."""
        return ranks % 2 == 0

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        phases: dict[str, list[dict[str, Any]]] = {
            "latency": [
                {"phase": "pairs", "message_bytes": int(self.short), "rounds": 1, "wait": "each"},
                {"phase": "allreduce", "message_bytes": 8, "times": 1},
            ]
            * self.rounds,
            "bisection": [
                {"phase": "pairs", "message_bytes": int(self.long), "rounds": 1, "wait": "each"}
            ],
            "injection": [
                {"phase": "around", "message_bytes": [64, 64, 64], "wait": "all", "periodic": True}
            ],
        }
        return {
            "kind": "phases",
            "grid": grid_of(None, ranks, 3),
            "iterations": self.iterations,
            "phases": phases[self.bound],
        }
