"""MILC as a scalable workload model: a lattice in four dimensions."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from typing_extensions import override

from pantala.models.base import Count, Index, PositiveSize
from pantala.text.units import Duration, Size
from pantala.workloads.application import Application, Compute, grid_of, shrunk

__all__ = ["MilcSwm"]


class MilcSwm(Application):
    """MILC as a scalable workload model (SWM): two halo exchanges and two Allreduces per iteration.

    Each exchange is with eight neighbours. Each Allreduce sums 8 B.

    Source: Wang et al., IPDPS 2020, IV.B (4,096 ranks, four dimensions, non-blocking messages of
    486 KiB). All other details follow the SWM and its input, which the paper cites:
    - 8 x 8 x 8 x 8 ranks form a torus.
    - Each of 50 iterations has an exchange for even sites and one for odd sites.
    - During an exchange a rank computes for 100 cycles at 4 GHz.
    - 486 KiB is a face of 24 x 24 x 24 sites with 36 B each. These bytes are half of the sites with
      three single-precision complex numbers of three spinors.

    Assumption: the paper's run has the input shipped with the SWM, which has the same ranks and
    sizes.
    """

    paper_ranks: ClassVar[int] = 4_096

    kind: Literal["milc_swm"] = "milc_swm"
    """Lattice quantum chromodynamics with one rank per node."""
    grid: tuple[Count, Count, Count, Count] | None = None
    """Ranks along x, y, z and t, x fastest. The product is the job's number of ranks. Default: the
    grid nearest to a cube."""
    sites: tuple[Count, Count, Count, Count] = (24, 24, 24, 24)
    """Sites per rank along x, y, z and t."""
    site: PositiveSize = Size(36)
    """Bytes sent per site of a face."""
    exchanges: Count = 2
    """Exchanges per iteration: even sites, then odd sites."""
    allreduces: Index = 2
    """Allreduces of 8 B after the exchanges."""
    iterations: Count = 50
    """Iterations per rank."""
    compute: Compute = Compute(time=Duration.parse("25 ns"))
    """Computing during each exchange."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
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
