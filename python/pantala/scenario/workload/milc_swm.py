"""MILC, as its scalable workload model: a lattice in four dimensions."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pantala.scenario.base import Count, Index, PositiveSize
from pantala.scenario.workload.application import Application, Compute, grid_of, shrunk
from pantala.units import Duration, Size

__all__ = ["MilcSwm"]


class MilcSwm(Application):
    """MILC as a scalable workload model (SWM): two exchanges with eight neighbours, then two
    Allreduces of 8 B.

    Source: Wang et al., IPDPS 2020, IV.B (4,096 ranks, four dimensions, non-blocking messages of
    486 KiB). The rest is what the SWM and its input do, which the paper cites: 8 x 8 x 8 x 8 ranks
    on a torus, 50 iterations, each with an exchange for even and for odd sites; while messages are
    under way a rank computes 100 cycles of 4 GHz. 486 KiB are a face of 24 x 24 x 24 sites, 36 B
    each: half of the sites, three single-precision complex numbers of three spinors.

    Assumption: the paper's run has the input that the SWM is shipped with, which has its ranks and
    sizes.
    """

    paper_ranks: ClassVar[int] = 4_096

    kind: Literal["milc_swm"] = "milc_swm"
    """Lattice quantum chromodynamics, one rank a node."""
    grid: tuple[Count, Count, Count, Count] | None = None
    """Ranks along x, y, z, t, x fastest; their product is the job's ranks. If not given, the one
    nearest to a cube."""
    sites: tuple[Count, Count, Count, Count] = (24, 24, 24, 24)
    """Sites of a rank along x, y, z, t."""
    site: PositiveSize = Size(36)
    """Bytes sent for a site of a face."""
    exchanges: Count = 2
    """Exchanges of an iteration: even sites, odd sites."""
    allreduces: Index = 2
    """Allreduces of 8 B behind them."""
    iterations: Count = 50
    """Iterations of every rank."""
    compute: Compute = Compute(time=Duration.parse("25 ns"))
    """Computing while the messages of an exchange are under way."""

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """The plan's workload object, for a job of `ranks`."""
        share = self.share(ranks)
        return {
            "kind": "conjugate_gradient",
            "grid": grid_of(self.grid, ranks, 4),
            "periodic": True,
            "corners": False,
            "points": [shrunk(self.sites, share)],
            "point_bytes": int(self.site),
            "exchanges": self.exchanges,
            "sums_before": 0,
            "sums_after": self.allreduces,
            "sum_bytes": 8,
            "iterations": self.iterations,
            "compute_ps": self.compute.total(share),
            "overlap": True,
        }
