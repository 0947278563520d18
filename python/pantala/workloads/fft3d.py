"""FFT3D: all-to-alls in the rows and the columns of a process array."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import model_validator
from typing_extensions import override

from pantala.models.base import Count, Flag, PositiveSize, UnsignedDuration
from pantala.models.validation import fault, refuse_all
from pantala.text.units import Duration, Size
from pantala.workloads.application import Application, Compute, grid_of
from pantala.workloads.start_delay import START_DELAY

__all__ = ["Fft3d"]


class Fft3d(Application):
    """FFT3D: all-to-alls in the rows and the columns of a two-dimensional process array.

    A cube of real numbers is transformed forward and back, in pencils.

    Source: Kang et al., SC 2022, IV and Table I (15,781.09 MB on 528 ranks, peak ingress 51.68 KB),
    with SST's FFT3D motif. Eight iterations with 400 points per side on an array of 22 x 24 ranks,
    with SST's headers, give that total, and their largest message has 51,680 B. The computing is
    SST's default: 1 ns per point, 121.2 us per axis.

    The ranks of a column are consecutive. As in SST, the communicators of rows and columns are made
    before the start delay, with a barrier of all ranks each, and end with a barrier each.

    If `row_message` is set, all messages in a row have that size instead, the ranks of a row are
    consecutive, and there are no barriers.
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
    point_time: UnsignedDuration = Duration.parse("1 ns")
    """Computing per point and axis."""
    iterations: Count = 8
    """Iterations per rank. Each has a forward and a backward transform."""
    compute_forward: Compute | None = None
    """Computing of the forward transform: one third each before, between and after its exchanges.
    With `row_message`, all of it comes before them. Default: from `point_time`, or zero with
    `row_message`."""
    compute_backward: Compute | None = None
    """Computing of the backward transform: one quarter each before and between its exchanges, and
    the rest after them. With `row_message`, all of it comes before them. Default: from
    `point_time`, with twice the time for the last axis, or zero with `row_message`."""
    communicator_barriers: Flag = True
    """Whether the communicators of rows and columns cost barriers: one of all ranks each before the
    first iteration, and one of their own ranks each at the end. Not with `row_message`."""
    start_delay: UnsignedDuration = START_DELAY
    """Computing before the first iteration. It is part of the execution times of the paper."""
    scaling: Literal["weak", "strong"] = "strong"
    """Scaling to other numbers of ranks than the paper's. strong keeps the cube. weak keeps each
    rank's points. The sizes of `row_message` and `column_message` scale only if this key is set."""

    @model_validator(mode="after")
    def _sizes_of_rows(self) -> Fft3d:
        if self.column_message is not None and self.row_message is None:
            raise fault(
                "has no effect without row_message",
                "add row_message, or remove it",
                "column_message",
            )
        if self.row_message is not None:
            idle = [
                key
                for key in ("points", "point", "point_time", "communicator_barriers")
                if key in self.model_fields_set
            ]
            refuse_all(
                fault("has no effect with row_message", "remove one of the two", key)
                for key in idle
            )
        return self

    def share(self, ranks: int) -> float:
        """Returns the work per rank on `ranks` ranks, relative to the keys' values."""
        if self.row_message is not None and "scaling" not in self.model_fields_set:
            return 1.0
        return super().share(ranks)

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        share = self.share(ranks)
        grid = grid_of(self.grid, ranks, 2)
        # Weak scaling keeps the points per rank, strong scaling keeps the cube.
        grown = 1.0 if self.scaling == "strong" else (ranks / self.paper_ranks) ** (1 / 3)
        points = max(1, round(self.points * grown))
        axis = 0
        if self.row_message is None:
            axis = int(self.point_time) * points * (points * points // ranks)
        given = (self.compute_forward, self.compute_backward)
        forward, backward = (
            axes * axis if compute is None else compute.total(share)
            for compute, axes in zip(given, (3, 4), strict=True)
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
                "start_delay_ps": int(self.start_delay),
            }
        return {
            "kind": "pencil_fft",
            "grid": grid,
            "points": points,
            "point_bytes": int(self.point),
            "iterations": self.iterations,
            "compute_forward_ps": [forward // 3, forward // 3, forward - 2 * (forward // 3)],
            "compute_backward_ps": [backward // 4, backward // 4, backward - 2 * (backward // 4)],
            "communicator_barriers": self.communicator_barriers,
            "start_delay_ps": int(self.start_delay),
        }
