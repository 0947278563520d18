"""CrystalRouter: data from all to all by halving."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pantala.scenario.base import Count, PositiveSize, UnsignedSize
from pantala.scenario.workload.application import Application, Compute
from pantala.units import Size

__all__ = ["CrystalRouter"]


class CrystalRouter(Application):
    """CrystalRouter: all ranks send to all, by way of partners in ever smaller halves of the job.

    Source: Yang et al., SC 2016, 3.2 and Table 2 (100 ranks, 35 MB a rank, 3,500 MB in all, from
    traces of the Design Forward project), a kernel of Nek5000. The algorithm is Fox et al., Solving
    Problems on Concurrent Processors, vol. 1, 1988, with Nek5000's rule where ranks are no power of
    two: the lower half is the larger one, and its last rank sends to the first of the upper half.
    Any number of ranks will do.

    Assumptions, since the paper counts traces and does not say: every rank has as much for every
    other one, 5,288 B (661 numbers) with a header of three integers, 20 times; these make Table 2's
    bytes. With strong scaling, what all ranks have together stays the same.
    """

    paper_ranks: ClassVar[int] = 100

    kind: Literal["crystal_router"] = "crystal_router"
    """The crystal router of Nek5000."""
    message: PositiveSize = Size(5_288)
    """Bytes from each rank to each other."""
    header: UnsignedSize = Size(12)
    """Bytes on top of them: target, source, length."""
    iterations: Count = 20
    """Iterations of every rank."""
    compute: Compute = Compute()
    """Computing before each iteration; Yang et al. have none."""

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """The plan's workload object, for a job of `ranks`."""
        share = self.share(ranks)
        return {
            "kind": "crystal_router",
            "pair_bytes": max(1, round(int(self.message) * share * share)),
            "header_bytes": int(self.header),
            "iterations": self.iterations,
            "compute_ps": self.compute.total(share),
        }
