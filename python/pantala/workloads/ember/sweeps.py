"""Sweeps: waves of blocking messages through a line or a grid of ranks."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import override

from pantala.models.base import Count, fault
from pantala.workloads.ember.motif import (
    EmberMotif,
    Nanoseconds,
    Number,
    StartedMotif,
    divides,
    fits,
    ps,
)

__all__ = ["EmberNASLU", "EmberSweep2D", "EmberSweep3D"]

#: Ember runs its list of sweeps this often per iteration of Sweep3D.
_ROUNDS = 2


class EmberSweep2D(EmberMotif):
    """Sweep2D: four sweeps along a line of ranks."""

    kind: Literal["ember.Sweep2D"] = "ember.Sweep2D"
    """Sweeps along a line."""
    computetime: Nanoseconds = 1000
    """Computing per step, in ns."""
    iterations: Count = 1
    """Iterations per rank."""
    nx: Count = 50
    """Cells along x."""
    ny: Count = 50
    """Cells along y."""
    y_block: Count = 1
    """Cells along y per step."""

    def check(self, ranks: int) -> None:
        """Checks that the blocks divide the cells."""
        divides(self.y_block, self.ny, ("y_block", "ny"))

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return {
            "kind": "corner_sweeps",
            "grid": [ranks, 1],
            "message_bytes": [self.nx * self.y_block, 0],
            "sweeps": [
                {"ways": [way, "up"], "tag": tag}
                for way, tag in (("up", 1000), ("down", 2000), ("down", 3000), ("up", 4000))
            ],
            "steps": self.ny // self.y_block,
            "rounds": 1,
            "iterations": self.iterations,
            "compute_ps": ps(self.computetime),
        }


class EmberSweep3D(StartedMotif):
    """Sweep3D: sweeps from the four corners of a grid, each twice per iteration."""

    kind: Literal["ember.Sweep3D"] = "ember.Sweep3D"
    """Sweeps through a grid."""
    pex: Count
    """Ranks along x."""
    pey: Count
    """Ranks along y."""
    iterations: Count = 1
    """Iterations per rank."""
    nx: Count = 50
    """Cells of a rank along x."""
    ny: Count = 50
    """Cells of a rank along y."""
    nz: Count = 50
    """Cells of a rank along z."""
    kba: Count = 1
    """Cells along z per step."""
    datatype_width: Count = 8
    """Bytes of a value."""
    fields_per_cell: Count = 8
    """Values of a cell."""
    flops_per_cell: Number = 275.0
    """Operations per cell, for the default of `computetime`."""
    nodeflops: Number = 1e9
    """Operations per second of a rank, for the default of `computetime`."""
    computetime: Nanoseconds | None = None
    """Computing per cell along z and value, in ns; at least 1. Default: from the operations."""

    def _compute(self) -> int:
        if self.computetime is not None:
            return self.computetime
        flops = float(self.nx * self.ny) * self.flops_per_cell
        return int(flops / self.nodeflops * 1e9) if self.nodeflops else 0

    def check(self, ranks: int) -> None:
        """Checks that the grid fits the ranks, that the blocks divide the cells, and the time."""
        fits((self.pex, self.pey), ranks, "pex", "pey")
        divides(self.kba, self.nz, ("kba", "nz"))
        if self._compute() == 0:
            message = "is 0, which Ember's Sweep3D does not take"
            raise fault(message, "write computetime=1 or more", "computetime")

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        step = self.kba * self.fields_per_cell
        corners = (("up", "up"), ("down", "up"), ("down", "down"), ("up", "down"))
        return self.delay() | {
            "kind": "corner_sweeps",
            "grid": [self.pex, self.pey],
            "message_bytes": [side * step * self.datatype_width for side in (self.nx, self.ny)],
            "sweeps": [
                {"ways": list(ways), "tag": 1000 * (number + 1)}
                for number, ways in enumerate(corners)
            ],
            "steps": self.nz // self.kba,
            "rounds": _ROUNDS,
            "iterations": self.iterations,
            "compute_ps": ps(self._compute() * step),
        }


class EmberNASLU(StartedMotif):
    """NASLU: a sweep from the first rank of a grid to the last, and one back.

    The start delay is in the fork of Kang et al.
    """

    kind: Literal["ember.NASLU"] = "ember.NASLU"
    """A sweep and a sweep back."""
    computetime: Nanoseconds = 1000
    """Computing per step, in ns."""
    pex: Count
    """Ranks along x."""
    pey: Count
    """Ranks along y."""
    iterations: Count = 1
    """Iterations per rank."""
    nx: Count = 50
    """Bytes to the neighbour along x, per cell along z."""
    ny: Count = 50
    """Bytes to the neighbour along y, per cell along z."""
    nz: Count = 50
    """Cells along z."""
    nzblock: Count = 1
    """Cells along z per step."""

    def check(self, ranks: int) -> None:
        """Checks that the grid fits the ranks, and that the blocks divide the cells."""
        fits((self.pex, self.pey), ranks, "pex", "pey")
        divides(self.nzblock, self.nz, ("nzblock", "nz"))

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return self.delay() | {
            "kind": "sweep",
            "grid": [self.pex, self.pey],
            "message_bytes": [side * self.nzblock for side in (self.nx, self.ny)],
            "steps": self.nz // self.nzblock,
            "iterations": self.iterations,
            "back": True,
            "compute_ps": ps(self.computetime),
        }
