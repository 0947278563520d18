"""Unstructured: exchanges along the edges of a graph in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from typing_extensions import override

from pantala.models.base import Count, fault
from pantala.workloads.ember.matrix_market import MatrixFault, neighbours_of
from pantala.workloads.ember.motif import EmberMotif, Nanoseconds, ps

__all__ = ["EmberUnstructured"]


class EmberUnstructured(EmberMotif):
    """Unstructured: each rank exchanges with its neighbours in a graph.

    The graph is a MatrixMarket file with one row per rank. It must be symmetric, because each rank
    waits for a message from every rank to which it sends.
    """

    kind: Literal["ember.Unstructured"] = "ember.Unstructured"
    """Neighbours in a graph."""
    graphfile: str
    """The MatrixMarket file. In a load file, the path is relative to that file; in a scenario, to
    the current directory."""
    p_size: Count = 10_000
    """Cells on an edge of the graph."""
    fields_per_cell: Count = 1
    """Values of a cell."""
    datatype_width: Count = 8
    """Bytes of a value."""
    iterations: Count = 1
    """Iterations per rank."""
    computetime: Nanoseconds = 0
    """Computing per iteration, in ns."""

    def check(self, ranks: int) -> None:
        """Checks that the graph is symmetric and has one vertex per rank."""
        try:
            neighbours = neighbours_of(Path(self.graphfile))
        except MatrixFault as error:
            raise fault(error.message, error.remedy, "graphfile") from None
        if len(neighbours) != ranks:
            message = f"has {len(neighbours)} rows, but the job has {ranks} ranks"
            raise fault(message, "give the job as many ranks as the graph has rows", "graphfile")
        for rank, others in enumerate(neighbours):
            for other in others:
                if rank not in neighbours[other]:
                    message = f"has an edge from {rank + 1} to {other + 1}, but none back"
                    remedy = "make the matrix symmetric: each rank waits for a message back"
                    raise fault(message, remedy, "graphfile")

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return {
            "kind": "graph_exchange",
            "neighbours": neighbours_of(Path(self.graphfile)),
            "message_bytes": self.p_size * self.fields_per_cell * self.datatype_width,
            "iterations": self.iterations,
            "compute_ps": ps(self.computetime),
        }
