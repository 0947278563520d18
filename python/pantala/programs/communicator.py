"""The object `mpi` of a Python program: the calls of a rank, in the words of mpi4py.

A call takes sizes in place of data. It records an operation and returns at once. The simulation
executes the operations later, so a call can return nothing that depends on the run.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pantala.programs.collectives import Collectives
from pantala.programs.iteration import Iteration
from pantala.programs.refused_calls import RefusedCalls
from pantala.programs.requests import Request, handle_of, handles_of
from pantala.programs.values import (
    ANY,
    NULL,
    RECEIVED,
    WAITED,
    Bytes,
    Time,
    Unknown,
    size_of,
    time_of,
)

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pantala.programs.recording import Recording

__all__ = ["CartesianCommunicator", "Communicator"]


class Communicator(Collectives, RefusedCalls):
    """The calls of one rank on a communicator.

    Sizes are bytes, or texts with a unit. Every non-blocking call returns a `Request`.

    Attributes:
        rank: the rank of the caller in this communicator, from 0.
        size: the number of ranks of this communicator.
        ANY_SOURCE: as a source: any rank.
        ANY_TAG: as the tag of a receive: any tag.
        PROC_NULL: as a source or destination: no rank, and the call does nothing.
        UNDEFINED: as a color of `split`: the rank will be in no communicator.
    """

    __slots__ = ("_id", "_me", "_recorder", "_recording", "rank", "size")

    ANY_SOURCE = ANY
    ANY_TAG = ANY
    PROC_NULL = NULL
    UNDEFINED = None

    def __init__(
        self, recording: Recording, recorder: Any, me: int, number: int, rank: int, size: int
    ) -> None:
        self._recording = recording
        self._recorder = recorder
        self._me = me
        self._id = number
        self.rank = rank
        self.size = size

    @property
    def seed(self) -> int:
        """A number for the random numbers of this rank, from 0 to 2^63 - 1.

        It follows from the scenario's seed, the job's name and the rank, as the states of `random`
        and `numpy.random` do. Other generators take it: `numpy.random.default_rng(mpi.seed)`.
        """
        draws = self._recording.draws
        draws.used = True
        number: int = draws.seed_of(self._me)
        return number

    # Computing and iterations

    def compute(self, time: Time) -> None:
        """Computes for a time."""
        self._recorder.compute(self._me, time_of(time))

    def icompute(self, time: Time) -> Request:
        """Starts a computation beside the rank, on another processor or a device."""
        return Request(self, self._recorder.icompute(self._me, time_of(time)))

    def iteration(self, phase: str | None = None) -> AbstractContextManager[None]:
        """Returns a context that marks an iteration, or a phase of it with a name.

        Tables and reports have a row per iteration and phase. A phase whose name the iteration has
        had already begins the next iteration. A name has at most 8 bytes.
        """
        return Iteration(self._recorder, self._me, phase)

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
        handle = handle_of(request)
        if handle is not None:
            self._recorder.wait(self._me, handle)
        return WAITED

    def waitall(self, requests: Iterable[Request] | None = None) -> Unknown:
        """Waits for these requests, or for all of the rank."""
        if requests is None:
            self._recorder.wait_for_all(self._me)
        else:
            self._recorder.wait_for(self._me, handles_of(requests))
        return WAITED

    def startall(self, requests: Iterable[Request]) -> None:
        """Starts persistent requests."""
        for request in requests:
            request.start()

    # Collectives

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
        wraps = [bool(periods)] * len(extents) if isinstance(periods, int) else list(periods)
        if len(wraps) != len(extents) or any(extent < 1 for extent in extents):
            raise ValueError(
                f"dims {extents} and periods {wraps} are no grid; give an extent from 1 on and a"
                " period per dimension"
            )
        count = 1
        for extent in extents:
            count *= extent
        if count > self.size:
            raise ValueError(
                f"a grid of {' x '.join(map(str, extents))} needs {count} ranks, but there"
                f" are {self.size}; change the grid, or the number of ranks of the job"
            )
        made = self._recorder.create_of_first(self._me, self._id, count)
        if made is None:
            return None
        return CartesianCommunicator(
            self._recording, self._recorder, self._me, *made, dims=extents, periods=wraps
        )

    def free(self) -> None:
        """Frees the communicator.

        No non-blocking collective on it may be pending: MPI lets it complete, Pantala refuses the
        run.
        """
        self._recorder.free(self._me, self._id)

    def _made(self, made: tuple[int, int, int] | None) -> Communicator | None:
        if made is None:
            return None
        return Communicator(self._recording, self._recorder, self._me, *made)


class CartesianCommunicator(Communicator):
    """A communicator whose ranks form a grid, last dimension fastest.

    It has all calls of a `Communicator`, and `rank` and `size`.

    Attributes:
        dims: the extent of each dimension.
        periods: whether each dimension is periodic.
    """

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
        self.dims = dims
        self.periods = periods

    @property
    def coords(self) -> list[int]:
        """The coordinates of this rank."""
        return self.coords_of(self.rank)

    def coords_of(self, rank: int) -> list[int]:
        """Returns the coordinates of a rank."""
        if not 0 <= rank < self.size:
            raise ValueError(f"there is no rank {rank} in a communicator of {self.size}")
        found = []
        for extent in reversed(self.dims):
            rank, at = divmod(rank, extent)
            found.append(at)
        return found[::-1]

    def rank_of(self, coords: Sequence[int]) -> int:
        """Returns the rank at these coordinates; PROC_NULL beyond the edge of the grid."""
        self._check_dimensions(coords, "coordinates")
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
        if dimension >= len(self.dims):
            raise ValueError(
                f"there is no dimension {dimension} in a grid of {len(self.dims)}; the first is 0"
            )
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
        self._check_dimensions(keep, "values")
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
        return self._with_grid(made, dims, periods)

    def dup(self) -> CartesianCommunicator:
        """Returns a communicator of the same ranks with the same grid."""
        return self._with_grid(super().dup(), self.dims, self.periods)

    def _with_grid(
        self, made: Communicator, dims: list[int], periods: list[bool]
    ) -> CartesianCommunicator:
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

    def _check_dimensions(self, values: Sequence[object], what: str) -> None:
        if len(values) != len(self.dims):
            raise ValueError(
                f"{list(values)} has {len(values)} {what}, the grid {len(self.dims)} dimensions;"
                " give one per dimension"
            )
