"""Patterns: synthetic traffic at an offered load."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic_core import PydanticCustomError

from pantala.errors import show
from pantala.scenario.base import Count, Flag, Index, PositiveSize
from pantala.scenario.keys import PatternKeys
from pantala.scenario.validation import fault

__all__ = ["Pattern"]

_OF_NEIGHBOR_3D = ("grid", "dimension", "message", "periodic")


class Pattern(PatternKeys):
    """Synthetic traffic at an offered load, without end: every rank sends packet after packet to
    the others.

    Ends only with the run: when the jobs that do end have ended, or after `stop.duration`.
    """

    kind: Literal["pattern"] = "pattern"
    """Synthetic traffic."""
    hotspots: tuple[Index, ...] = (0,)
    """The ranks that receive more than their share, with the pattern hotspot."""
    grid: tuple[Count, Count, Count] | None = None
    """The process grid x, y, z of `neighbor_3d`, x fastest; their product is the job's ranks. If
    not given: the one nearest to a cube, the longest side first, so that the last dimension is the
    most remote one."""
    dimension: Literal[0, 1, 2] = 2
    """Along which dimension of the grid `neighbor_3d` exchanges: 0 is x, 1 is y, 2 is z."""
    message: PositiveSize | None = None
    """Bytes that `neighbor_3d` sends to one neighbour before the other's turn, in whole packets;
    one packet if not given, so that both exchanges go on at once. 256 KB in Prisacari et al."""
    periodic: Flag = False
    """Whether the first and the last rank along the dimension of `neighbor_3d` are neighbours; if
    not, a rank at the edge sends to its only neighbour."""

    @classmethod
    def between_fields(cls, made: Any, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """The faults of keys that the pattern does not read."""
        yield from super().between_fields(made, data)
        owners = {"hotspots": "hotspot"} | dict.fromkeys(_OF_NEIGHBOR_3D, "neighbor_3d")
        for key, owner in owners.items():
            if key in data and made.pattern != owner:
                remedy = f"remove it, or set pattern to {show(owner)}"
                yield fault(f"has no effect under pattern = {show(made.pattern)}", remedy, key)

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """The plan's workload object: every key but those of `neighbor_3d` that have no effect or
        are left open.
        """
        of_grid = self.pattern == "neighbor_3d"
        idle = {key for key in _OF_NEIGHBOR_3D if not of_grid or getattr(self, key) is None}
        plan = self.model_dump(mode="json", exclude=idle | {"message"})
        if "message" not in idle:
            plan["message_bytes"] = int(self.message or 0)
        return plan
