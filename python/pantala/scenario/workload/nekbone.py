"""Nekbone: conjugate gradients on spectral elements."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from pantala.scenario.base import Count, PositiveSize
from pantala.scenario.workload.application import Application, Compute, grid_of, shrunk
from pantala.units import Size

__all__ = ["Nekbone"]


class Nekbone(Application):
    """Nekbone: in an iteration three Allreduces of 8 B, and an exchange with up to 26 neighbours.

    Source: Wang et al., IPDPS 2020, IV.B (2,197 ranks, many collectives of 8 B, non-blocking
    messages of 8 B to 165 KiB). The rest is what Nekbone's scalable workload model does, which the
    paper cites: 13 x 13 x 13 ranks on an open grid, elements of polynomial order P, E of them a
    side; a rank shares (E P + 1)^2 points with a neighbour across a face, E P + 1 across an edge,
    one across a corner, 8 B each; first with P = 8, then with P = 11, two solutions of 15
    iterations each. With 13 elements a side the largest message is 165,888 B, so the paper's KiB
    are 1,000 B here.

    Left out: two exchanges, two sums and a barrier for each order. Assumption: 15 iterations, from
    an input of the model with as many elements and 729 ranks.
    """

    paper_ranks: ClassVar[int] = 2_197

    kind: Literal["nekbone"] = "nekbone"
    """Conjugate gradients on spectral elements."""
    grid: tuple[Count, Count, Count] | None = None
    """Ranks along x, y, z, x fastest; their product is the job's ranks. If not given, the one
    nearest to a cube."""
    elements: tuple[Count, Count, Count] = (13, 13, 13)
    """Elements of a rank along x, y, z."""
    orders: Annotated[tuple[Count, ...], Field(min_length=1)] = (8, 11)
    """Polynomial orders, one after the other, as many iterations each."""
    point: PositiveSize = Size(8)
    """Bytes of a point."""
    iterations: Count = 60
    """Iterations of every rank, of all orders together."""
    compute: Compute = Compute()
    """Computing before each exchange."""

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """The plan's workload object, for a job of `ranks`."""
        share = self.share(ranks)
        elements = shrunk(self.elements, share)
        return {
            "kind": "conjugate_gradient",
            "grid": grid_of(self.grid, ranks, 3),
            "periodic": False,
            "corners": True,
            "points": [[side * order + 1 for side in elements] for order in self.orders],
            "point_bytes": int(self.point),
            "exchanges": 1,
            "sums_before": 1,
            "sums_after": 2,
            "sum_bytes": 8,
            "iterations": self.iterations,
            "compute_ps": self.compute.total(share),
            "overlap": False,
        }
