"""The base of applications that run only on some numbers of ranks."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from pantala.models.base import fault
from pantala.workloads.application import Application

__all__ = ["RankConstrained"]

#: `RankConstrained.nearest` searches up to twice the ranks plus this number.
_FAR = 1024


class RankConstrained(Application):
    """An application that runs only on some numbers of ranks.

    A message about a wrong number names the nearest possible ones. They are found by trial.
    """

    #: What the application needs, for the message about a wrong number of ranks.
    needs: ClassVar[str]

    @abstractmethod
    def takes(self, ranks: int) -> bool:
        """Returns whether the application can run on this number of ranks."""

    def nearest(self, ranks: int) -> list[int]:
        """Returns the nearest possible numbers of ranks: one below and one above, if they exist."""
        below = next((fewer for fewer in range(ranks - 1, 0, -1) if self.takes(fewer)), None)
        above = next(
            (more for more in range(ranks + 1, 2 * ranks + _FAR) if self.takes(more)), None
        )
        return [number for number in (below, above) if number is not None]

    def check(self, ranks: int) -> None:
        """Checks that the application can run on this number of ranks.

        Raises:
            PydanticCustomError: it cannot. The remedy names the nearest possible numbers.
        """
        if not self.takes(ranks):
            numbers = (
                " or ".join(str(number) for number in self.nearest(ranks))
                or "another number of ranks"
            )
            kind: Any = type(self).model_fields["kind"].default
            raise fault(f"{kind} needs {self.needs}", f"write {numbers}", "ranks")
