"""LQCD: conjugate gradients on a lattice of four dimensions."""

from __future__ import annotations

from math import prod
from typing import Any, Literal

from typing_extensions import override

from pantala.models.base import Count, fault
from pantala.workloads.ember.motif import DOUBLE, Nanoseconds, Number, StartedMotif, ps
from pantala.workloads.lattice_layout import split

__all__ = ["EmberLQCD"]

#: Bytes of a vector of three complex numbers.
_VECTOR = 48
#: Operations per site in each of the four segments, and twice those of the residual.
_FLOPS, _RESIDUAL_FLOPS = 288, 157


class EmberLQCD(StartedMotif):
    """LQCD: exchanges of surfaces for even and odd sites, then two allreduces.

    The ranks form a grid by MILC's rule. The start delay is in the fork of Kang et al.
    """

    kind: Literal["ember.LQCD"] = "ember.LQCD"
    """A lattice of four dimensions."""
    nx: Count = 64
    """Sites of the whole lattice along x."""
    ny: Count = 64
    """Sites of the whole lattice along y."""
    nz: Count = 64
    """Sites of the whole lattice along z."""
    nt: Count = 64
    """Sites of the whole lattice along t."""
    peflops: Number = 2e10
    """Operations per second of a rank, for computing without `computetime`."""
    iterations: Count = 1
    """Iterations per rank."""
    computetime: Nanoseconds = 0
    """Each of the five computing segments, in ns. 0: from the operations."""

    def _grid(self, ranks: int) -> list[int] | None:
        return split((self.nx, self.ny, self.nz, self.nt), ranks)

    def check(self, ranks: int) -> None:
        """Checks that MILC's rule can divide the lattice, and that each rank has a site."""
        if self._grid(ranks) is None:
            shown = " x ".join(map(str, (self.nx, self.ny, self.nz, self.nt)))
            message = f"the sides of {shown} sites do not divide into {ranks} parts"
            raise fault(message, "choose sides with the prime factors of the ranks", "nx")
        if min(self._surfaces(ranks)) < 2:
            message = "leaves a rank a surface of one site, which has no half"
            raise fault(message, "choose a larger lattice, or fewer ranks", "nx")

    def _surfaces(self, ranks: int) -> list[int]:
        """Returns the sites of a rank's surface across each dimension."""
        grid = self._grid(ranks) or [ranks, 1, 1, 1]
        whole = (self.nx, self.ny, self.nz, self.nt)
        local = [side // parts for side, parts in zip(whole, grid, strict=True)]
        return [prod(local) // side for side in local]

    def _compute(self, ranks: int) -> tuple[int, int]:
        """Returns the computing of a segment and of the residual, in ps."""
        if self.computetime or not self.peflops:
            return ps(self.computetime), ps(self.computetime)
        sites = self.nx * self.ny * self.nz * self.nt // ranks
        per_ns = self.peflops / 1e9
        return ps(sites * _FLOPS / per_ns), ps(sites * _RESIDUAL_FLOPS // 2 / per_ns)

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        surfaces = self._surfaces(ranks)
        compute, residual = self._compute(ranks)
        return self.delay() | {
            "kind": "lqcd",
            "grid": self._grid(ranks),
            "near_bytes": [_VECTOR * (surface // 2) for surface in surfaces],
            "far_bytes": [_VECTOR * surface for surface in surfaces],
            "reduction_bytes": DOUBLE,
            "iterations": self.iterations,
            "compute_ps": compute,
            "residual_ps": residual,
        }
