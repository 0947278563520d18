"""The object `mpi` of a Python program: the calls of a rank, in the words of mpi4py.

A call takes sizes in place of data. It records an operation and returns at once. The simulation
executes the operations later, so a call can return nothing that depends on the run.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from pantala.units import Duration, Size

if TYPE_CHECKING:
    from types import TracebackType

    from pantala.programs.recording import Recording

__all__ = ["CartesianCommunicator", "Communicator", "Request", "RunDependentError", "Unknown"]

#: A number of bytes, or a text with a unit such as ``"64 KiB"``.
Bytes: TypeAlias = int | str
#: A time: seconds, or a text with a unit such as ``"10 us"``.
Time: TypeAlias = float | str

_ANY = -1
_NULL = -2


class RunDependentError(Exception):
    """A program asks for what only the run can tell."""


def _refuse(call: str, what: str) -> NoReturn:
    raise RunDependentError(
        f"{call}: only the run can tell {what}; a Python program runs before the simulation, so"
        " write a program whose calls do not depend on it"
    )


class Unknown:
    """The result of a call, which only the run can tell. Any use of it is refused."""

    __slots__ = ("_call",)

    def __init__(self, call: str) -> None:
        self._call = call

    def __repr__(self) -> str:
        return f"<the result of {self._call}, unknown before the run>"

    def _used(self, *_: object) -> NoReturn:
        _refuse(self._call, "the data that arrives")

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)  # copy, inspect and notebooks ask for such names
        self._used()

    __bool__ = __len__ = __iter__ = __getitem__ = __contains__ = __call__ = _used
    __int__ = __float__ = __index__ = __neg__ = __abs__ = _used
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _used
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _used
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _used
    __hash__ = object.__hash__


_DATA = {
    call: Unknown(call)
    for call in (
        *("recv", "sendrecv", "wait", "waitall", "bcast", "reduce", "allreduce", "gather"),
        *("scatter", "allgather", "alltoall", "reduce_scatter", "scan", "exscan"),
        *("gatherv", "scatterv", "allgatherv", "alltoallv", "barrier"),
    )
}
_RECEIVED, _WAITED = _DATA["recv"], _DATA["wait"]


@lru_cache(maxsize=4096)
def _text_size(text: str) -> int:
    return int(Size.parse(text))


@lru_cache(maxsize=4096)
def _text_time(text: str) -> int:
    return int(Duration.parse(text))


def _size(value: Any) -> int:
    """Returns a size in bytes."""
    if isinstance(value, str):
        number = _text_size(value)
    elif isinstance(value, float) and value.is_integer():
        number = int(value)
    else:
        try:
            number = operator.index(value)
        except TypeError:
            raise ValueError(
                f"{value!r} is no size; give bytes, or a text such as '64 KiB'"
            ) from None
    if number < 0:
        raise ValueError(f"{value!r} is a negative size")
    return number


def _time(value: Any) -> int:
    """Returns a time in ps."""
    if isinstance(value, str):
        number = _text_time(value)
    else:
        try:
            number = int(value) if isinstance(value, Duration) else round(float(value) * 1e12)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"{value!r} is no time; give seconds, or a text such as '10 us'"
            ) from None
    if number < 0:
        raise ValueError(f"{value!r} is a negative time")
    return number


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
        _refuse("test", "whether a request is complete")


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
    ANY_SOURCE = _ANY
    #: A receive of any tag.
    ANY_TAG = _ANY
    #: No rank: a send or receive does nothing.
    PROC_NULL = _NULL
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
        self._recorder.compute(self._me, _time(time))

    def icompute(self, time: Time) -> Request:
        """Starts a computation beside the rank, on another processor or a device."""
        return Request(self, self._recorder.icompute(self._me, _time(time)))

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
        if dest != _NULL:
            self._recorder.send(self._me, mode, self._id, dest, tag, _size(bytes))

    def isend(self, dest: int, bytes: Bytes, tag: int = 0) -> Request:
        """Starts a send."""
        if dest == _NULL:
            return Request(self, None)
        return Request(
            self, self._recorder.isend(self._me, False, self._id, dest, tag, _size(bytes))
        )

    def issend(self, dest: int, bytes: Bytes, tag: int = 0) -> Request:
        """Starts a send in synchronous mode."""
        if dest == _NULL:
            return Request(self, None)
        return Request(
            self, self._recorder.isend(self._me, True, self._id, dest, tag, _size(bytes))
        )

    def recv(self, source: int, bytes: Bytes, tag: int = _ANY) -> Unknown:
        """Receives a message of at most `bytes`."""
        if source != _NULL:
            self._recorder.recv(self._me, self._id, source, tag, _size(bytes))
        return _RECEIVED

    def irecv(self, source: int, bytes: Bytes, tag: int = _ANY) -> Request:
        """Starts a receive of at most `bytes`."""
        if source == _NULL:
            return Request(self, None)
        return Request(self, self._recorder.irecv(self._me, self._id, source, tag, _size(bytes)))

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
        sent = _size(bytes)
        received = sent if recv_bytes is None else _size(recv_bytes)
        other = tag if recv_tag is None else recv_tag
        if dest == _NULL:
            return self.recv(source, received, other)
        if source == _NULL:
            self.send(dest, sent, tag)
        else:
            self._recorder.sendrecv(
                self._me, self._id, (dest, tag, sent), (source, other, received)
            )
        return _RECEIVED

    def send_init(self, dest: int, bytes: Bytes, tag: int = 0) -> Request:
        """Makes a persistent send."""
        return self._init(True, dest, bytes, tag)

    def recv_init(self, source: int, bytes: Bytes, tag: int = _ANY) -> Request:
        """Makes a persistent receive."""
        return self._init(False, source, bytes, tag)

    def _init(self, sends: bool, peer: int, bytes: Bytes, tag: int) -> Request:
        if peer == _NULL:
            return Request(self, None, persistent=True)
        handle = self._recorder.init(self._me, sends, self._id, peer, tag, _size(bytes))
        return Request(self, handle, persistent=True)

    # Waits

    def wait(self, request: Request) -> Unknown:
        """Waits for one request."""
        if request._handle is not None:
            self._recorder.wait(self._me, request._handle)
        return _WAITED

    def waitall(self, requests: Iterable[Request] | None = None) -> Unknown:
        """Waits for these requests, or for all of the rank."""
        if requests is None:
            self._recorder.wait_for_all(self._me)
        else:
            handles = [each._handle for each in requests if each._handle is not None]
            self._recorder.wait_for(self._me, handles)
        return _WAITED

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
        return self._collective("bcast", (_size(bytes),), root)

    def reduce(self, bytes: Bytes, root: int = 0) -> Unknown:
        """Reduces `bytes` to the root."""
        return self._collective("reduce", (_size(bytes),), root)

    def allreduce(self, bytes: Bytes) -> Unknown:
        """Reduces `bytes`; every rank gets the result."""
        return self._collective("allreduce", (_size(bytes),))

    def gather(self, bytes: Bytes, root: int = 0) -> Unknown:
        """Sends a block of `bytes` from every rank to the root."""
        return self._collective("gather", (_size(bytes),), root)

    def gatherv(self, counts: Sequence[Bytes], root: int = 0) -> Unknown:
        """Sends a block from every rank to the root; `counts` holds bytes by rank, on all ranks."""
        return self._collective("gatherv", _sizes(counts), root)

    def scatter(self, bytes: Bytes, root: int = 0) -> Unknown:
        """Sends a block of `bytes` from the root to every rank."""
        return self._collective("scatter", (_size(bytes),), root)

    def scatterv(self, counts: Sequence[Bytes], root: int = 0) -> Unknown:
        """Sends a block from the root to every rank; `counts` holds bytes by rank, on all ranks."""
        return self._collective("scatterv", _sizes(counts), root)

    def allgather(self, bytes: Bytes) -> Unknown:
        """Sends a block of `bytes` from every rank to every rank."""
        return self._collective("allgather", (_size(bytes),))

    def allgatherv(self, counts: Sequence[Bytes]) -> Unknown:
        """Sends a block from every rank to every rank; `counts` holds bytes by rank."""
        return self._collective("allgatherv", _sizes(counts))

    def alltoall(self, bytes: Bytes) -> Unknown:
        """Sends a block of `bytes` from every rank to every other rank."""
        return self._collective("alltoall", (_size(bytes),))

    def alltoallv(self, sent: Sequence[Bytes], received: Sequence[Bytes]) -> Unknown:
        """Sends a block to every rank; `sent` and `received` hold bytes by rank."""
        return self._collective("alltoallv", _sizes(sent), received=_sizes(received))

    def reduce_scatter(self, counts: Bytes | Sequence[Bytes]) -> Unknown:
        """Reduces one block per rank; each rank gets its block.

        Args:
            counts: bytes of each block, or one number for all.
        """
        name, sizes = _blocks(counts)
        return self._collective(name, sizes)

    def scan(self, bytes: Bytes) -> Unknown:
        """Reduces over all ranks up to this one."""
        return self._collective("scan", (_size(bytes),))

    def exscan(self, bytes: Bytes) -> Unknown:
        """Reduces over all ranks before this one."""
        return self._collective("exscan", (_size(bytes),))

    def ibarrier(self) -> Request:
        """Starts a barrier."""
        return self._icollective("barrier")

    def ibcast(self, bytes: Bytes, root: int = 0) -> Request:
        """Starts a bcast."""
        return self._icollective("bcast", (_size(bytes),), root)

    def ireduce(self, bytes: Bytes, root: int = 0) -> Request:
        """Starts a reduce."""
        return self._icollective("reduce", (_size(bytes),), root)

    def iallreduce(self, bytes: Bytes) -> Request:
        """Starts an allreduce."""
        return self._icollective("allreduce", (_size(bytes),))

    def igather(self, bytes: Bytes, root: int = 0) -> Request:
        """Starts a gather."""
        return self._icollective("gather", (_size(bytes),), root)

    def igatherv(self, counts: Sequence[Bytes], root: int = 0) -> Request:
        """Starts a gatherv."""
        return self._icollective("gatherv", _sizes(counts), root)

    def iscatter(self, bytes: Bytes, root: int = 0) -> Request:
        """Starts a scatter."""
        return self._icollective("scatter", (_size(bytes),), root)

    def iscatterv(self, counts: Sequence[Bytes], root: int = 0) -> Request:
        """Starts a scatterv."""
        return self._icollective("scatterv", _sizes(counts), root)

    def iallgather(self, bytes: Bytes) -> Request:
        """Starts an allgather."""
        return self._icollective("allgather", (_size(bytes),))

    def iallgatherv(self, counts: Sequence[Bytes]) -> Request:
        """Starts an allgatherv."""
        return self._icollective("allgatherv", _sizes(counts))

    def ialltoall(self, bytes: Bytes) -> Request:
        """Starts an alltoall."""
        return self._icollective("alltoall", (_size(bytes),))

    def ialltoallv(self, sent: Sequence[Bytes], received: Sequence[Bytes]) -> Request:
        """Starts an alltoallv."""
        return self._icollective("alltoallv", _sizes(sent), received=_sizes(received))

    def ireduce_scatter(self, counts: Bytes | Sequence[Bytes]) -> Request:
        """Starts a reduce_scatter."""
        name, sizes = _blocks(counts)
        return self._icollective(name, sizes)

    def iscan(self, bytes: Bytes) -> Request:
        """Starts a scan."""
        return self._icollective("scan", (_size(bytes),))

    def iexscan(self, bytes: Bytes) -> Request:
        """Starts an exscan."""
        return self._icollective("exscan", (_size(bytes),))

    def _collective(
        self,
        name: str,
        sizes: Sequence[int] = (),
        root: int = 0,
        received: Sequence[int] = (),
    ) -> Unknown:
        self._recorder.collective(self._me, self._id, name, root, sizes, received, True)
        return _DATA["reduce_scatter" if name == "reduce_scatter_block" else name]

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
        _refuse("probe", "which message has arrived")

    def iprobe(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        _refuse("iprobe", "whether a message has arrived")

    def test(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        _refuse("test", "whether a request is complete")

    def testall(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        _refuse("testall", "whether requests are complete")

    def testany(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        _refuse("testany", "which request is complete")

    def testsome(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        _refuse("testsome", "which requests are complete")

    def waitany(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        _refuse("waitany", "which request is complete first")

    def waitsome(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        _refuse("waitsome", "which requests are complete first")

    def Wtime(self) -> NoReturn:  # noqa: N802 - mpi4py's word
        """Is refused."""
        _refuse("Wtime", "the time")


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
                return _NULL
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


def _sizes(values: Sequence[Bytes]) -> list[int]:
    return [_size(value) for value in values]


def _blocks(counts: Bytes | Sequence[Bytes]) -> tuple[str, Sequence[int]]:
    if isinstance(counts, int | str):
        return "reduce_scatter_block", (_size(counts),)
    return "reduce_scatter", _sizes(counts)
