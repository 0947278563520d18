"""AlexNet: data-parallel training under Horovod."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pantala.scenario.base import Count, Index, PositiveSize
from pantala.scenario.workload.application import Application, Compute
from pantala.units import Duration, Size

__all__ = ["AlexNet"]


class AlexNet(Application):
    """AlexNet: small broadcasts that negotiate, then Allreduces of the gradients, again and again.

    Source: Wang et al., IPDPS 2020, IV.B (512 ranks; Horovod: negotiations of 4 B and 25 B before
    each update, which is several Allreduces of 235 MiB in all), Table IV (of a rank, 1,969
    MPI_Bcast and 1,958 MPI_Allreduce) and Table V (of each rank 6.33e11 B, and 2.47e8 B more of all
    ranks but rank 0).

    How the tables come about, the paper does not say; this reading meets all of it: before the
    first update, rank 0 broadcasts the 16 tensors of AlexNet's parameters (eight layers, weights
    and biases; Krizhevsky et al., NIPS 2012), 235 MiB in all, which only the others receive; and an
    update has 7 negotiations and 7 Allreduces, 279 times. So there are 16 + 7 x 279 = 1,969
    broadcasts, and 7 x 279 = 1,953 Allreduces; 5 more, of 4 B, stand before the first update. By
    recursive doubling, a rank of 512 receives 279 x 9 x 235 MiB = 6.19e11 B in them, 2.3% less than
    the paper has.

    Assumptions: that reading; tensors and Allreduces of one size; the time between updates, here
    CosmoFlow's.
    """

    paper_ranks: ClassVar[int] = 512

    kind: Literal["alexnet"] = "alexnet"
    """Training of AlexNet under Horovod."""
    gradient: PositiveSize = Size(235 * 2**20)
    """Bytes that an update sums over all ranks; the parameters have as many."""
    allreduces: Count = 7
    """Allreduces of an update, of equal parts of the gradient."""
    tensors: Index = 16
    """Broadcasts before the first update, of equal parts of the parameters."""
    negotiations: tuple[PositiveSize, ...] = tuple(Size(4 if i % 2 == 0 else 25) for i in range(7))
    """Bytes of each broadcast before an update."""
    agreements: Index = 5
    """Allreduces of 4 B before the first update."""
    iterations: Count = 279
    """Updates."""
    compute: Compute = Compute(time=Duration.parse("129 ms"))
    """Computing before each update."""

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """The plan's workload object, for a job of `ranks`; strong scaling shortens the computing
        only.
        """
        return {
            "kind": "horovod",
            "iterations": self.iterations,
            "parameter_bytes": _parts(self.gradient, self.tensors),
            "start_bytes": [4] * self.agreements,
            "negotiation_bytes": [int(size) for size in self.negotiations],
            "gradient_bytes": _parts(self.gradient, self.allreduces),
            "compute_ps": self.compute.total(self.share(ranks)),
        }


def _parts(whole: int, count: int) -> list[int]:
    """So many parts of a whole, as equal as bytes can be, each at least one byte."""
    return [
        max(1, (part + 1) * int(whole) // count - part * int(whole) // count)
        for part in range(count)
    ]
