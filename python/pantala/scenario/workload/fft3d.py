"""FFT3D: all-to-alls in the rows and the columns of a process array."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import model_validator

from pantala.scenario.base import Count, PositiveSize
from pantala.scenario.validation import fault, refuse_all
from pantala.scenario.workload.application import Application, Compute, grid_of
from pantala.units import Duration, Size

__all__ = ["Fft3d"]

#: Fitted time to transform one axis, for a cube with sides of 400 points on 528 ranks.
_AXIS = Duration.parse("136 us")


class Fft3d(Application):
    """FFT3D: all-to-alls in the rows and the columns of a two-dimensional process array.

    A cube of real numbers is transformed forward and back, in pencils.

    Source: Kang et al., SC 2022, IV and Table I (15,781.09 MB on 528 ranks, peak ingress 51.68 KB),
    with SST's FFT3D motif. Eight iterations with 400 points per side on an array of 22 x 24 ranks
    give that total, and their largest message has 51,680 B. The 136 us to transform an axis are
    fitted. SST's default is 121.2 us, one nanosecond per point.

    If `row_message` is set, all messages in a row have that size instead.
    """

    paper_ranks: ClassVar[int] = 528

    kind: Literal["fft3d"] = "fft3d"
    """A distributed three-dimensional Fourier transform."""
    grid: tuple[Count, Count] | None = None
    """Rows and columns of ranks. The product is the job's number of ranks. Default: the array
    nearest to a square."""
    points: Count = 400
    """Points along each side of the cube. The block sizes follow from it. Blocks are uneven if an
    axis does not divide evenly."""
    point: PositiveSize = Size(16)
    """Bytes per complex point."""
    row_message: PositiveSize | None = None
    """Bytes to each other rank of a row, independent of `points`."""
    column_message: PositiveSize | None = None
    """Bytes to each other rank of a column. Default: `row_message`."""
    iterations: Count = 8
    """Iterations per rank. Each has a forward and a backward transform."""
    compute_forward: Compute | None = None
    """Computing of the forward transform: one third each before, between and after its exchanges.
    With `row_message`, all of it comes before them. Default: 136 us per axis, or zero with
    `row_message`."""
    compute_backward: Compute | None = None
    """Computing of the backward transform: one quarter each before and between its exchanges, and
    the rest after them. With `row_message`, all of it comes before them. Default: 136 us per axis
    and twice that for the last axis, or zero with `row_message`."""

    @model_validator(mode="after")
    def _sizes_of_rows(self) -> Fft3d:
        if self.column_message is not None and self.row_message is None:
            raise fault(
                "has no effect without row_message",
                "add row_message, or remove it",
                "column_message",
            )
        if self.row_message is not None:
            idle = [key for key in ("points", "point") if key in self.model_fields_set]
            refuse_all(
                fault("has no effect with row_message", "remove one of the two", key)
                for key in idle
            )
        return self

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object for a job of `ranks`."""
        share = self.share(ranks)
        grid = grid_of(self.grid, ranks, 2)
        axes = 0 if self.row_message is not None else 1
        times = ((self.compute_forward, 3 * axes), (self.compute_backward, 4 * axes))
        forward, backward = (
            (given or Compute(time=Duration(count * _AXIS))).total(share) for given, count in times
        )
        if self.row_message is not None:
            return {
                "kind": "fft3d",
                "grid": grid,
                "row_message_bytes": self.part(self.row_message, ranks),
                "column_message_bytes": self.part(self.column_message or self.row_message, ranks),
                "iterations": self.iterations,
                "compute_forward_ps": forward,
                "compute_backward_ps": backward,
            }
        # Weak scaling keeps the points per rank, strong scaling keeps the cube.
        grown = 1.0 if self.scaling == "strong" else (ranks / self.paper_ranks) ** (1 / 3)
        return {
            "kind": "pencil_fft",
            "grid": grid,
            "points": max(1, round(self.points * grown)),
            "point_bytes": int(self.point),
            "iterations": self.iterations,
            "compute_forward_ps": [forward // 3, forward // 3, forward - 2 * (forward // 3)],
            "compute_backward_ps": [backward // 4, backward // 4, backward - 2 * (backward // 4)],
        }
