"""Exchanges of halos in three dimensions."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import override

from pantala.models.base import Count, Index
from pantala.workloads.ember.grids import grid_3d
from pantala.workloads.ember.motif import (
    DOUBLE,
    EmberMotif,
    Nanoseconds,
    Number,
    StartedMotif,
    divides,
    fits,
    ps,
)

__all__ = ["EmberHalo3D", "EmberHalo3D26", "EmberHalo3DSV"]


class _Halo3D(EmberMotif):
    """The parameters that all three-dimensional halos share."""

    nx: Count = 100
    """Cells of a rank along x."""
    ny: Count = 100
    """Cells of a rank along y."""
    nz: Count = 100
    """Cells of a rank along z."""
    pex: Index = 0
    """Ranks along x; 0 lets Ember choose the grid."""
    pey: Index = 0
    """Ranks along y; 0 lets Ember choose the grid."""
    pez: Index = 0
    """Ranks along z; 0 lets Ember choose the grid."""
    fields_per_cell: Count = 1
    """Values of a cell."""
    datatype_width: Count = 8
    """Bytes of a value."""
    doreduce: Index = 1
    """Whether an allreduce of 8 B ends each iteration: 1 for yes."""
    peflops: Number = 1e10
    """Operations per second of a rank, for the default of `computetime`."""
    flopspercell: Number = 26
    """Operations per value, for the default of `computetime`."""
    computetime: Nanoseconds | None = None
    """Computing per iteration, in ns. Default: from the operations."""
    copytime: Nanoseconds = 0
    """Computing after the exchange along each dimension, in ns."""
    iterations: Count = 1
    """Iterations per rank."""

    def grid(self, ranks: int) -> tuple[int, int, int]:
        """Returns the process grid."""
        return grid_3d((self.pex, self.pey, self.pez), ranks)

    def check(self, ranks: int) -> None:
        """Checks that the grid fits the ranks."""
        fits(self.grid(ranks), ranks, "pex", "pey", "pez")

    def _compute(self, fields: int) -> int:
        """Returns the computing in ps, from operations on `fields` values per cell."""
        if self.computetime is not None:
            return ps(self.computetime)
        flops = self.nx * self.ny * self.nz * fields * self.flopspercell
        return ps(flops / (self.peflops / 1e9)) if self.peflops else 0

    def _faces(self, fields: int) -> list[int]:
        """Returns the bytes of a face across each dimension, with `fields` values per cell."""
        areas = (self.ny * self.nz, self.nx * self.nz, self.nx * self.ny)
        return [fields * self.datatype_width * area for area in areas]


class EmberHalo3D(_Halo3D, StartedMotif):
    """Halo3D: ranks of a grid exchange faces, one dimension after another, with blocking sends."""

    kind: Literal["ember.Halo3D"] = "ember.Halo3D"
    """Faces of a three-dimensional grid."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return self.delay() | {
            "kind": "stencil",
            "exchange": "by_dimension",
            "grid": list(self.grid(ranks)),
            "message_bytes": self._faces(self.fields_per_cell),
            "iterations": self.iterations,
            "compute_ps": self._compute(self.fields_per_cell),
            "copy_ps": ps(self.copytime),
            "reduction_bytes": DOUBLE if self.doreduce == 1 else 0,
        }


class EmberHalo3DSV(_Halo3D):
    """Halo3DSV: as Halo3D, but one exchange for each chunk of the values of a cell."""

    kind: Literal["ember.Halo3DSV"] = "ember.Halo3DSV"
    """Faces of a three-dimensional grid, chunk by chunk."""
    doreduce: Index = 1
    """Iterations from one allreduce of 8 B to the next, the first included; 0 for none."""
    computetime: Nanoseconds | None = None
    """Computing per value of a cell and iteration, in ns. Default: from the operations."""
    field_chunk: Count = 1
    """Values of a cell per exchange."""

    def check(self, ranks: int) -> None:
        """Checks that the grid fits the ranks, and that the chunks divide the values."""
        super().check(ranks)
        divides(self.field_chunk, self.fields_per_cell, ("field_chunk", "fields_per_cell"))

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return {
            "kind": "stencil",
            "exchange": "by_dimension",
            "grid": list(self.grid(ranks)),
            "message_bytes": self._faces(self.field_chunk),
            "exchanges": self.fields_per_cell // self.field_chunk,
            "iterations": self.iterations,
            "compute_ps": self._compute(1) * self.field_chunk,
            "copy_ps": ps(self.copytime),
            "reduction_bytes": DOUBLE if self.doreduce else 0,
            "reduction_interval": max(1, self.doreduce),
        }


class EmberHalo3D26(_Halo3D, StartedMotif):
    """Halo3D26: ranks of a grid exchange faces, edges and corners, all at once.

    Ember reads `doreduce` and `copytime` and does nothing with them.
    """

    kind: Literal["ember.Halo3D26"] = "ember.Halo3D26"
    """Faces, edges and corners of a three-dimensional grid."""
    peflops: Number = 1e9
    """Operations per second of a rank, for the default of `computetime`."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        cell = self.fields_per_cell * self.datatype_width
        return self.delay() | {
            "kind": "surrounding_exchange",
            "grid": list(self.grid(ranks)),
            "face_bytes": self._faces(self.fields_per_cell),
            "edge_bytes": [cell * side for side in (self.nx, self.ny, self.nz)],
            "corner_bytes": cell,
            "iterations": self.iterations,
            "compute_ps": self._compute(self.fields_per_cell),
        }
