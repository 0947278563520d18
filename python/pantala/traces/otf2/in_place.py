"""Score-P's sizes of collectives with equal blocks, with and without MPI_IN_PLACE.

Score-P counts n blocks on n ranks, or n - 1 blocks with MPI_IN_PLACE. The trace does not say which,
and sizes that are multiples of both numbers fit both.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator

from pantala.traces.otf2.rank import Rank
from pantala.traces.otf2.sizes import given

__all__ = ["EQUAL", "EqualCalls", "is_in_place"]

#: The collectives whose sizes are a multiple of a block, by OTF2's name.
EQUAL = frozenset({"ALLREDUCE", "ALLGATHER", "ALLTOALL", "REDUCE_SCATTER_BLOCK"})

#: Elements of most data types have a multiple of these bytes.
_WORD = 4


def is_in_place(total: int, ranks: int) -> bool | None:
    """Returns whether a size is that of a call with MPI_IN_PLACE; None if both readings fit.

    If both numbers of blocks divide the size, and only one block is a multiple of 4 B, this block
    decides.

    Args:
        total: the size in the trace, in B.
        ranks: the ranks of the communicator.
    """
    if ranks == 1 or total % (ranks - 1):
        return False
    if total % ranks:
        return True
    whole = total // ranks % _WORD == 0
    return None if whole == (total // (ranks - 1) % _WORD == 0) else not whole


class EqualCalls:
    """The collectives with equal blocks of a trace of Score-P.

    A call that fits both readings follows the other calls of its function: it is in place if all of
    them are.
    """

    def __init__(self) -> None:
        self._known: dict[str, set[bool]] = defaultdict(set)
        #: Records and sizes of the calls that fit both, by function, rank and communicator's size.
        self._open: dict[tuple[str, Rank, int], tuple[array[int], array[int]]] = {}
        #: Calls of `note` that fit both, by function.
        self._assumed: Counter[str] = Counter()

    def block(self, name: str, total: int, ranks: int) -> int:
        """Returns the bytes of a block, not in place if both readings fit."""
        if total % ranks and (ranks == 1 or total % (ranks - 1)):
            return total
        place = is_in_place(total, ranks)
        if total and place is not None:
            self._known[name].add(place)
        return total // (ranks - 1 if place else ranks)

    def add(self, name: str, total: int, ranks: int, rank: Rank, record: int) -> None:
        """Keeps the record of a call for `settle` if both readings fit."""
        if total and ranks > 1 and is_in_place(total, ranks) is None:
            kept = self._open.setdefault((name, rank, ranks), (array("Q"), array("Q")))
            kept[0].append(record)
            kept[1].append(total)

    def note(self, name: str, ranks: int, in_place: bool | None) -> None:
        """Notes a call with a block per rank, which all ranks together have read.

        Args:
            name: OTF2's name.
            ranks: the ranks of the communicator.
            in_place: how the call is read; None if both readings fit.
        """
        if in_place is None:
            self._assumed[name] += ranks
        else:
            self._known[name].add(in_place)

    def settle(self) -> Iterator[str]:
        """Corrects the records of calls that are in place. Yields what stays uncertain."""
        uncertain = Counter[str]()
        for name, calls in self._assumed.items():
            if self._known[name] != {False}:
                uncertain[name] += calls
        for (name, rank, ranks), (records, totals) in self._open.items():
            known = self._known[name]
            if known == {False}:
                continue
            if known != {True}:
                uncertain[name] += len(records)
                continue
            for record, size in zip(records, totals, strict=True):
                block = size // (ranks - 1)
                rank.file.change(record, first=block)
                more = block - size // ranks
                rank.given += given(name, more, 0, ranks, 0)
        if uncertain:
            named = ", ".join(
                f"{number:,} MPI_{name.capitalize()}" for name, number in sorted(uncertain.items())
            )
            yield (
                f"{named}: their sizes fit calls with and without MPI_IN_PLACE; the replay assumes"
                " calls without it. If they are in place, their blocks on n ranks are too small by"
                " the factor (n - 1) / n"
            )
