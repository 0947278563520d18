"""LQCD: lattice quantum chromodynamics, a stencil in four dimensions."""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar, Literal

from pantala.scenario.base import Count, PositiveSize
from pantala.scenario.workload.application import Application, Compute, grid_of
from pantala.units import Duration, Size

__all__ = ["Lqcd"]


class Lqcd(Application):
    """LQCD: every rank of a four-dimensional grid exchanges surfaces with up to eight neighbours.

    An iteration handles even sites and then odd sites. For each, a rank sends two messages to every
    neighbour: one for nearest-neighbour sites, and one, twice as long, for third-nearest ones. Two
    Allreduces of one number follow.

    Source: Kang et al., SC 2022, IV and Table I (11,924.31 MB on 528 ranks, peak ingress 4.60 MB),
    with SST's LQCD motif. The lattice is fitted: 84 x 72 x 128 x 88 sites on 3 x 4 x 4 x 11 ranks.
    Three iterations give the total, and the messages of half an iteration give the peak. The
    compute time is fitted too.
    """

    paper_ranks: ClassVar[int] = 528

    kind: Literal["lqcd"] = "lqcd"
    """A four-dimensional stencil on a lattice of sites."""
    grid: tuple[Count, Count, Count, Count] | None = None
    """Ranks along each dimension, the first fastest. The product is the job's number of ranks.
    Default: the grid nearest to a cube, shortest side first."""
    sites: tuple[Count, Count, Count, Count] = (28, 18, 32, 8)
    """Sites per rank along each dimension."""
    site: PositiveSize = Size(48)
    """Bytes that each site sends: a vector of three complex numbers."""
    reduction: PositiveSize = Size(8)
    """Bytes of an Allreduce."""
    iterations: Count = 3
    """Iterations per rank."""
    compute: Compute = Compute(time=Duration.parse("930 us"))
    """Computing after each of the four waits for messages in an iteration."""
    residual: Compute = Compute(time=Duration(0))
    """Computing between the Allreduces of an iteration."""

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object for a job of `ranks`."""
        share = self.share(ranks)
        surfaces = [int(self.site) * prod(self.sites) // side for side in self.sites]
        return {
            "kind": "lqcd",
            "grid": grid_of(self.grid, ranks, 4),
            "near_bytes": [self.face(max(1, surface // 2), ranks, 4) for surface in surfaces],
            "far_bytes": [self.face(surface, ranks, 4) for surface in surfaces],
            "reduction_bytes": int(self.reduction),
            "iterations": self.iterations,
            "compute_ps": self.compute.total(share),
            "residual_ps": self.residual.total(share),
        }
