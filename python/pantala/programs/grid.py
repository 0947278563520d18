"""A communicator whose ranks form a grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pantala.programs.communicator import Communicator
from pantala.programs.values import NULL

if TYPE_CHECKING:
    from pantala.programs.recording import Recording

__all__ = ["CartesianCommunicator"]


class CartesianCommunicator(Communicator):
    """A communicator whose ranks form a grid, last dimension fastest."""

    __slots__ = ("dims", "periods")

    def __init__(
        self,
        recording: Recording,
        recorder: Any,
        me: int,
        number: int,
        rank: int,
        size: int,
        *,
        dims: list[int],
        periods: list[bool],
    ) -> None:
        super().__init__(recording, recorder, me, number, rank, size)
        #: The extent of each dimension.
        self.dims = dims
        #: Whether each dimension is periodic.
        self.periods = periods

    @property
    def coords(self) -> list[int]:
        """The coordinates of this rank."""
        return self.coords_of(self.rank)

    def coords_of(self, rank: int) -> list[int]:
        """Returns the coordinates of a rank."""
        found = []
        for extent in reversed(self.dims):
            rank, at = divmod(rank, extent)
            found.append(at)
        return found[::-1]

    def rank_of(self, coords: Sequence[int]) -> int:
        """Returns the rank at these coordinates; PROC_NULL beyond the edge of the grid."""
        rank = 0
        for at, extent, periodic in zip(coords, self.dims, self.periods, strict=True):
            if not (periodic or 0 <= at < extent):
                return NULL
            rank = rank * extent + at % extent
        return rank

    def shift(self, dimension: int, displacement: int = 1) -> tuple[int, int]:
        """Returns source and destination of a shift along a dimension.

        PROC_NULL stands for the ranks beyond the edge of the grid.
        """
        here = self.coords
        back, forth = list(here), list(here)
        back[dimension] -= displacement
        forth[dimension] += displacement
        return self.rank_of(back), self.rank_of(forth)

    def sub(self, keep: Sequence[bool]) -> CartesianCommunicator | None:
        """Returns the slice of the grid that contains this rank.

        Args:
            keep: whether the slice has each dimension.
        """
        color = key = 0
        for at, extent, kept in zip(self.coords, self.dims, keep, strict=True):
            if kept:
                key = key * extent + at
            else:
                color = color * extent + at
        made = self.split(color, key)
        if made is None:
            return None
        dims = [extent for extent, kept in zip(self.dims, keep, strict=True) if kept]
        periods = [periodic for periodic, kept in zip(self.periods, keep, strict=True) if kept]
        return CartesianCommunicator(
            self._recording,
            self._recorder,
            self._me,
            made._id,
            made.rank,
            made.size,
            dims=dims,
            periods=periods,
        )
