"""Null: nothing between the start and the end of MPI."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import override

from pantala.workloads.ember.motif import EmberMotif

__all__ = ["EmberNull"]


class EmberNull(EmberMotif):
    """Null: no operation; the ranks only start and end MPI."""

    kind: Literal["ember.Null"] = "ember.Null"
    """No operation."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return {"kind": "idle"}
