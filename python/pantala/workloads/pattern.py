"""Patterns: synthetic traffic at an offered load."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic_core import PydanticCustomError

from pantala.errors import show
from pantala.models.base import Count, Flag, Index, PositiveSize
from pantala.models.keys import PatternKeys
from pantala.models.validation import fault

__all__ = ["Pattern"]

_OF_NEIGHBOR_3D = ("grid", "dimension", "message", "periodic")


class Pattern(PatternKeys):
    """Synthetic traffic at an offered load: every rank sends packets until the run ends.

    The run ends when the jobs with an end have ended, or after `stop.duration`.
    """

    kind: Literal["pattern"] = "pattern"
    """Synthetic traffic."""
    hotspots: tuple[Index, ...] = (0,)
    """Ranks that receive more than their share. Only for the pattern hotspot."""
    grid: tuple[Count, Count, Count] | None = None
    """Process grid x, y, z of `neighbor_3d`, x fastest. The product is the job's number of ranks.
    Default: the grid nearest to a cube, longest side first, so that neighbours along the last
    dimension are farthest apart."""
    dimension: Literal[0, 1, 2] = 2
    """Dimension of the grid along which `neighbor_3d` exchanges: 0 is x, 1 is y, 2 is z."""
    message: PositiveSize | None = None
    """Bytes that `neighbor_3d` sends to one neighbour before it turns to the other, in whole
    packets. Default: one packet, so that both exchanges run at the same time. Prisacari et al. use
    256 KB."""
    periodic: Flag = False
    """Whether the first and the last rank along the dimension of `neighbor_3d` are neighbours.
    Otherwise a rank at the edge sends to its only neighbour."""

    @classmethod
    def between_fields(cls, made: Any, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """Yields a fault for each key that the pattern does not read."""
        yield from super().between_fields(made, data)
        owners = {"hotspots": "hotspot"} | dict.fromkeys(_OF_NEIGHBOR_3D, "neighbor_3d")
        for key, owner in owners.items():
            if key in data and made.pattern != owner:
                remedy = f"remove it, or set pattern to {show(owner)}"
                yield fault(f"has no effect under pattern = {show(made.pattern)}", remedy, key)

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object for a job of `ranks`.

        It leaves out the keys of `neighbor_3d` that are not given or have no effect.
        """
        of_grid = self.pattern == "neighbor_3d"
        idle = {key for key in _OF_NEIGHBOR_3D if not of_grid or getattr(self, key) is None}
        plan = self.model_dump(mode="json", exclude=idle | {"message"})
        if "message" not in idle:
            plan["message_bytes"] = int(self.message or 0)
        return plan
