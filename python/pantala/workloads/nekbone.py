"""Nekbone: conjugate gradients on spectral elements."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from pantala.models.base import Count, PositiveSize
from pantala.text.units import Size
from pantala.workloads.application import Application, Compute, grid_of, shrunk

__all__ = ["Nekbone"]


class Nekbone(Application):
    """Nekbone: three Allreduces of 8 B and one exchange with up to 26 neighbours per iteration.

    Source: Wang et al., IPDPS 2020, IV.B (2,197 ranks, many collectives of 8 B, non-blocking
    messages of 8 B to 165 KiB). All other details follow Nekbone's scalable workload model, which
    the paper cites:
    - 13 x 13 x 13 ranks form an open grid. A rank has E elements per side, of polynomial order P.
    - A rank shares (E P + 1)^2 points with a neighbour across a face, E P + 1 points across an edge
      and one point across a corner. Each point has 8 B.
    - The model runs P = 8 and then P = 11, with two solutions of 15 iterations each.

    With 13 elements per side the largest message has 165,888 B. The paper's KiB are therefore 1,000
    B here.

    Left out: two exchanges, two sums and a barrier per order.

    Assumption: the 15 iterations are from an input of the model with as many elements and 729
    ranks.
    """

    paper_ranks: ClassVar[int] = 2_197

    kind: Literal["nekbone"] = "nekbone"
    """Conjugate gradients on spectral elements."""
    grid: tuple[Count, Count, Count] | None = None
    """Ranks along x, y and z, x fastest. The product is the job's number of ranks. Default: the
    grid nearest to a cube."""
    elements: tuple[Count, Count, Count] = (13, 13, 13)
    """Elements per rank along x, y and z."""
    orders: Annotated[tuple[Count, ...], Field(min_length=1)] = (8, 11)
    """Polynomial orders, run one after the other. Each has the same number of iterations."""
    point: PositiveSize = Size(8)
    """Bytes per point."""
    iterations: Count = 60
    """Iterations per rank, over all orders."""
    compute: Compute = Compute()
    """Computing before each exchange."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
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
