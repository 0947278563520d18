"""FFT3D: a Fourier transform of a cube of points in pencils."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import override

from pantala.models.base import Count, fault
from pantala.workloads.ember.motif import Nanoseconds, Number, StartedMotif, ps

__all__ = ["EmberFFT3D"]

#: Bytes of a complex number.
_POINT = 16


class EmberFFT3D(StartedMotif):
    """FFT3D: transforms of a cube with alltoallv in rows and columns of the ranks.

    Rank r is in row r mod `npRow`. The start delay is in the fork of Kang et al.
    """

    kind: Literal["ember.FFT3D"] = "ember.FFT3D"
    """A Fourier transform in three dimensions."""
    nx: Count = 100
    """Points along x; equal to `ny` and `nz`."""
    ny: Count = 100
    """Points along y."""
    nz: Count = 100
    """Points along z."""
    npRow: Count
    """Rows of the ranks; a divisor of their number."""
    iterations: Count = 1
    """Iterations per rank, each a forward and a backward transform."""
    nsPerElement: Number = 1
    """Computing per point, in ns."""
    fwd_fft1: Number = 1
    """Factor of the first forward computing."""
    fwd_fft2: Number = 1
    """Factor of the second forward computing."""
    fwd_fft3: Number = 1
    """Factor of the third forward computing."""
    bwd_fft1: Number = 1
    """Factor of the first backward computing."""
    bwd_fft2: Number = 1
    """Factor of the second backward computing."""
    bwd_fft3: Number = 1
    """Factor of the third backward computing, which is twice as long."""
    wait2start: Nanoseconds = 1
    """Computing before the first iteration, after the communicators exist, in ns. Only in the fork
    of Kang et al."""

    def check(self, ranks: int) -> None:
        """Checks that the points form a cube, and that the rows divide the ranks."""
        for key, side in (("ny", self.ny), ("nz", self.nz)):
            if side != self.nx:
                raise fault(f"differs from nx = {self.nx}", f"write {key}={self.nx}", key)
        if ranks % self.npRow:
            divisors = [each for each in range(1, ranks + 1) if ranks % each == 0]
            close = min(divisors, key=lambda each: abs(each - self.npRow))
            message = f"does not divide the number of ranks, {ranks}"
            raise fault(message, f"write e.g. npRow={close}", "npRow")
        columns = ranks // self.npRow
        least = max(columns, 2 * self.npRow - 2, 1)
        if self.nx < least:
            message = f"is too small for {self.npRow} rows and {columns} columns of ranks"
            raise fault(message, f"write {least} or more", "nx")
        if self._unit(ranks) <= 0:
            message = "gives no computing, which Ember's FFT3D does not take"
            raise fault(message, "write a larger number", "nsPerElement")

    def _unit(self, ranks: int) -> float:
        """Returns the computing of one step with a factor of 1, in ns."""
        return self.nsPerElement * self.nx * (self.ny * self.nz // ranks)

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        unit = self._unit(ranks)
        forward = (self.fwd_fft1, self.fwd_fft2, self.fwd_fft3)
        backward = (self.bwd_fft1, self.bwd_fft2, 2 * self.bwd_fft3)
        return self.delay() | {
            "kind": "pencil_fft",
            "grid": [self.npRow, ranks // self.npRow],
            "points": self.nx,
            "point_bytes": _POINT,
            "iterations": self.iterations,
            "compute_forward_ps": [ps(unit * factor) for factor in forward],
            "compute_backward_ps": [ps(unit * factor) for factor in backward],
            "communicator_barriers": True,
        }
