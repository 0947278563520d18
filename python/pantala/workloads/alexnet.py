"""AlexNet: data-parallel training under Horovod."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pantala.models.base import Count, PositiveSize, Repetitions, RepetitionsOrNone
from pantala.text.units import Duration, Size
from pantala.workloads.application import Application, Compute

__all__ = ["AlexNet"]


class AlexNet(Application):
    """AlexNet: data-parallel training with negotiation broadcasts and Allreduces of gradients.

    Rank 0 first broadcasts the parameters. An update then starts with computing. Negotiation
    broadcasts follow, and several Allreduces sum the gradient over all ranks.

    Source: Wang et al., IPDPS 2020, IV.B (512 ranks; Horovod negotiations of 4 B and 25 B before
    each update; an update is several Allreduces of 235 MiB in total), Table IV (1,969 MPI_Bcast and
    1,958 MPI_Allreduce per rank) and Table V (6.33e11 B per rank; every rank except rank 0 has
    2.47e8 B more).

    Assumptions: the paper does not say how its tables arise. The following reading agrees with
    them:
    - Before the first update, rank 0 broadcasts the 16 parameter tensors of AlexNet, 235 MiB in
      total. AlexNet has eight layers with weights and biases (Krizhevsky et al., NIPS 2012). Only
      the other ranks receive these bytes.
    - There are 279 updates with 7 negotiations and 7 Allreduces each. This gives 16 + 7 x 279 =
      1,969 broadcasts and 7 x 279 = 1,953 Allreduces.
    - The other 5 Allreduces have 4 B each and precede the first update.
    - All tensors have the same size, and so have all Allreduces of an update.
    - The time between updates is CosmoFlow's.

    With recursive doubling, each of 512 ranks receives 279 x 9 x 235 MiB = 6.19e11 B in the
    Allreduces. This is 2.3% less than the paper reports.
    """

    paper_ranks: ClassVar[int] = 512

    kind: Literal["alexnet"] = "alexnet"
    """Training of AlexNet with Horovod."""
    gradient: PositiveSize = Size(235 * 2**20)
    """Bytes that an update sums over all ranks. The parameters have the same size."""
    allreduces: Repetitions = 7
    """Allreduces per update. Each sums an equal part of the gradient."""
    tensors: RepetitionsOrNone = 16
    """Broadcasts before the first update. Each sends an equal part of the parameters."""
    negotiations: tuple[PositiveSize, ...] = tuple(Size(4 if i % 2 == 0 else 25) for i in range(7))
    """Bytes of each negotiation broadcast before an update."""
    agreements: RepetitionsOrNone = 5
    """Number of 4 B Allreduces before the first update."""
    iterations: Count = 279
    """Number of updates."""
    compute: Compute = Compute(time=Duration.parse("129 ms"))
    """Computing before each update."""

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object for a job of `ranks`.

        Strong scaling shortens only the computing.
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
    """Returns `count` nearly equal parts of `whole` in bytes; each part has at least one byte."""
    return [
        max(1, (part + 1) * int(whole) // count - part * int(whole) // count)
        for part in range(count)
    ]
