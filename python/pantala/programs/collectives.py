"""The collective calls of a communicator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from pantala.programs.requests import Request, Waiter
from pantala.programs.values import DATA, Bytes, Unknown, blocks_of, size_of, sizes_of

__all__ = ["Collectives"]


class Collectives:
    """The collective calls; sizes are bytes, or texts with a unit."""

    __slots__ = ()

    _recorder: Any
    _me: int
    _id: int
    _recording: Any
    rank: int
    size: int

    def barrier(self) -> None:
        """Waits until every rank has entered."""
        self._collective("barrier")

    def bcast(self, bytes: Bytes, root: int = 0) -> Unknown:
        """Sends `bytes` from the root to every rank."""
        return self._collective("bcast", (size_of(bytes),), root)

    def reduce(self, bytes: Bytes, root: int = 0) -> Unknown:
        """Reduces `bytes` to the root."""
        return self._collective("reduce", (size_of(bytes),), root)

    def allreduce(self, bytes: Bytes) -> Unknown:
        """Reduces `bytes`; every rank gets the result."""
        return self._collective("allreduce", (size_of(bytes),))

    def gather(self, bytes: Bytes, root: int = 0) -> Unknown:
        """Sends a block of `bytes` from every rank to the root."""
        return self._collective("gather", (size_of(bytes),), root)

    def gatherv(self, counts: Sequence[Bytes], root: int = 0) -> Unknown:
        """Sends a block from every rank to the root; `counts` holds bytes by rank, on all ranks."""
        return self._collective("gatherv", sizes_of(counts), root)

    def scatter(self, bytes: Bytes, root: int = 0) -> Unknown:
        """Sends a block of `bytes` from the root to every rank."""
        return self._collective("scatter", (size_of(bytes),), root)

    def scatterv(self, counts: Sequence[Bytes], root: int = 0) -> Unknown:
        """Sends a block from the root to every rank; `counts` holds bytes by rank, on all ranks."""
        return self._collective("scatterv", sizes_of(counts), root)

    def allgather(self, bytes: Bytes) -> Unknown:
        """Sends a block of `bytes` from every rank to every rank."""
        return self._collective("allgather", (size_of(bytes),))

    def allgatherv(self, counts: Sequence[Bytes]) -> Unknown:
        """Sends a block from every rank to every rank; `counts` holds bytes by rank."""
        return self._collective("allgatherv", sizes_of(counts))

    def alltoall(self, bytes: Bytes) -> Unknown:
        """Sends a block of `bytes` from every rank to every other rank."""
        return self._collective("alltoall", (size_of(bytes),))

    def alltoallv(self, sent: Sequence[Bytes], received: Sequence[Bytes]) -> Unknown:
        """Sends a block to every rank; `sent` and `received` hold bytes by rank."""
        return self._collective("alltoallv", sizes_of(sent), received=sizes_of(received))

    def reduce_scatter(self, counts: Bytes | Sequence[Bytes]) -> Unknown:
        """Reduces one block per rank; each rank gets its block.

        Args:
            counts: bytes of each block, or one number for all.
        """
        name, sizes = blocks_of(counts)
        return self._collective(name, sizes)

    def scan(self, bytes: Bytes) -> Unknown:
        """Reduces over all ranks up to this one."""
        return self._collective("scan", (size_of(bytes),))

    def exscan(self, bytes: Bytes) -> Unknown:
        """Reduces over all ranks before this one."""
        return self._collective("exscan", (size_of(bytes),))

    def ibarrier(self) -> Request:
        """Starts a barrier."""
        return self._icollective("barrier")

    def ibcast(self, bytes: Bytes, root: int = 0) -> Request:
        """Starts a bcast."""
        return self._icollective("bcast", (size_of(bytes),), root)

    def ireduce(self, bytes: Bytes, root: int = 0) -> Request:
        """Starts a reduce."""
        return self._icollective("reduce", (size_of(bytes),), root)

    def iallreduce(self, bytes: Bytes) -> Request:
        """Starts an allreduce."""
        return self._icollective("allreduce", (size_of(bytes),))

    def igather(self, bytes: Bytes, root: int = 0) -> Request:
        """Starts a gather."""
        return self._icollective("gather", (size_of(bytes),), root)

    def igatherv(self, counts: Sequence[Bytes], root: int = 0) -> Request:
        """Starts a gatherv."""
        return self._icollective("gatherv", sizes_of(counts), root)

    def iscatter(self, bytes: Bytes, root: int = 0) -> Request:
        """Starts a scatter."""
        return self._icollective("scatter", (size_of(bytes),), root)

    def iscatterv(self, counts: Sequence[Bytes], root: int = 0) -> Request:
        """Starts a scatterv."""
        return self._icollective("scatterv", sizes_of(counts), root)

    def iallgather(self, bytes: Bytes) -> Request:
        """Starts an allgather."""
        return self._icollective("allgather", (size_of(bytes),))

    def iallgatherv(self, counts: Sequence[Bytes]) -> Request:
        """Starts an allgatherv."""
        return self._icollective("allgatherv", sizes_of(counts))

    def ialltoall(self, bytes: Bytes) -> Request:
        """Starts an alltoall."""
        return self._icollective("alltoall", (size_of(bytes),))

    def ialltoallv(self, sent: Sequence[Bytes], received: Sequence[Bytes]) -> Request:
        """Starts an alltoallv."""
        return self._icollective("alltoallv", sizes_of(sent), received=sizes_of(received))

    def ireduce_scatter(self, counts: Bytes | Sequence[Bytes]) -> Request:
        """Starts a reduce_scatter."""
        name, sizes = blocks_of(counts)
        return self._icollective(name, sizes)

    def iscan(self, bytes: Bytes) -> Request:
        """Starts a scan."""
        return self._icollective("scan", (size_of(bytes),))

    def iexscan(self, bytes: Bytes) -> Request:
        """Starts an exscan."""
        return self._icollective("exscan", (size_of(bytes),))

    def _collective(
        self,
        name: str,
        sizes: Sequence[int] = (),
        root: int = 0,
        received: Sequence[int] = (),
    ) -> Unknown:
        self._count()
        self._recorder.collective(self._me, self._id, name, root, sizes, received, True)
        return DATA["reduce_scatter" if name == "reduce_scatter_block" else name]

    def _icollective(
        self,
        name: str,
        sizes: Sequence[int] = (),
        root: int = 0,
        received: Sequence[int] = (),
    ) -> Request:
        self._count()
        handle = self._recorder.collective(self._me, self._id, name, root, sizes, received, False)
        return Request(cast(Waiter, self), handle)

    def _count(self) -> None:
        """Counts a collective call of the first rank for all ranks of the communicator.

        Ranks run one after another. If the calls of the first rank already exceed the limit for all
        of them, an endless loop is found long before that rank alone exceeds it.

        Raises:
            ValueError: the ranks together make more operations than the limit.
        """
        if self.rank == 0:
            recording = self._recording
            recording.collectives += self.size
            if recording.collectives > recording.operations_limit:
                raise ValueError(
                    f"the program makes more than {recording.operations_limit} operations, counting"
                    " this collective call for all ranks; it may never end, or set"
                    " operations_limit"
                )
