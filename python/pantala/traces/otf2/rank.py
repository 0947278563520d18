"""A rank of a trace: its calls as records of an operation file."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from typing import Any

from pantala.core.operation_codes import Code
from pantala.traces.rank_file import Member, RankFile

__all__ = ["CallError", "Communicator", "Rank"]

_SENDS = {"mpi_ssend": Code.SSEND, "mpi_rsend": Code.RSEND, "mpi_bsend": Code.BSEND}
_PAIRS = {"mpi_sendrecv", "mpi_sendrecv_replace"}
#: More live requests than an operation file has numbers for.
_MOST_REQUESTS = 1 << 20
#: The longest computing of an operation file, in ps.
_LONGEST = 10**18


class CallError(ValueError):
    """Calls of a rank that no replay can make."""


@dataclass(frozen=True)
class Communicator:
    """A communicator of a trace.

    Attributes:
        context: its number in the job; 0 for MPI_COMM_WORLD.
        ranks: the ranks of the job in it; None for MPI_COMM_SELF.
        places: the number of each rank in it.
    """

    context: int
    ranks: tuple[int, ...] | None
    places: dict[int, int]


class Rank:
    """A rank of a trace.

    Attributes:
        number: its number.
        location: its number in the trace.
        file: its operation file.
        calls: the calls of each function of MPI.
        silent: those of them without an event that tells what they did.
        made_blocking: non-blocking collectives whose event has no request.
        sent: messages and bytes to each rank of the job, without collectives.
        given: bytes of the send buffers of collectives.
        computing: ticks between calls.
        start: the time at which MPI_Init ended; -1 before.
        end: the time of the last event.
    """

    def __init__(self, number: int, location: int, file: RankFile, picoseconds: float) -> None:
        self.number = number
        self.location = location
        self.file = file
        self.calls: Counter[str] = Counter()
        self.silent: Counter[str] = Counter()
        self.made_blocking: Counter[str] = Counter()
        self.sent: dict[int, list[int]] = {}
        self.given = 0
        self.computing = 0
        self.start = self.end = -1
        self._picoseconds = picoseconds
        self._regions: list[str] = []
        self._called = ""  # the function that the program called
        self._told = False  # whether an event tells what it did
        self._last = -1
        self._gap = 0
        self._posted: dict[int, tuple[int, int]] = {}  # by request id: number, record
        self._open: set[int] = set()  # requests whose completion is to tell what they are
        self._free: list[int] = []
        self._next_number = 0
        self._completed: list[int] = []
        self._send: dict[str, int] | None = None
        self._numbers: dict[int, int] = {}
        self._members: list[Member] = []

    @property
    def unfinished(self) -> int:
        """The number of non-blocking receives and collectives that never completed."""
        return len(self._open)

    def enter(self, region: str, time: int) -> None:
        """Enters a function of MPI."""
        if not self._regions:
            self._advance(time)
            self.calls[region] += 1
            self._called, self._told = region, False
        self._regions.append(region.lower())

    def leave(self, time: int) -> None:
        """Leaves a function of MPI."""
        if not self._regions:
            return
        region = self._regions.pop()
        if self._regions:
            return
        if not self._told:
            self.silent[self._called] += 1
        self._end_send()
        self._wait()
        self._last = self.end = self._later(time)
        if region in {"mpi_init", "mpi_init_thread"}:
            self._gap = self.computing = 0  # the clock starts here
            self.start = time

    @property
    def inside(self) -> bool:
        """Whether the rank is inside a function of MPI."""
        return bool(self._regions)

    def event(self, time: int) -> None:
        """Passes the time of an event that tells what a call did."""
        self._told = True
        if not self._regions:
            self._advance(time)

    def after(self) -> None:
        """Ends an event outside of any function of MPI."""
        if not self._regions:
            self._end_send()
            self._wait()

    def _later(self, time: int) -> int:
        """Returns a time of the trace, which must not be before the last one."""
        if time < self._last:
            raise CallError(
                f"its times run backwards, from tick {self._last:,} to tick {time:,}; the file is"
                " damaged: check it with otf2-print"
            )
        return time

    def _advance(self, time: int) -> None:
        if self._last >= 0:
            gap = self._later(time) - self._last
            self._gap += gap
            self.computing += gap
        if self.start < 0:
            self.start = time
        self._last = self.end = time

    def _compute(self) -> None:
        duration = round(self._gap * self._picoseconds)
        if duration > _LONGEST:
            raise CallError(
                f"it computes for {duration / 1e12:,.0f} s between two calls, and"
                f" {_LONGEST // 10**12:,} s are the most; the file is damaged: check it with"
                " otf2-print"
            )
        if duration > 0:
            self.file.emit(Code.COMPUTE, first=duration)
        self._gap = 0

    def communicator(self, communicator: Communicator) -> int:
        """Returns the number of a communicator in the file of this rank."""
        if communicator.context == 0:
            return 0
        known = self._numbers.get(communicator.context)
        if known is None:
            assert communicator.ranks is not None
            place = communicator.places[self.number]
            self._members.append(Member(communicator.context, place, communicator.ranks))
            known = self._numbers[communicator.context] = len(self._members)
        return known

    def _message(self, communicator: Communicator, peer: int) -> dict[str, int]:
        if communicator.ranks is None:
            return {"communicator": 0, "peer": self.number}
        if not 0 <= peer < len(communicator.ranks):
            raise CallError(
                f"a message has partner {peer} in a communicator of {len(communicator.ranks):,}"
                " ranks; the file is damaged: check it with otf2-print"
            )
        return {"communicator": self.communicator(communicator), "peer": peer}

    def _count(self, communicator: Communicator, peer: int, size: int) -> None:
        ranks = communicator.ranks
        pair = self.sent.setdefault(self.number if ranks is None else ranks[peer], [0, 0])
        pair[0] += 1
        pair[1] += size

    def send(self, communicator: Communicator, peer: int, tag: int, size: int) -> None:
        """A blocking send."""
        self._compute()
        message = {**self._message(communicator, peer), "tag": tag, "first": size}
        self._count(communicator, peer, size)
        region = self._regions[-1] if self._regions else ""
        if region in _PAIRS:
            self._send = message
        else:
            self.file.emit(_SENDS.get(region, Code.SEND), **message)

    def receive(self, communicator: Communicator, peer: int, tag: int, size: int) -> None:
        """A blocking receive."""
        self._compute()
        message = {**self._message(communicator, peer), "tag": tag, "first": size}
        if self._send is None:
            self.file.emit(Code.RECV, **message)
            return
        self.file.emit(Code.SENDRECV_SEND, **self._send)
        self.file.emit(Code.SENDRECV_RECV, **message)
        self._send = None

    def probe(self, communicator: Communicator, peer: int, tag: int) -> None:
        """A probe that found a message."""
        self._compute()
        self.file.emit(Code.PROBE, tag=tag, **self._message(communicator, peer))

    def _end_send(self) -> None:
        """Writes the send of a Sendrecv that receives from MPI_PROC_NULL."""
        if self._send is not None:
            self.file.emit(Code.SEND, **self._send)
            self._send = None

    def _number(self) -> int:
        if self._free:
            return heapq.heappop(self._free)
        if self._next_number >= _MOST_REQUESTS:
            raise CallError(
                "it has more than 1,048,576 requests at a time; let it wait for them sooner"
            )
        self._next_number += 1
        return self._next_number - 1

    def isend(
        self, communicator: Communicator, peer: int, tag: int, size: int, request: int
    ) -> None:
        """A non-blocking send."""
        self._compute()
        message = self._message(communicator, peer)
        self._count(communicator, peer, size)
        number = self._number()
        region = self._regions[-1] if self._regions else ""
        code = Code.ISSEND if region == "mpi_issend" else Code.ISEND
        record = self.file.emit(code, request=number, tag=tag, first=size, **message)
        self._posted[request] = (number, record)

    def post(self, request: int) -> None:
        """A non-blocking call, of which only the completion tells more."""
        self._compute()
        self._posted[request] = (self._number(), self.file.emit(Code.COMPUTE))
        self._open.add(request)

    def complete_send(self, request: int) -> None:
        """The completion of a non-blocking send."""
        posted = self._posted.pop(request, None)
        if posted is not None:
            self._completed.append(posted[0])

    def complete(self, request: int, code: Code, **record: int) -> int:
        """The completion of a non-blocking receive or collective. Returns its record."""
        if request not in self._posted:
            self.post(request)
        number, at = self._posted.pop(request)
        self._open.discard(request)
        self.file.put(at, code, request=number, **record)
        self._completed.append(number)
        return at

    def complete_receive(
        self, communicator: Communicator, peer: int, tag: int, size: int, request: int
    ) -> None:
        """The completion of a non-blocking receive."""
        message = self._message(communicator, peer)
        self.complete(request, Code.IRECV, tag=tag, first=size, **message)

    def cancel(self, request: int) -> None:
        """The end of a request that was cancelled."""
        posted = self._posted.pop(request, None)
        self._open.discard(request)
        if posted is not None:
            self.file.put(posted[1], Code.COMPUTE)
            heapq.heappush(self._free, posted[0])

    def _wait(self) -> None:
        """Writes one wait for all requests that a call completed."""
        numbers = self._completed
        if not numbers:
            return
        self._compute()
        first = numbers[0]
        if len(numbers) == 1:
            self.file.emit(Code.WAIT, request=first)
        elif numbers == list(range(first, first + len(numbers))):
            self.file.emit(Code.WAITALL, request=first, peer=len(numbers))
        else:
            self.file.emit(Code.WAITALL, flags=4, second=self.file.list_of(numbers))
        for number in numbers:
            heapq.heappush(self._free, number)
        self._completed = []

    def collective(self, code: Code, record: dict[str, Any]) -> int:
        """A blocking collective. Returns its record."""
        if self._regions and self._regions[-1].startswith("mpi_i"):
            self.made_blocking[self._called] += 1
        self._compute()
        return self.file.emit(code, **record)

    def close(self) -> None:
        """Writes the end of the file. Receives that never completed are left out."""
        self._wait()
        self._compute()
        self.file.close(self._members)
