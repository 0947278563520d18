"""FFT3D: all-to-alls in rows and columns."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pantala.scenario.base import Count, PositiveSize
from pantala.scenario.workload.application import Application, Compute, grid_of
from pantala.units import Duration, Size

__all__ = ["Fft3d"]


class Fft3d(Application):
    """FFT3D: all-to-all in the rows and in the columns of a two-dimensional array of ranks.

    An iteration: forward computing, rows, columns, backward computing, columns, rows.
    Source: Kang et al., SC 2022, IV and Table I.
    """

    paper_ranks: ClassVar[int] = 528

    kind: Literal["fft3d"] = "fft3d"
    """A distributed three-dimensional Fourier transform."""
    grid: tuple[Count, Count] | None = None
    """Rows and columns of ranks; their product is the job's ranks. If not given, the array nearest to a square."""
    row_message: PositiveSize = Size(51_680)
    """Bytes to each other rank of a row."""
    column_message: PositiveSize | None = None
    """Bytes to each other rank of a column; as `row_message` if not given."""
    iterations: Count = 1
    """Iterations of every rank."""
    compute_forward: Compute = Compute(time=Duration(0))
    """Computing before the forward transform's exchanges."""
    compute_backward: Compute = Compute(time=Duration(0))
    """Computing before the backward transform's exchanges."""

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """The plan's workload object, for a job of `ranks`."""
        share = self.share(ranks)
        return {
            "kind": "fft3d",
            "grid": grid_of(self.grid, ranks, 2),
            "row_message_bytes": self.part(self.row_message, ranks),
            "column_message_bytes": self.part(self.column_message or self.row_message, ranks),
            "iterations": self.iterations,
            "compute_forward_ps": self.compute_forward.total(share),
            "compute_backward_ps": self.compute_backward.total(share),
        }
