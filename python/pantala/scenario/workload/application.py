"""What all applications share: iterations, computing between messages, and how they scale with the
number of ranks.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Literal

from pydantic import model_validator

from pantala import native
from pantala.errors import UsageError
from pantala.scenario.base import Count, Model, UnsignedDuration, fault
from pantala.units import Duration, Size

__all__ = ["Application", "Compute", "grid_of", "shrunk", "sizes"]


class Compute(Model):
    """How long a rank computes: a time, or one for every element that it holds."""

    shorthand: ClassVar[str | None] = "time"

    time: UnsignedDuration = Duration(0)
    """A fixed time."""
    per_element: UnsignedDuration = Duration(0)
    """A time for each of `elements`, on top of the fixed one."""
    elements: Count | None = None
    """How many elements a rank holds (of a job of the paper's number of ranks, if scaling is
    strong); needed with `per_element`."""

    @model_validator(mode="after")
    def _whole_pair(self) -> Compute:
        if self.per_element and self.elements is None:
            raise fault(
                "a time for each of how many elements?", "say `elements` too", "per_element"
            )
        return self

    def total(self, share: float) -> int:
        """The time in ps where a rank holds `share` of the elements that the keys speak of."""
        elements = round((self.elements or 0) * share)
        return round(int(self.time) * share) + int(self.per_element) * elements


class Application(Model):
    """The communication skeleton of an application.

    Sizes and times are those of the paper, for its number of ranks. `scaling` says what another
    number of ranks means: the same for every rank (weak), or the same in all (strong), so that a
    rank's part shrinks.
    """

    #: For how many ranks sizes and times are given.
    paper_ranks: ClassVar[int]

    iterations: Count
    """Iterations of every rank."""
    scaling: Literal["weak", "strong"] = "weak"
    """What stays the same with another number of ranks than the paper's: weak, a rank's part of the
    problem; strong, the whole problem, so that sizes and times of a rank change."""

    @classmethod
    def __pydantic_init_subclass__(cls, **arguments: Any) -> None:
        """Refuses an application, which has a `kind`, without `paper_ranks`.

        Raises:
            UsageError: the class does not set it.
        """
        super().__pydantic_init_subclass__(**arguments)
        if "kind" in cls.model_fields and not hasattr(cls, "paper_ranks"):
            remedy = (
                "write `paper_ranks: ClassVar[int] = N`, the number of ranks that sizes and times"
                " are given for"
            )
            raise UsageError(f"class {cls.__name__}: paper_ranks is not set; {remedy}")

    @property
    def application(self) -> str:
        """The name of the application, which is its kind."""
        name: str = type(self).model_fields["kind"].default
        return name

    def share(self, ranks: int) -> float:
        """How much a rank has to do, compared with what the keys say."""
        return 1.0 if self.scaling == "weak" else self.paper_ranks / ranks

    def face(self, size: int, ranks: int, dimensions: int) -> int:
        """The size in bytes of a message that is the surface of a rank's part of `dimensions`: at
        least one byte.
        """
        shrunk: float = self.share(ranks) ** ((dimensions - 1) / dimensions)
        return max(1, round(size * shrunk))

    def part(self, size: int, ranks: int) -> int:
        """The size in bytes of a message that is in proportion to a rank's part: at least one
        byte.
        """
        return max(1, round(size * self.share(ranks)))

    def check(self, ranks: int) -> None:
        """Refuses a number of ranks that the application cannot have, naming the nearest ones that
        it can.
        """

    @abstractmethod
    def as_plan(self, ranks: int) -> dict[str, Any]:
        """The plan's workload object, for a job of `ranks`."""


def grid_of(grid: tuple[int, ...] | None, ranks: int, dimensions: int) -> list[int]:
    """The grid given, or the one of `ranks` that is nearest to a cube, extents rising."""
    return native.process_grid(ranks, dimensions) if grid is None else list(grid)


def sizes(values: Size | tuple[Size, ...], dimensions: int) -> list[int]:
    """A size for every dimension."""
    return (
        [int(value) for value in values]
        if isinstance(values, tuple)
        else [int(values)] * dimensions
    )


def shrunk(points: tuple[int, ...], share: float) -> list[int]:
    """The sides of a part of the problem that has `share` of the points; at least one point
    each.
    """
    return [max(1, round(side * share ** (1 / len(points)))) for side in points]
