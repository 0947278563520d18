"""Collectives whose bytes follow from the sizes of all ranks: those with unequal blocks, and Scan.

Tools write other sizes for the same call, and Score-P other ones with MPI_IN_PLACE. Their sums tell
which sizes they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from pantala.core.operation_codes import Code
from pantala.traces.otf2.in_place import EqualCalls, is_in_place
from pantala.traces.otf2.rank import Communicator, Rank

__all__ = ["UNEQUAL", "Unequal", "UnequalCalls", "evened"]

#: Operation of these collectives, by OTF2's name.
UNEQUAL: Mapping[str, Code] = {
    "ALLGATHERV": Code.ALLGATHERV,
    "GATHERV": Code.GATHERV,
    "SCATTERV": Code.SCATTERV,
    "REDUCE_SCATTER": Code.REDUCE_SCATTER,
    "ALLTOALLV": Code.ALLTOALLV,
    "ALLTOALLW": Code.ALLTOALLV,
    "SCAN": Code.SCAN,
}
#: Those whose sizes Score-P multiplies.
_DIVIDED = frozenset({"ALLGATHERV", "REDUCE_SCATTER"})


@dataclass
class Unequal:
    """A collective whose bytes follow from the sizes of all ranks.

    Attributes:
        name: OTF2's name.
        ranks: the ranks of the communicator.
        sent, received: bytes by rank.
        in_place: whether the sizes of Allgatherv or Reduce_scatter are those of a call with
            MPI_IN_PLACE; None if both readings fit. Known with the blocks.
    """

    name: str
    ranks: int
    sent: dict[int, int] = field(default_factory=dict)
    received: dict[int, int] = field(default_factory=dict)
    in_place: bool | None = False

    def add(self, rank: int, sent: int, received: int) -> bool:
        """Adds the sizes of a rank. Returns whether all ranks have theirs."""
        self.sent[rank], self.received[rank] = sent, received
        return len(self.sent) == self.ranks

    @cached_property
    def blocks(self) -> tuple[int, ...]:
        """The bytes of each rank's block; of a Scan, those of each rank."""
        sent = tuple(self.sent[rank] for rank in range(self.ranks))
        received = tuple(self.received[rank] for rank in range(self.ranks))
        match self.name:
            case "SCATTERV":
                return received
            case "ALLGATHERV":
                return self._divided(sent, received)
            case "REDUCE_SCATTER":
                return self._divided(received, sent)
            case "SCAN":
                return self._scan(sent, received)
        return sent

    def _divided(self, times: tuple[int, ...], sums: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the blocks of which `times` are multiples and `sums` are sums."""
        if all(sum(times) == each for each in sums):
            return times  # the tool does not multiply
        ranks = self.ranks
        whole = tuple(each // ranks for each in times)
        fits = tuple(each * ranks for each in whole) == times
        fits = fits and all(sum(whole) == each for each in sums)
        others = tuple(each // max(ranks - 1, 1) for each in times)
        in_place = tuple(each * (ranks - 1) for each in others) == times
        in_place = in_place and all(
            sum(others) - own == each for own, each in zip(others, sums, strict=True)
        )
        both = fits and in_place  # then all blocks are equal
        self.in_place = is_in_place(times[0], ranks) if both else in_place
        return others if self.in_place else whole if fits else times

    def _scan(self, sent: tuple[int, ...], received: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the bytes of a Scan: Score-P counts those for the later and earlier ranks.

        The rank itself counts as a later and as an earlier one, except with MPI_IN_PLACE. Alone,
        the sizes of the rank in the middle fit both, so that the bytes must fit all ranks.
        """
        common: set[int] | None = None
        for rank in range(self.ranks):
            sizes = sent[rank], received[rank]
            fitting = {sizes[0]} if sizes[0] == sizes[1] else set()
            for own in (0, 1):
                parts = self.ranks - rank - 1 + own, rank + own
                if sum(parts) == 0:
                    continue
                block = sum(sizes) // sum(parts)
                if (block * parts[0], block * parts[1]) == sizes:
                    fitting.add(block)
            common = fitting if common is None else common & fitting
        return (min(common),) * self.ranks if common else sent

    def given(self, rank: int) -> int:
        """Returns the bytes of the send buffer of `rank`."""
        if self.name.startswith("ALLTOALL") or self.name == "SCATTERV":
            return self.sent[rank]
        return sum(self.blocks) if self.name == "REDUCE_SCATTER" else self.blocks[rank]

    def to_each(self, rank: int) -> tuple[int, ...]:
        """Returns the bytes of an Alltoallv from `rank` to each rank."""
        received = [self.received[other] for other in range(self.ranks)]
        return evened(self.sent[rank], received)

    def from_each(self, rank: int) -> tuple[int, ...]:
        """Returns the bytes of an Alltoallv from each rank to `rank`."""
        received = [self.received[other] for other in range(self.ranks)]
        return tuple(evened(self.sent[other], received)[rank] for other in range(self.ranks))


class UnequalCalls:
    """The calls of these collectives in a trace."""

    def __init__(self, equal: EqualCalls) -> None:
        self._equal = equal
        #: By communicator and number, until all ranks made them.
        self._open: dict[tuple[int, int], tuple[Unequal, list[tuple[Rank, int, int]]]] = {}
        self._made: dict[tuple[int, int], int] = defaultdict(int)

    def incomplete(self) -> str | None:
        """Returns OTF2's name of a collective that not all ranks have made."""
        return next((collective.name for collective, _ in self._open.values()), None)

    def add(
        self, name: str, rank: Rank, communicator: Communicator, sizes: tuple[int, int], at: int
    ) -> None:
        """Adds a rank's sizes to a collective. The last rank's sizes complete all records.

        Args:
            name: OTF2's name.
            rank: the rank.
            communicator: its communicator.
            sizes: the bytes that the trace has as sent and as received.
            at: the record of the call.
        """
        number = self._made[communicator.context, rank.number]
        self._made[communicator.context, rank.number] += 1
        key = (communicator.context, number)
        size = len(communicator.ranks or ())
        collective, records = self._open.setdefault(key, (Unequal(name, size), []))
        place = communicator.places[rank.number]
        records.append((rank, at, place))
        if not collective.add(place, *sizes):
            return
        del self._open[key]
        blocks = collective.blocks
        if name in _DIVIDED and any(blocks):
            self._equal.note(name, size, collective.in_place)
        for each, record, where in records:
            each.given += collective.given(where)
            if name.startswith("ALLTOALL"):
                first = each.file.list_of(collective.to_each(where))
                second = each.file.list_of(collective.from_each(where))
                each.file.change(record, first=first, second=second)
            elif name == "SCAN":
                each.file.change(record, first=blocks[where])
            else:
                each.file.change(record, second=each.file.list_of(blocks))


def evened(total: int, weights: Sequence[int]) -> tuple[int, ...]:
    """Returns parts of a total in proportion to weights, whole numbers with this sum."""
    whole = sum(weights)
    if whole == 0:
        return (0,) * len(weights)
    ends, seen = [0], 0
    for weight in weights:
        seen += weight
        ends.append(total * seen // whole)
    return tuple(end - start for start, end in pairwise(ends))
