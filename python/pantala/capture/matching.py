"""Which messages of a capture have both halves, and the removal of those that have one.

A capture that is cut off, or that records a part of a program, has sends without receives and
receives without sends. A replay would wait for them for ever.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pantala.capture.rank_file import RankRecords
from pantala.core.operation_codes import Code

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Lonely", "remove_lonely"]

_SENDS = {
    *(Code.SEND, Code.SSEND, Code.RSEND, Code.BSEND, Code.ISEND, Code.ISSEND),
    *(Code.SENDRECV_SEND, Code.SEND_INIT, Code.IPOST),
}
_RECEIVES = {Code.RECV, Code.IRECV, Code.SENDRECV_RECV, Code.RECV_INIT}
_COMMUNICATORS = {Code.COMM_DUP, Code.COMM_SPLIT, Code.COMM_FREE, Code.COMM_JOIN}
_POSTED = {Code.ISEND, Code.ISSEND, Code.IRECV, Code.IPOST}
#: Flags, and the number that stands for all requests.
_NON_BLOCKING, _LISTED, _WILD, _ALL = 8, 4, 3, 2**32 - 1

#: A communicator: its parent, the number of the call that made it there, its first rank.
Context: TypeAlias = tuple[object, ...]
#: The messages between two ranks: communicator, sender, receiver (ranks of the job), tag.
Pair: TypeAlias = tuple[Context, int, int, int]


@dataclass(frozen=True)
class Lonely:
    """Halves of messages that a capture lacks the other half of.

    Attributes:
        sends: the number of sends without a receive, by sender, receiver and tag; ranks are those
            of the job.
        receives: the number of receives without a message, likewise.
    """

    sends: Counter[tuple[int, int, int]]
    receives: Counter[tuple[int, int, int]]

    def shown(self) -> tuple[str, ...]:
        """Returns a line for each kind, with the most frequent pair."""
        lines = []
        for found, text in (
            (self.sends, "messages that no rank receives are left out"),
            (self.receives, "receives without a message are left out"),
        ):
            if found:
                (sender, receiver, tag), count = found.most_common(1)[0]
                most = f"{count:,} from rank {sender} to rank {receiver} with tag {tag}"
                rest = "" if len(found) == 1 else f", and {len(found) - 1:,} other pairs"
                lines.append(f"{found.total():,} {text}: {most}{rest}")
        return tuple(lines)


@dataclass(frozen=True)
class _Half:
    """A send or a receive: its rank, the record that starts it, and whether a record ends it."""

    rank: int
    record: int
    request: int | None
    ended: bool


class _Communicators:
    """The communicators of a rank while its operations are gone through."""

    def __init__(self, file: RankRecords) -> None:
        self.lists = file.lists
        world = tuple(range(file.ranks))
        self.known: dict[int, tuple[Context, tuple[int, ...]]] = {
            0: ((), world),
            1: (("self", file.rank), (file.rank,)),
        }
        self.made: Counter[Context] = Counter()
        self.rank = file.rank

    def apply(self, code: int, number: int, first: int, second: int) -> None:
        """Goes on by a call that makes or frees a communicator."""
        if code == Code.COMM_JOIN:
            members = tuple(self.lists[second] or [])
            self._add(("joined", first, members[0]), members)
            return
        if code == Code.COMM_FREE:
            self.known.pop(number, None)
            return
        context, ranks = self.known[number]
        self.made[context] += 1
        count = self.made[context]
        if code == Code.COMM_DUP:
            self._add((context, count), ranks)
            return
        words = self.lists[second] or []
        own = words[ranks.index(self.rank)] >> 32
        if own:
            found = [
                (word & 0xFFFFFFFF, each)
                for word, each in zip(words, ranks, strict=True)
                if word >> 32 == own
            ]
            self._add((context, count, own), tuple(each for _, each in sorted(found)))

    def _add(self, context: Context, ranks: tuple[int, ...]) -> None:
        number = next(n for n in range(1, 65536) if n not in self.known)
        self.known[number] = (context, ranks)


def remove_lonely(files: Sequence[RankRecords], *, from_start: bool = False) -> Lonely:
    """Removes sends without receives and receives without sends, and ends what is still open.

    The last ones of a pair of ranks are removed; with `from_start`, the first receives, whose
    messages a recorded part of a program lacks.

    Args:
        files: the files of all ranks by rank; their records are replaced.
        from_start: whether the recording starts within the program.
    """
    sends: dict[Pair, list[_Half]] = defaultdict(list)
    receives: dict[Pair, list[_Half]] = defaultdict(list)
    probes: dict[Pair, list[tuple[int, int]]] = defaultdict(list)
    dropped: dict[int, set[int]] = defaultdict(set)
    waits: dict[int, dict[tuple[int, int], int]] = defaultdict(dict)
    still_open: dict[int, set[int]] = defaultdict(set)
    for file in files:
        for pair, half, kind in _halves(file, waits[file.rank], still_open[file.rank]):
            if kind == "probe":
                probes[pair].append((half.rank, half.record))
            elif kind == "wild":
                dropped[half.rank].add(half.record)
            else:
                (sends if kind == "send" else receives)[pair].append(half)
    lonely = Lonely(Counter(), Counter())
    for pair in [*sends, *(pair for pair in receives if pair not in sends)]:
        given, taken = sends.get(pair, []), receives.get(pair, [])
        over = len(given) - len(taken)
        if over > 0:
            removed = given[-over:]
            lonely.sends[pair[1:]] += over
        elif over < 0:
            removed = _removed_receives(taken, -over, from_start=from_start)
            lonely.receives[pair[1:]] -= over
            for rank, record in probes.get(pair, []):
                dropped[rank].add(record)
        else:
            continue
        for half in removed:
            dropped[half.rank].add(half.record)
            if half.request is not None:
                wait = waits[half.rank].get((half.record, half.request))
                if wait is not None:
                    dropped[half.rank].add(wait)
    for file in files:
        gone = dropped[file.rank]
        _rewrite(file, gone, waits_for_all=bool(still_open[file.rank] - gone))
    return lonely


def _removed_receives(taken: list[_Half], count: int, *, from_start: bool) -> list[_Half]:
    """Returns the receives without a message: first those that never ended."""
    open_ones = [half for half in taken if not half.ended][-count:]
    rest = [half for half in taken if half.ended]
    left = count - len(open_ones)
    return open_ones + (rest[:left] if from_start else rest[len(rest) - left :])


def _halves(
    file: RankRecords, waits: dict[tuple[int, int], int], still_open: set[int]
) -> Iterator[tuple[Pair, _Half, str]]:
    """Yields the halves of messages of a rank: the pair, the half, and its kind.

    Args:
        file: the file of the rank.
        waits: gets the record of the single wait of each request, by the record that posted it.
        still_open: gets the records whose requests no record ends.
    """
    communicators = _Communicators(file)
    records = file.records
    started: dict[int, tuple[int, Pair | None, str]] = {}  # by request: what it waits for
    persistent: dict[int, tuple[Pair, str]] = {}
    held: list[tuple[Pair, int, int, str]] = []
    ended: set[int] = set()
    me = file.rank
    for at, (code, flags, number, request, peer, tag, first, second) in enumerate(records.tolist()):
        if code in _COMMUNICATORS:
            communicators.apply(code, number, first, second)
            continue
        if code == Code.WAIT:
            found = started.pop(request, None)
            if found is not None:
                ended.add(found[0])
                waits[found[0], request] = at
            continue
        if code == Code.WAITALL:
            listed = file.lists[second] if flags & _LISTED else range(request, request + peer)
            if peer == _ALL and not flags & _LISTED:
                listed = list(started)
            for each in listed or []:
                found = started.pop(each, None)
                if found is not None:
                    ended.add(found[0])
            continue
        if code == Code.START:
            pair, kind = persistent[request]
            started[request] = (at, pair, kind)
            held.append((pair, at, request, kind))
            continue
        if code == Code.REQUEST_FREE:
            persistent.pop(request, None)
            started.pop(request, None)
            continue
        if flags & _NON_BLOCKING:
            started[request] = (at, None, "collective")
            continue
        is_send = code in _SENDS
        if not (is_send or code in _RECEIVES or code == Code.PROBE):
            continue
        context, ranks = communicators.known[number]
        kind = "send" if is_send else "receive"
        other = ranks[peer] if not flags & _WILD else me
        pair = (context, me, other, tag) if is_send else (context, other, me, tag)
        if code in (Code.SEND_INIT, Code.RECV_INIT):
            persistent[request] = (pair, kind)
        elif code == Code.PROBE:
            yield pair, _Half(me, at, None, True), "probe"
        elif flags & _WILD:
            yield pair, _Half(me, at, request if code in _POSTED else None, False), "wild"
        elif code in _POSTED:
            started[request] = (at, pair, kind)
            held.append((pair, at, request, kind))
        else:
            yield pair, _Half(me, at, None, True), kind
    still_open |= {at for at, _, _ in started.values()}
    for pair, at, request, kind in held:
        yield pair, _Half(me, at, request, at in ended), kind


def _rewrite(file: RankRecords, dropped: set[int], *, waits_for_all: bool) -> None:
    """Removes records of a rank; half of a Sendrecv becomes the other call alone."""
    import numpy as np

    records = file.records
    keep = np.ones(len(records), bool)
    for at in dropped:
        code = int(records["code"][at])
        keep[at] = False
        if code == Code.SENDRECV_SEND and at + 1 not in dropped:
            records["code"][at + 1] = Code.RECV
        if code == Code.SENDRECV_RECV and at - 1 not in dropped:
            records["code"][at - 1] = Code.SEND
    kept = records[keep]
    ends = []
    if _is_open(kept):
        ends.append((Code.ITERATION_END, 0, 0, 0, 0, 0, 0, 0))
    if waits_for_all:
        ends.append((Code.WAITALL, 0, 0, 0, _ALL, 0, 0, 0))
    file.records = np.concatenate([kept, np.array(ends, kept.dtype)]) if ends else kept


def _is_open(records: np.ndarray) -> bool:
    """Returns whether an iteration has no end."""
    codes = records["code"]
    return bool((codes == Code.ITERATION).sum() > (codes == Code.ITERATION_END).sum())
