"""The conversion of a trace in OTF2 into an operation file."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

from pantala.core import native
from pantala.errors import UsageError
from pantala.files.atomic_file import atomic_file, scratch_folder
from pantala.traces.otf2.conversion import Conversion
from pantala.traces.otf2.damage import damage
from pantala.traces.otf2.in_place import EQUAL, EqualCalls
from pantala.traces.otf2.messages import quiet
from pantala.traces.otf2.rank import CallError, Communicator, Rank
from pantala.traces.otf2.silent_calls import left_out
from pantala.traces.otf2.sizes import BLOCKS, Sizes, given
from pantala.traces.otf2.unequal import UNEQUAL, UnequalCalls
from pantala.traces.rank_file import RankFile

__all__ = ["Conversion", "convert"]

#: Ranks whose event files are open at a time.
_BATCH = 100
_NO_ROOT = 2**32 - 1


def convert(
    trace: str | Path, out: str | Path, *, compute: bool = True, compute_scale: float = 1.0
) -> Conversion:
    """Converts a trace in OTF2 into an operation file.

    Args:
        trace: the anchor file, ``traces.otf2``.
        out: the operation file.
        compute: whether the time between calls is computing.
        compute_scale: a factor of that time.

    Raises:
        UsageError: the library of OTF2 is missing, or it cannot read the trace.
    """
    try:
        import otf2
    except ImportError:
        raise UsageError(
            f"{trace}: OTF2 needs its library; run pip install 'pantala[otf2]'"
        ) from None
    path, target = Path(trace), Path(out)
    if not path.is_file():
        raise UsageError(f"{path}: does not exist; name the anchor file, e.g. traces.otf2")
    with scratch_folder(target.parent) as scratch:
        conversion = _Conversion(path, scratch, compute_scale if compute else 0.0)
        with quiet() as messages:
            try:
                files = conversion.run(otf2)
            except UsageError:
                raise
            except CallError as error:
                at = conversion.current
                events = path.with_suffix("") / f"{at.location}.evt"
                raise UsageError(f"{events}: rank {at.number}: {error}") from None
            except MemoryError:
                raise UsageError(
                    f"{path}: the library of OTF2 needs more memory for the trace than there is;"
                    " check it with otf2-print"
                ) from None
            except Exception as error:  # the library raises errors of many classes
                file, reason = damage(otf2, path, conversion.reading, messages(), error)
                raise UsageError(
                    f"{file}: the library of OTF2 cannot read the trace: {reason}"
                ) from None
        try:
            with atomic_file(target) as half:
                made = native.merge_operation_files(files, half, find_iterations=False)
        except ValueError as error:
            rank, _, reason = str(error).removeprefix(f"{scratch}{os.sep}").partition(": ")
            raise UsageError(
                f"{path}: the calls of {Path(rank).stem} make no program: {reason}; check them with"
                " otf2-print"
            ) from None
        return Conversion(
            target,
            len(files),
            made["operations"],
            conversion.unfinished,
            tuple(sorted(conversion.notes)),
            conversion.summary(),
        )


class _Conversion:
    """A conversion in progress."""

    def __init__(self, path: Path, scratch: Path, scale: float) -> None:
        self.path = path
        self.scratch = scratch
        self.scale = scale
        self.notes: set[str] = set()
        self.unfinished = 0
        self.communicators: dict[Any, Communicator] = {}
        self.equal = EqualCalls()
        self.unequal = UnequalCalls(self.equal)
        self.multiplied = False
        self.ranks: list[Rank] = []
        self.resolution = 1
        self.events = 0
        #: The locations whose events are being read.
        self.reading: list[int] = []
        #: The rank whose calls are being converted.
        self.current: Rank

    def run(self, otf2: Any) -> list[Path]:
        """Writes a file per rank and returns the files."""
        ranks = self.ranks
        first = 0
        while first == 0 or first < len(ranks):
            with otf2.reader.open(str(self.path)) as trace:
                locations = self._locations(otf2, trace)
                if not ranks:
                    ranks += self._start(trace, locations)
                chosen = locations[first : first + _BATCH]
                numbers = {location._ref: first + place for place, location in enumerate(chosen)}
                # The definitions of this reader are other objects than those of the last batch.
                self.communicators = self._communicators(otf2, trace, locations)
                self.reading = [location._ref for location in chosen]
                others = [each for each in trace.definitions.locations if each not in locations]
                seen = Counter[int]()
                for location, event in trace.events(chosen):
                    seen[location._ref] += 1
                    self.current = ranks[numbers[location._ref]]
                    self._event(self.current, type(event).__name__, event)
                for location in chosen:
                    if seen[location._ref] < location.number_of_events:
                        file = self.path.with_suffix("") / f"{location._ref}.evt"
                        raise UsageError(
                            f"{file}: has {seen[location._ref]:,} of the"
                            f" {location.number_of_events:,} events that the trace names; the file"
                            " is damaged or cut off: copy it again"
                        )
                if others and first == 0:
                    self.notes.add(
                        f"events of {len(others)} locations that are not MPI processes, such as"
                        " threads, are left out"
                    )
            self.reading = []
            for rank in ranks[first : first + _BATCH]:
                rank.file.flush()
            first += _BATCH
        if name := self.unequal.incomplete():
            raise UsageError(
                f"{self.path}: not all ranks of a communicator have its MPI {name}; record the"
                " whole program"
            )
        self.notes |= set(self.equal.settle())
        for rank in ranks:
            self.current = rank
            rank.close()
            self.unfinished += rank.unfinished
        self._note_calls()
        return [rank.file.path for rank in ranks]

    def _note_calls(self) -> None:
        """Notes the calls that are left out or changed."""
        self.notes |= set(left_out(sum((rank.silent for rank in self.ranks), Counter[str]())))
        blocking = sum((rank.made_blocking for rank in self.ranks), Counter[str]())
        if blocking:
            named = ", ".join(f"{number:,} {name}" for name, number in sorted(blocking.items()))
            self.notes.add(f"{named}: replayed as blocking; the trace has no request for them")

    def _locations(self, otf2: Any, trace: Any) -> list[Any]:
        """Returns the locations of the MPI processes in the order of ranks."""
        kinds = otf2.enums
        for group in trace.definitions.groups:
            if (
                group.group_type == kinds.GroupType.COMM_LOCATIONS
                and group.paradigm == kinds.Paradigm.MPI
            ):
                return list(group.members)
        raise UsageError(f"{self.path}: has no MPI processes; record it with a tracer for MPI")

    def _start(self, trace: Any, locations: list[Any]) -> list[Rank]:
        import _otf2

        self.multiplied = str(_otf2.Reader_GetCreator(trace.handle)).startswith("Score-P")
        self.resolution = trace.timer_resolution
        tick = self.scale * 1e12 / trace.timer_resolution
        ranks = []
        for number, location in enumerate(locations):
            file = RankFile(self.scratch / f"rank-{number:06d}.operations", len(locations), number)
            ranks.append(Rank(number, location._ref, file, tick))
        return ranks

    def _communicators(
        self, otf2: Any, trace: Any, locations: list[Any]
    ) -> dict[Any, Communicator]:
        kinds = otf2.enums
        number = {location._ref: rank for rank, location in enumerate(locations)}
        found: dict[Any, Communicator] = {}
        world = False
        for place, comm in enumerate(trace.definitions.comms):
            group = getattr(comm, "group", None)
            if group is None or group.paradigm != kinds.Paradigm.MPI:
                continue
            if group.group_type == kinds.GroupType.COMM_SELF or len(group.members) == 0:
                found[comm._ref] = Communicator(0, None, {})
                continue
            members = tuple(number[location._ref] for location in group.members)
            whole = not world and members == tuple(range(len(locations)))
            world = world or whole
            places = {rank: index for index, rank in enumerate(members)}
            found[comm._ref] = Communicator(0 if whole else place + 1, members, places)
        return found

    def _of(self, comm: Any) -> Communicator:
        found = self.communicators.get(comm._ref)
        if found is None:
            raise UsageError(
                f"{self.path}: a message uses an intercommunicator, which a replay does not have"
            )
        return found

    def summary(self) -> dict[str, Any]:
        """Returns calls, bytes and times of the trace."""
        start = min((rank.start for rank in self.ranks), default=0)
        end = max((rank.end for rank in self.ranks), default=0)
        spans = sum(rank.end - rank.start for rank in self.ranks)
        calls = sum((rank.calls for rank in self.ranks), Counter[str]())
        folder = self.path.with_suffix("")
        files = [self.path, *self.path.parent.glob(f"{folder.name}.*"), *folder.rglob("*")]
        warnings = sorted(self.notes)
        if self.unfinished:
            warnings.append(f"{self.unfinished:,} receives or collectives never complete")
        return {
            "format": "otf2",
            "ranks": len(self.ranks),
            "file_bytes": sum(file.stat().st_size for file in set(files) if file.is_file()),
            "records": self.events,
            "duration_ps": (end - start) * 10**12 // self.resolution,
            "compute_share": sum(rank.computing for rank in self.ranks) / spans if spans else None,
            "calls": dict(sorted(calls.items())),
            "by_rank": [
                {
                    "rank": rank.number,
                    "calls": dict(sorted(rank.calls.items())),
                    "messages": sum(pair[0] for pair in rank.sent.values()),
                    "bytes": sum(pair[1] for pair in rank.sent.values()),
                    "collective_bytes": rank.given,
                }
                for rank in self.ranks
            ],
            "matrix": [
                {"source": rank.number, "destination": to, "messages": pair[0], "bytes": pair[1]}
                for rank in self.ranks
                for to, pair in sorted(rank.sent.items())
            ],
            "warnings": warnings,
        }

    def _event(self, rank: Rank, kind: str, event: Any) -> None:
        self.events += 1
        if kind == "Enter":
            if event.region.name.lower().startswith("mpi_"):
                rank.enter(event.region.name, event.time)
            return
        if kind == "Leave":
            if event.region.name.lower().startswith("mpi_"):
                rank.leave(event.time)
            return
        if kind == "MeasurementOnOff":
            self.notes.add(
                "the measurement was switched off in part; calls of that time are missing"
            )
            return
        if kind.startswith("Rma"):
            if not rank.inside:  # calls of MPI are counted by name
                self.notes.add("one-sided communication is left out")
            return
        handler = _HANDLERS.get(kind)
        if handler is None:
            return
        rank.event(event.time)
        handler(self, rank, event)
        rank.after()

    def _send(self, rank: Rank, event: Any) -> None:
        rank.send(self._of(event.communicator), event.receiver, event.msg_tag, event.msg_length)

    def _receive(self, rank: Rank, event: Any) -> None:
        rank.receive(self._of(event.communicator), event.sender, event.msg_tag, event.msg_length)

    def _probe(self, rank: Rank, event: Any) -> None:
        rank.probe(self._of(event.communicator), event.sender, event.msg_tag)

    def _isend(self, rank: Rank, event: Any) -> None:
        message = event.receiver, event.msg_tag, event.msg_length, event.request_id
        rank.isend(self._of(event.communicator), *message)

    def _irecv(self, rank: Rank, event: Any) -> None:
        message = event.sender, event.msg_tag, event.msg_length, event.request_id
        rank.complete_receive(self._of(event.communicator), *message)

    def _post(self, rank: Rank, event: Any) -> None:
        rank.post(event.request_id)

    def _sent(self, rank: Rank, event: Any) -> None:
        rank.complete_send(event.request_id)

    def _cancelled(self, rank: Rank, event: Any) -> None:
        rank.cancel(event.request_id)

    def _collective(self, rank: Rank, event: Any) -> None:
        """A collective: blocking, or the completion of a non-blocking one."""
        name = _name(event.collective_op)
        if name not in BLOCKS and name not in UNEQUAL:
            return  # a call that makes or frees communicators, windows or memory
        communicator = self._of(event.communicator)
        request = getattr(event, "request_id", None)
        if communicator.ranks is None:
            if request is not None:
                rank.cancel(request)
            return  # of MPI_COMM_SELF: no messages
        record = {"communicator": rank.communicator(communicator)}
        if event.root != _NO_ROOT:
            record["peer"] = event.root
        place, size = communicator.places[rank.number], len(communicator.ranks)
        equal = name in EQUAL and self.multiplied
        if name in BLOCKS:
            code, bytes_of = BLOCKS[name]
            root = event.root == place
            sizes = Sizes(event.size_sent, event.size_received, place, size, self.multiplied, root)
            record["first"] = (
                self.equal.block(name, event.size_sent, size) if equal else bytes_of(sizes)
            )
            rank.given += given(name, record["first"], place, size, event.root)
        else:
            code = UNEQUAL[name]
        if request is None:
            at = rank.collective(code, record)
        else:
            record["flags"] = 8
            at = rank.complete(request, code, **record)
        if equal:
            self.equal.add(name, event.size_sent, size, rank, at)
        elif name in UNEQUAL:
            came = event.size_sent, event.size_received
            self.unequal.add(name, rank, communicator, came, at)


_HANDLERS = {
    "MpiSend": _Conversion._send,
    "MpiRecv": _Conversion._receive,
    "MpiMrecv": _Conversion._receive,
    "MpiProbe": _Conversion._probe,
    "MpiIsend": _Conversion._isend,
    "MpiIsendComplete": _Conversion._sent,
    "MpiIrecvRequest": _Conversion._post,
    "MpiImrecvRequest": _Conversion._post,
    "NonBlockingCollectiveRequest": _Conversion._post,
    "MpiIrecv": _Conversion._irecv,
    "MpiImrecv": _Conversion._irecv,
    "MpiRequestCancelled": _Conversion._cancelled,
    "MpiCollectiveEnd": _Conversion._collective,
    "NonBlockingCollectiveComplete": _Conversion._collective,
}


def _name(collective: Any) -> str:
    """Returns OTF2's name of a collective; the library's constants are no enumeration."""
    return str(collective).rpartition(".")[2]
