"""The bytes of collectives in a trace, whose meaning depends on the tool that wrote it.

Score-P multiplies sizes with the ranks of the communicator for the calls where each rank exchanges
data with all others. Other tools, such as EZTrace, write count times size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pantala.core.operation_codes import Code

__all__ = ["BLOCKS", "UNEQUAL", "Sizes", "Unequal", "evened", "given"]


@dataclass(frozen=True)
class Sizes:
    """The sizes that a trace has for a collective.

    Attributes:
        sent, received: bytes.
        rank: the rank in the communicator.
        ranks: the ranks of the communicator.
        multiplied: whether the tool multiplies.
    """

    sent: int
    received: int
    rank: int
    ranks: int
    multiplied: bool

    def block(self) -> int:
        """Returns the bytes to each rank, from the bytes to all ranks."""
        whole = self.multiplied and self.sent % self.ranks == 0
        return self.sent // self.ranks if whole else self.sent

    def bcast(self) -> int:
        """Returns the bytes of a broadcast: each rank receives them."""
        return self.received if self.received else self.block()

    def scan(self) -> int:
        """Returns the bytes of a Scan: Score-P counts those for the later and earlier ranks."""
        later, earlier = self.ranks - self.rank, self.rank + 1
        if self.multiplied and self.sent * earlier == self.received * later:
            return self.sent // later
        return self.sent

    def exscan(self) -> int:
        """Returns the bytes of an Exscan, as of a Scan without the rank itself."""
        later, earlier = self.ranks - self.rank - 1, self.rank
        if self.multiplied and self.sent * earlier == self.received * later:
            return self.sent // later if later else self.received // earlier if earlier else 0
        return self.sent


#: Operation and bytes of the collectives with equal blocks, by OTF2's name.
BLOCKS: Mapping[str, tuple[Code, Callable[[Sizes], int]]] = {
    "BARRIER": (Code.BARRIER, lambda _: 0),
    "BCAST": (Code.BCAST, Sizes.bcast),
    "REDUCE": (Code.REDUCE, lambda sizes: sizes.sent),
    "ALLREDUCE": (Code.ALLREDUCE, Sizes.block),
    "REDUCE_SCATTER_BLOCK": (Code.REDUCE_SCATTER_BLOCK, lambda sizes: sizes.received),
    "REDUCE_SCATTER": (Code.REDUCE_SCATTER_BLOCK, lambda sizes: sizes.received),
    "ALLGATHER": (Code.ALLGATHER, Sizes.block),
    "GATHER": (Code.GATHER, lambda sizes: sizes.sent),
    "SCATTER": (Code.SCATTER, lambda sizes: sizes.received),
    "ALLTOALL": (Code.ALLTOALL, Sizes.block),
    "SCAN": (Code.SCAN, Sizes.scan),
    "EXSCAN": (Code.EXSCAN, Sizes.exscan),
}
#: Operation of the collectives with a block per rank.
UNEQUAL: Mapping[str, Code] = {
    "ALLGATHERV": Code.ALLGATHERV,
    "GATHERV": Code.GATHERV,
    "SCATTERV": Code.SCATTERV,
    "ALLTOALLV": Code.ALLTOALLV,
    "ALLTOALLW": Code.ALLTOALLV,
}


def given(name: str, size: int, rank: int, ranks: int, root: int) -> int:
    """Returns the bytes of a rank's send buffer in a collective with equal blocks.

    Args:
        name: OTF2's name.
        size: the bytes of the call, as in `BLOCKS`.
        rank: the rank in the communicator.
        ranks: the ranks of the communicator.
        root: the root in the communicator, if the call has one.
    """
    if name in {"BCAST", "SCATTER"} and rank != root:
        return 0
    each = {"SCATTER", "ALLTOALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK"}
    return size * ranks if name in each else size


@dataclass
class Unequal:
    """A collective with a block per rank: the sizes of all ranks make the blocks.

    Attributes:
        name: OTF2's name.
        ranks: the ranks of the communicator.
        sent, received: bytes by rank.
    """

    name: str
    ranks: int
    sent: dict[int, int] = field(default_factory=dict)
    received: dict[int, int] = field(default_factory=dict)

    def add(self, rank: int, sent: int, received: int) -> bool:
        """Adds the sizes of a rank. Returns whether all ranks have theirs."""
        self.sent[rank], self.received[rank] = sent, received
        return len(self.sent) == self.ranks

    def blocks(self) -> tuple[int, ...]:
        """Returns the bytes of each rank's block."""
        if self.name == "SCATTERV":
            return tuple(self.received[rank] for rank in range(self.ranks))
        sent = tuple(self.sent[rank] for rank in range(self.ranks))
        most = max(self.received.values())
        if self.name == "ALLGATHERV" and sum(sent) != most and sum(sent) == self.ranks * most:
            return tuple(each // self.ranks for each in sent)  # Score-P multiplies
        return sent

    def given(self, rank: int) -> int:
        """Returns the bytes of the send buffer of `rank`."""
        whole = self.name.startswith("ALLTOALL") or self.name == "SCATTERV"
        return self.sent[rank] if whole else self.blocks()[rank]

    def to_each(self, rank: int) -> tuple[int, ...]:
        """Returns the bytes of an Alltoallv from `rank` to each rank."""
        received = [self.received[other] for other in range(self.ranks)]
        return evened(self.sent[rank], received)

    def from_each(self, rank: int) -> tuple[int, ...]:
        """Returns the bytes of an Alltoallv from each rank to `rank`."""
        received = [self.received[other] for other in range(self.ranks)]
        return tuple(evened(self.sent[other], received)[rank] for other in range(self.ranks))


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
