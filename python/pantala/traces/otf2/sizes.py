"""The bytes of collectives in a trace, whose meaning depends on the tool that wrote it.

Score-P multiplies sizes with the ranks of the communicator for the calls where each rank exchanges
data with all others. Other tools, such as EZTrace, write count times size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pantala.core.operation_codes import Code

__all__ = ["BLOCKS", "Sizes", "given"]


@dataclass(frozen=True)
class Sizes:
    """The sizes that a trace has for a collective.

    Attributes:
        sent, received: bytes.
        rank: the rank in the communicator.
        ranks: the ranks of the communicator.
        multiplied: whether the tool multiplies.
        root: whether the rank is the root of the call.
    """

    sent: int
    received: int
    rank: int
    ranks: int
    multiplied: bool
    root: bool = False

    def block(self) -> int:
        """Returns the bytes to each rank, from the bytes to all ranks."""
        whole = self.multiplied and self.sent % self.ranks == 0
        return self.sent // self.ranks if whole else self.sent

    def bcast(self) -> int:
        """Returns the bytes of a broadcast: each rank receives them."""
        return self.received if self.received else self.block()

    def gather(self) -> int:
        """Returns the bytes that each rank sends to the root."""
        return self._block(self.sent, self.received)

    def scatter(self) -> int:
        """Returns the bytes that each rank receives from the root."""
        return self._block(self.received, self.sent)

    def _block(self, own: int, others: int) -> int:
        """Returns the block of a rank; the root of an in-place call has only the others' blocks."""
        if own or not self.root:
            return own
        each = max(self.ranks - 1, 1)
        return others // each if self.multiplied and others % each == 0 else others

    def exscan(self) -> int:
        """Returns the bytes of an Exscan: Score-P counts those for the later and earlier ranks."""
        later, earlier = self.ranks - self.rank - 1, self.rank
        if self.multiplied and self.sent * earlier == self.received * later:
            return self.sent // later if later else self.received // earlier if earlier else 0
        return self.sent


#: Operation and bytes of the collectives with equal blocks, by OTF2's name.
BLOCKS: Mapping[str, tuple[Code, Callable[[Sizes], int]]] = {
    "BARRIER": (Code.BARRIER, lambda _: 0),
    "BCAST": (Code.BCAST, Sizes.bcast),
    "REDUCE": (Code.REDUCE, Sizes.gather),
    "ALLREDUCE": (Code.ALLREDUCE, Sizes.block),
    "REDUCE_SCATTER_BLOCK": (Code.REDUCE_SCATTER_BLOCK, lambda sizes: sizes.received),
    "ALLGATHER": (Code.ALLGATHER, Sizes.block),
    "GATHER": (Code.GATHER, Sizes.gather),
    "SCATTER": (Code.SCATTER, Sizes.scatter),
    "ALLTOALL": (Code.ALLTOALL, Sizes.block),
    "EXSCAN": (Code.EXSCAN, Sizes.exscan),
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
    each = {"SCATTER", "ALLTOALL", "REDUCE_SCATTER_BLOCK"}
    return size * ranks if name in each else size
