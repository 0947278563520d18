"""StencilNd: a stencil in any number of dimensions."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import override

from pantala.models.base import Count, Index
from pantala.workloads.ember.motif import DOUBLE, Nanoseconds, StartedMotif, fits, ps

__all__ = ["EmberStencilNd"]


class EmberStencilNd(StartedMotif):
    """StencilNd: ranks of a grid exchange with all upper neighbours, then with all lower ones.

    Only in the fork of Kang et al.; their Stencil5D is one with five dimensions.
    """

    kind: Literal["ember.StencilNd"] = "ember.StencilNd"
    """A stencil with one message size."""
    gridsize: Annotated[tuple[Count, ...], Field(min_length=1, max_length=8)]
    """Ranks along each dimension, the first fastest: one to eight."""
    fields_per_cell: Count = 1
    """Values of a message."""
    datatype_width: Count = 8
    """Bytes of a value."""
    doreduce: Index = 1
    """Whether an allreduce of 8 B ends each iteration: 1 for yes."""
    computetime: Nanoseconds = 0
    """Computing per iteration, in ns."""
    iterations: Count = 1
    """Iterations per rank."""

    def check(self, ranks: int) -> None:
        """Checks that the grid fits the ranks."""
        fits(self.gridsize, ranks, "gridsize")

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        message = self.fields_per_cell * self.datatype_width
        return self.delay() | {
            "kind": "stencil",
            "exchange": "upper_then_lower",
            "grid": list(self.gridsize),
            "message_bytes": [message] * len(self.gridsize),
            "iterations": self.iterations,
            "compute_ps": ps(self.computetime),
            "reduction_bytes": DOUBLE if self.doreduce == 1 else 0,
        }
