"""LQCD: lattice quantum chromodynamics, a stencil in four dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar, Literal

from pydantic import model_validator
from typing_extensions import override

from pantala.core import native
from pantala.models.base import Count, PositiveSize, UnsignedDuration, fault
from pantala.text.units import Duration, Size
from pantala.workloads.application import Compute, grid_of
from pantala.workloads.lattice_layout import split
from pantala.workloads.rank_constraints import RankConstrained
from pantala.workloads.start_delay import START_DELAY

__all__ = ["Lqcd"]


class Lqcd(RankConstrained):
    """LQCD: every rank of a four-dimensional grid exchanges surfaces with up to eight neighbours.

    An iteration handles even sites and then odd sites. For each, a rank sends two messages to every
    neighbour: one for nearest-neighbour sites, and one, twice as long, for third-nearest ones. Two
    Allreduces of one number follow.

    A rank sends to its neighbours above before it receives from those below, with blocking sends.
    So long messages make a wave through the grid, from the last rank to the first, for the even
    sites and for the odd sites.

    Source: Kang et al., SC 2022, IV and Table I (11,924.31 MB on 528 ranks, peak ingress 4.60 MB),
    with SST's LQCD motif. Inferred: one iteration on a lattice of 132 x 132 x 132 x 132 sites. With
    SST's headers it gives the total to 0.001 MB, and the messages for third-nearest sites give the
    peak. The execution and communication times leave no time to compute.
    """

    paper_ranks: ClassVar[int] = 528

    kind: Literal["lqcd"] = "lqcd"
    """A four-dimensional stencil on a lattice of sites."""
    lattice: tuple[Count, Count, Count, Count] = (132, 132, 132, 132)
    """Sites along each dimension, on all ranks. With weak scaling, the sites on the paper's number
    of ranks."""
    grid: tuple[Count, Count, Count, Count] | None = None
    """Ranks along each dimension, the first fastest. The product is the job's number of ranks.
    Default: MILC's rule. The prime factors of the number of ranks, largest first, divide the
    longest side that they can divide."""
    site: PositiveSize = Size(48)
    """Bytes that each site sends: a vector of three complex numbers."""
    reduction: PositiveSize = Size(8)
    """Bytes of an Allreduce."""
    iterations: Count = 1
    """Iterations per rank."""
    compute: Compute = Compute(time=Duration(0))
    """Computing after each of the four waits for messages in an iteration."""
    residual: Compute = Compute(time=Duration(0))
    """Computing between the Allreduces of an iteration."""
    start_delay: UnsignedDuration = START_DELAY
    """Computing before the first iteration. It is part of the execution times of the paper."""
    scaling: Literal["weak", "strong"] = "strong"
    """Scaling to other numbers of ranks than the paper's. strong keeps the lattice. weak keeps each
    rank's part of it."""

    @property
    def needs(self) -> str:  # type: ignore[override]
        """What the application needs, for the message about a wrong number of ranks."""
        return f"ranks that divide its lattice of {_shown(self.lattice)} sites, or scaling = 'weak'"

    def takes(self, ranks: int) -> bool:
        """Returns whether the lattice can be divided among `ranks`."""
        given = self.scaling == "weak" or self.grid is not None
        return given or split(self.lattice, ranks) is not None

    @model_validator(mode="after")
    def _grid_that_divides(self) -> Lqcd:
        sides = zip(self.lattice, self.grid or self.lattice, strict=True)
        if self.scaling == "strong" and any(side % part for side, part in sides):
            raise fault(
                f"does not divide the lattice of {_shown(self.lattice)} sites",
                "give extents that divide its sides, or set scaling = 'weak'",
                "grid",
            )
        return self

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        share = self.share(ranks)
        grid, sites = self._layout(ranks)
        surfaces = [prod(sites) // side for side in sites]
        return {
            "kind": "lqcd",
            "grid": grid,
            "near_bytes": [int(self.site) * max(1, surface // 2) for surface in surfaces],
            "far_bytes": [int(self.site) * surface for surface in surfaces],
            "reduction_bytes": int(self.reduction),
            "iterations": self.iterations,
            "compute_ps": self.compute.total(share),
            "residual_ps": self.residual.total(share),
            "start_delay_ps": int(self.start_delay),
        }

    def _layout(self, ranks: int) -> tuple[list[int], list[int]]:
        """Returns the ranks along each dimension, and the sites of a rank."""
        if self.scaling == "strong":
            grid = list(self.grid) if self.grid is not None else split(self.lattice, ranks)
            assert grid is not None, "checked with the job's ranks"
            return grid, _parts(self.lattice, grid)
        usual = split(self.lattice, self.paper_ranks) or native.process_grid(self.paper_ranks, 4)
        if self.grid is None and ranks == self.paper_ranks:
            return usual, _parts(self.lattice, usual)
        return grid_of(self.grid, ranks, 4, falling=True), _parts(self.lattice, usual)


def _shown(lattice: Sequence[int]) -> str:
    return " x ".join(str(side) for side in lattice)


def _parts(lattice: Sequence[int], grid: Sequence[int]) -> list[int]:
    """Returns the sites of a rank along each dimension, at least one."""
    return [max(1, side // ranks) for side, ranks in zip(lattice, grid, strict=True)]
