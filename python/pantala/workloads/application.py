"""The base of all applications: iterations, computing between messages, and scaling."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Literal

from pydantic import model_validator

from pantala.core import native
from pantala.errors import UsageError
from pantala.models.base import Count, Model, UnsignedDuration, fault
from pantala.text.units import Duration, Size

__all__ = ["Application", "Compute", "grid_of", "shrunk", "sizes"]


class Compute(Model):
    """The time that a rank computes: a fixed time, a time per element, or both."""

    shorthand: ClassVar[str | None] = "time"

    time: UnsignedDuration = Duration(0)
    """A fixed time."""
    per_element: UnsignedDuration = Duration(0)
    """Time per element, added to the fixed time. Needs `elements`."""
    elements: Count | None = None
    """Elements per rank. With strong scaling, this is the number per rank of a job with the paper's
    number of ranks. Needed with `per_element`."""

    @model_validator(mode="after")
    def _whole_pair(self) -> Compute:
        if self.per_element and self.elements is None:
            raise fault("needs the number of elements", "add elements = ...", "per_element")
        return self

    def total(self, share: float) -> int:
        """Returns the time in ps of a rank that holds `share` of the elements given in the keys."""
        elements = round((self.elements or 0) * share)
        return round(int(self.time) * share) + int(self.per_element) * elements


class Application(Model):
    """The communication skeleton of an application.

    The default sizes and times are the paper's values for the paper's number of ranks. `scaling`
    sets what changes for another number of ranks. With weak scaling each rank keeps its part of the
    problem. With strong scaling the whole problem stays the same, so each rank has a smaller part.
    """

    #: The number of ranks that the default sizes and times are for.
    paper_ranks: ClassVar[int]

    iterations: Count
    """Iterations per rank."""
    scaling: Literal["weak", "strong"] = "weak"
    """Scaling to other numbers of ranks than the paper's. weak keeps each rank's part of the
    problem. strong keeps the whole problem, so that sizes and times per rank change."""

    @classmethod
    def __pydantic_init_subclass__(cls, **arguments: Any) -> None:
        """Checks that an application class with a `kind` sets `paper_ranks`.

        Raises:
            UsageError: the class does not set `paper_ranks`.
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
        """The name of the application, equal to its kind."""
        name: str = type(self).model_fields["kind"].default
        return name

    def share(self, ranks: int) -> float:
        """Returns the work per rank on `ranks` ranks, relative to the keys' values."""
        return 1.0 if self.scaling == "weak" else self.paper_ranks / ranks

    def face(self, size: int, ranks: int, dimensions: int) -> int:
        """Returns the bytes of a message that holds one face of a rank's part, at least one byte.

        Args:
            size: bytes of the message on the paper's number of ranks.
            ranks: the job's number of ranks.
            dimensions: dimensions of a rank's part; the face has one less.
        """
        shrunk: float = self.share(ranks) ** ((dimensions - 1) / dimensions)
        return max(1, round(size * shrunk))

    def part(self, size: int, ranks: int) -> int:
        """Returns the bytes of a message proportional to a rank's part, at least one byte."""
        return max(1, round(size * self.share(ranks)))

    def check(self, ranks: int) -> None:
        """Checks that the application can run on this number of ranks.

        Raises:
            PydanticCustomError: it cannot. The remedy names the nearest possible numbers.
        """

    @abstractmethod
    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object for a job of `ranks`."""


def grid_of(
    grid: tuple[int, ...] | None, ranks: int, dimensions: int, *, falling: bool = False
) -> list[int]:
    """Returns `grid`, or else the grid of `ranks` nearest to a cube, with rising extents.

    Args:
        grid: the given grid.
        ranks: the number of ranks.
        dimensions: the number of dimensions.
        falling: whether the extents of the grid nearest to a cube fall.
    """
    if grid is not None:
        return list(grid)
    extents = native.process_grid(ranks, dimensions)
    return extents[::-1] if falling else extents


def sizes(values: Size | tuple[Size, ...], dimensions: int) -> list[int]:
    """Returns one size in bytes per dimension."""
    return (
        [int(value) for value in values]
        if isinstance(values, tuple)
        else [int(values)] * dimensions
    )


def shrunk(points: tuple[int, ...], share: float) -> list[int]:
    """Returns the sides of a part with `share` of the points, at least one point each."""
    return [max(1, round(side * share ** (1 / len(points)))) for side in points]
