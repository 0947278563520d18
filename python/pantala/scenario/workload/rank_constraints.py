"""Applications that not every number of ranks can run."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from pantala.scenario.base import fault
from pantala.scenario.workload.application import Application

__all__ = ["RankConstrained"]

#: How far above twice the ranks a number is looked for that will do.
_FAR = 1024


class RankConstrained(Application):
    """An application that says of a number of ranks whether it can run it; the nearest that can are
    found by trying.
    """

    #: What it needs its ranks for.
    needs: ClassVar[str]

    @abstractmethod
    def takes(self, ranks: int) -> bool:
        """Whether so many ranks can run it."""

    def nearest(self, ranks: int) -> list[int]:
        """The nearest numbers of ranks that can run it: one below, one above, as far as there
        are.
        """
        below = next((fewer for fewer in range(ranks - 1, 0, -1) if self.takes(fewer)), None)
        above = next(
            (more for more in range(ranks + 1, 2 * ranks + _FAR) if self.takes(more)), None
        )
        return [number for number in (below, above) if number is not None]

    def check(self, ranks: int) -> None:
        """Refuses a number of ranks that cannot run it."""
        if not self.takes(ranks):
            numbers = (
                " or ".join(str(number) for number in self.nearest(ranks))
                or "another number of ranks"
            )
            kind: Any = type(self).model_fields["kind"].default
            raise fault(f"{kind} needs {self.needs}", f"write {numbers}", "ranks")
