"""The object `mpi` of a Python program: the calls of a rank, in the words of mpi4py.

A call takes sizes in place of data. It records an operation and returns at once. The simulation
executes the operations later, so a call can return nothing that depends on the run.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from pantala.programs.values import (
    ANY,
    DATA,
    NULL,
    RECEIVED,
    WAITED,
    Bytes,
    Time,
    Unknown,
    blocks_of,
    refuse,
    size_of,
    sizes_of,
    time_of,
)

if TYPE_CHECKING:
    from types import TracebackType

    from pantala.programs.grid import CartesianCommunicator
    from pantala.programs.recording import Recording

__all__ = ["Communicator", "Request"]


class Request:
    """A send, a receive, a collective or a computation that has started."""

    __slots__ = ("_handle", "_mpi", "_persistent")

    def __init__(self, mpi: Communicator, handle: int | None, *, persistent: bool = False) -> None:
        self._mpi = mpi
        self._handle = handle
        self._persistent = persistent

    def wait(self) -> Unknown:
        """Waits until the request is complete."""
        return self._mpi.wait(self)

    def start(self) -> None:
        """Starts a persistent request."""
        if self._handle is not None:
            self._mpi._recorder.start(self._mpi._me, self._handle)

    def free(self) -> None:
        """Frees a persistent request."""
        if self._handle is not None:
            self._mpi._recorder.free_request(self._mpi._me, self._handle)

    def test(self) -> NoReturn:
        """Is refused: only the run can tell whether a request is complete."""
        refuse("test", "whether a request is complete")


class _Iteration:
    """An iteration, as a context."""

    __slots__ = ("_me", "_phase", "_recorder")

    def __init__(self, recorder: Any, me: int, phase: str | None) -> None:
        self._recorder, self._me, self._phase = recorder, me, phase

    def __enter__(self) -> None:
        self._recorder.start_iteration(self._me, self._phase)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self._recorder.end_iteration(self._me)


class Communicator:
    """The calls of one rank on a communicator.

    Sizes are bytes, or texts with a unit. Every non-blocking call returns a `Request`.
    """

    __slots__ = ("_id", "_me", "_recorder", "_recording", "rank", "size")

    #: A receive from any rank.
    ANY_SOURCE = ANY
    #: A receive of any tag.
    ANY_TAG = ANY
    #: No rank: a send or receive does nothing.
    PROC_NULL = NULL
    #: The color of a rank that will be in no communicator.
    UNDEFINED = None

    def __init__(
        self, recording: Recording, recorder: Any, me: int, number: int, rank: int, size: int
    ) -> None:
        self._recording = recording
        self._recorder = recorder
        self._me = me
        self._id = number
        #: The rank in this communicator.
        self.rank = rank
        #: The number of ranks of this communicator.
        self.size = size

    # Computing and iterations

    def compute(self, time: Time) -> None:
        """Computes for a time."""
        self._recorder.compute(self._me, time_of(time))

    def icompute(self, time: Time) -> Request:
        """Starts a computation beside the rank, on another processor or a device."""
        return Request(self, self._recorder.icompute(self._me, time_of(time)))

    def iteration(self, phase: str | None = None) -> _Iteration:
        """Returns a context that marks an iteration, or a phase of it with a name.

        Tables and reports have a row per iteration and phase. A phase whose name the iteration has
        had already begins the next iteration. A name has at most 8 bytes.
        """
        return _Iteration(self._recorder, self._me, phase)

    # Messages

    def send(self, dest: int, bytes: Bytes, tag: int = 0) -> None:
        """Sends a message."""
        self._send("s", dest, bytes, tag)

    def ssend(self, dest: int, bytes: Bytes, tag: int = 0) -> None:
        """Sends a message in synchronous mode."""
        self._send("y", dest, bytes, tag)

    def rsend(self, dest: int, bytes: Bytes, tag: int = 0) -> None:
        """Sends a message in ready mode."""
        self._send("r", dest, bytes, tag)

    def bsend(self, dest: int, bytes: Bytes, tag: int = 0) -> None:
        """Sends a message in buffered mode."""
        self._send("b", dest, bytes, tag)

    def _send(self, mode: str, dest: int, bytes: Bytes, tag: int) -> None:
        if dest != NULL:
            self._recorder.send(self._me, mode, self._id, dest, tag, size_of(bytes))

    def isend(self, dest: int, bytes: Bytes, tag: int = 0) -> Request:
        """Starts a send."""
        if dest == NULL:
            return Request(self, None)
        return Request(
            self, self._recorder.isend(self._me, False, self._id, dest, tag, size_of(bytes))
        )

    def issend(self, dest: int, bytes: Bytes, tag: int = 0) -> Request:
        """Starts a send in synchronous mode."""
        if dest == NULL:
            return Request(self, None)
        return Request(
            self, self._recorder.isend(self._me, True, self._id, dest, tag, size_of(bytes))
        )

    def recv(self, source: int, bytes: Bytes, tag: int = ANY) -> Unknown:
        """Receives a message of at most `bytes`."""
        if source != NULL:
            self._recorder.recv(self._me, self._id, source, tag, size_of(bytes))
        return RECEIVED

    def irecv(self, source: int, bytes: Bytes, tag: int = ANY) -> Request:
        """Starts a receive of at most `bytes`."""
        if source == NULL:
            return Request(self, None)
        return Request(self, self._recorder.irecv(self._me, self._id, source, tag, size_of(bytes)))

    def sendrecv(
        self,
        dest: int,
        bytes: Bytes,
        source: int,
        tag: int = 0,
        *,
        recv_bytes: Bytes | None = None,
        recv_tag: int | None = None,
    ) -> Unknown:
        """Sends and receives at once.

        Args:
            dest: the destination.
            bytes: bytes to send.
            source: the source.
            tag: the tag.
            recv_bytes: bytes to receive; as sent if not given.
            recv_tag: the tag to receive; as sent if not given.
        """
        sent = size_of(bytes)
        received = sent if recv_bytes is None else size_of(recv_bytes)
        other = tag if recv_tag is None else recv_tag
        if dest == NULL:
            return self.recv(source, received, other)
        if source == NULL:
            self.send(dest, sent, tag)
        else:
            self._recorder.sendrecv(
                self._me, self._id, (dest, tag, sent), (source, other, received)
            )
        return RECEIVED

    def send_init(self, dest: int, bytes: Bytes, tag: int = 0) -> Request:
        """Makes a persistent send."""
        return self._init(True, dest, bytes, tag)

    def recv_init(self, source: int, bytes: Bytes, tag: int = ANY) -> Request:
        """Makes a persistent receive."""
        return self._init(False, source, bytes, tag)

    def _init(self, sends: bool, peer: int, bytes: Bytes, tag: int) -> Request:
        if peer == NULL:
            return Request(self, None, persistent=True)
        handle = self._recorder.init(self._me, sends, self._id, peer, tag, size_of(bytes))
        return Request(self, handle, persistent=True)

    # Waits

    def wait(self, request: Request) -> Unknown:
        """Waits for one request."""
        if request._handle is not None:
            self._recorder.wait(self._me, request._handle)
        return WAITED

    def waitall(self, requests: Iterable[Request] | None = None) -> Unknown:
        """Waits for these requests, or for all of the rank."""
        if requests is None:
            self._recorder.wait_for_all(self._me)
        else:
            handles = [each._handle for each in requests if each._handle is not None]
            self._recorder.wait_for(self._me, handles)
        return WAITED

    def startall(self, requests: Iterable[Request]) -> None:
        """Starts persistent requests."""
        for request in requests:
            request.start()

    # Collectives

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
        self._recorder.collective(self._me, self._id, name, root, sizes, received, True)
        return DATA["reduce_scatter" if name == "reduce_scatter_block" else name]

    def _icollective(
        self,
        name: str,
        sizes: Sequence[int] = (),
        root: int = 0,
        received: Sequence[int] = (),
    ) -> Request:
        handle = self._recorder.collective(self._me, self._id, name, root, sizes, received, False)
        return Request(self, handle)

    # Communicators

    def split(self, color: int | None, key: int = 0) -> Communicator | None:
        """Returns the communicator of the ranks with the same color, in the order of their keys.

        All ranks of the communicator call it. A rank with the color None gets None.
        """
        number = self._recorder.call_split(self._me, self._id, color, key)
        self._recording.meet(self, number)
        return self._made(self._recorder.finish_split(self._me, self._id, number))

    def dup(self) -> Communicator:
        """Returns a communicator of the same ranks."""
        made = self._made(self._recorder.duplicate(self._me, self._id))
        assert made is not None
        return made

    def create_cart(
        self, dims: Sequence[int], periods: bool | Sequence[bool] = False
    ) -> CartesianCommunicator | None:
        """Returns a communicator whose ranks form a grid, last dimension fastest.

        The ranks beyond the grid get None.

        Args:
            dims: the extent of each dimension.
            periods: whether each dimension is periodic, or one value for all.
        """
        extents = [operator.index(extent) for extent in dims]
        wraps = [bool(periods)] * len(extents) if isinstance(periods, bool) else list(periods)
        if len(wraps) != len(extents) or any(extent < 1 for extent in extents):
            raise ValueError(f"dims {extents} and periods {wraps} are no grid")
        count = 1
        for extent in extents:
            count *= extent
        if count > self.size:
            raise ValueError(
                f"a grid of {' x '.join(map(str, extents))} needs {count} ranks; there are"
                f" {self.size}"
            )
        made = self._recorder.create_of_first(self._me, self._id, count)
        if made is None:
            return None
        from pantala.programs.grid import CartesianCommunicator

        return CartesianCommunicator(
            self._recording, self._recorder, self._me, *made, dims=extents, periods=wraps
        )

    def free(self) -> None:
        """Frees the communicator."""
        self._recorder.free(self._me, self._id)

    def _made(self, made: tuple[int, int, int] | None) -> Communicator | None:
        if made is None:
            return None
        return Communicator(self._recording, self._recorder, self._me, *made)

    # Calls whose results only the run can tell

    def probe(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        refuse("probe", "which message has arrived")

    def iprobe(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        refuse("iprobe", "whether a message has arrived")

    def test(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        refuse("test", "whether a request is complete")

    def testall(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        refuse("testall", "whether requests are complete")

    def testany(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        refuse("testany", "which request is complete")

    def testsome(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        refuse("testsome", "which requests are complete")

    def waitany(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        refuse("waitany", "which request is complete first")

    def waitsome(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        refuse("waitsome", "which requests are complete first")

    def Wtime(self) -> NoReturn:  # noqa: N802 - mpi4py's word
        """Is refused."""
        refuse("Wtime", "the time")
