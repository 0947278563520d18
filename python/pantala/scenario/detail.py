"""The detail of a simulation: single packets, or coarse packets that stand for several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic_core import PydanticCustomError

from pantala.models.base import fault
from pantala.models.keys import DetailKeys

__all__ = ["COARSE", "Detail"]

#: The numbers of packets that one simulated packet can stand for.
COARSE = (1, 2, 4, 8)


class Detail(DetailKeys):
    """The detail of a simulation: single packets or coarse packets.

    `"packet"` simulates every packet. `{ coarsen = 4 }` simulates packets that are four times as
    long. Coarse runs are faster and less exact. docs/explanation/coarsening.md gives the known
    error.
    """

    shorthand: ClassVar[str | None] = "level"

    level: Literal["packet"] = "packet"
    """The unit of simulated traffic. Only packet is available."""

    @classmethod
    def between_keys(cls, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """Yields a fault for a `coarsen` in range that is not one of the possible values."""
        coarsen = data.get("coarsen", 1)
        if isinstance(coarsen, int) and 1 <= coarsen <= COARSE[-1] and coarsen not in COARSE:
            yield fault("must be 1, 2, 4 or 8", "write one of these numbers", "coarsen")
