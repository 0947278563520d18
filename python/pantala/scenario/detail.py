"""The detail of a simulation: by the packet, or in coarse packets that stand for several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic_core import PydanticCustomError

from pantala.scenario.base import fault
from pantala.scenario.keys import DetailKeys

__all__ = ["COARSE", "Detail"]

#: How many packets a simulated packet can stand for.
COARSE = (1, 2, 4, 8)


class Detail(DetailKeys):
    """How much detail the simulation keeps: `"packet"`, or `{ coarsen = 4 }` for packets four times
    as long.

    Coarse runs are faster and less exact: docs/explanation/coarsening.md has the known error.
    """

    shorthand: ClassVar[str | None] = "level"

    level: Literal["packet"] = "packet"
    """What moves: a packet. There is no other level yet."""

    @classmethod
    def between_keys(cls, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """The numbers that are in range and yet no choice."""
        coarsen = data.get("coarsen", 1)
        if isinstance(coarsen, int) and 1 <= coarsen <= COARSE[-1] and coarsen not in COARSE:
            yield fault("must be 1, 2, 4 or 8", "give one of these", "coarsen")
