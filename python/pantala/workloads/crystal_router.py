"""CrystalRouter: an all-to-all exchange by recursive halving."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from typing_extensions import override

from pantala.models.base import Count, PositiveSize, UnsignedSize
from pantala.text.units import Size
from pantala.workloads.application import Application, Compute

__all__ = ["CrystalRouter"]


class CrystalRouter(Application):
    """CrystalRouter: every rank sends to every other rank, through partners in ever smaller halves.

    Source: Yang et al., SC 2016, 3.2 and Table 2 (100 ranks, 35 MB per rank, 3,500 MB in total,
    from traces of the Design Forward project). It is a kernel of Nek5000. The algorithm is in Fox
    et al., Solving Problems on Concurrent Processors, vol. 1, 1988. For numbers of ranks that are
    not powers of two, Nek5000's rule applies: the lower half is larger, and its last rank sends to
    the first rank of the upper half. Any number of ranks is possible.

    Assumptions: the paper reports only trace totals. Every rank has 5,288 B (661 numbers) and a
    header of three integers for every other rank, 20 times. This gives the bytes of Table 2. With
    strong scaling the sum of the data of all ranks stays the same.
    """

    paper_ranks: ClassVar[int] = 100

    kind: Literal["crystal_router"] = "crystal_router"
    """The crystal router of Nek5000."""
    message: PositiveSize = Size(5_288)
    """Bytes from each rank to each other rank."""
    header: UnsignedSize = Size(12)
    """Extra bytes per message: target, source and length."""
    iterations: Count = 20
    """Iterations per rank."""
    compute: Compute = Compute()
    """Computing before each iteration. Yang et al. have none."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        share = self.share(ranks)
        return {
            "kind": "crystal_router",
            "pair_bytes": max(1, round(int(self.message) * share * share)),
            "header_bytes": int(self.header),
            "iterations": self.iterations,
            "compute_ps": self.compute.total(share),
        }
