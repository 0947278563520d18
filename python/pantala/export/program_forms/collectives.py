"""The messages of collectives, for forms that have none.

The algorithms have the names of `mpi.collectives`: Barrier is `dissemination`, Bcast and Reduce are
`binomial_tree`, Allreduce is `recursive_doubling`, Alltoall and Alltoallv are `ring`. The files of
``crates/pantala-mpi/src/collectives`` with these names have their sources.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

__all__ = ["ALGORITHMS", "Message", "rounds"]

#: The algorithm of each collective, as keys of `mpi.collectives`.
ALGORITHMS = {
    "barrier": "dissemination",
    "bcast": "binomial_tree",
    "reduce": "binomial_tree",
    "allreduce": "recursive_doubling",
    "alltoall": "ring",
    "alltoallv": "ring",
}


class Message(NamedTuple):
    """A message of a member: whether it sends, the other member, the bytes."""

    sends: bool
    peer: int
    bytes: int


Round = list[Message]


def rounds(
    call: str,
    me: int,
    size: int,
    *,
    root: int = 0,
    bytes: int = 0,
    sent: Sequence[int] = (),
    received: Sequence[int] = (),
) -> Iterator[Round]:
    """Yields the messages of a member in each round; a round ends when all its messages have.

    Args:
        call: the collective.
        me: the member, from 0.
        size: the number of members.
        root: the member that is the root.
        bytes: the size of a message: of the whole vector, or of a block.
        sent: of an alltoallv, the bytes to each member.
        received: of an alltoallv, the bytes from each member.
    """
    place = (me - root) % size
    if call == "barrier":
        yield from _dissemination(me, size)
    elif call == "bcast":
        yield from _bcast(place, size, root, bytes)
    elif call == "reduce":
        yield from _reduce(place, size, root, bytes)
    elif call == "allreduce":
        yield from _doubling(me, size, bytes)
    else:
        sent, received = sent or [bytes] * size, received or [bytes] * size
        for distance in range(1, size):
            source, target = (me - distance) % size, (me + distance) % size
            yield [Message(False, source, received[source]), Message(True, target, sent[target])]


def _dissemination(me: int, size: int) -> Iterator[Round]:
    distance = 1
    while distance < size:
        yield [
            Message(False, (me - distance) % size, 0),
            Message(True, (me + distance) % size, 0),
        ]
        distance *= 2


def _bcast(place: int, size: int, root: int, bytes: int) -> Iterator[Round]:
    if place:
        yield [Message(False, ((place & (place - 1)) + root) % size, bytes)]
    top = place & -place if place else 1 << (size - 1).bit_length()
    while top > 1:
        top //= 2
        if place + top < size:
            yield [Message(True, (place + top + root) % size, bytes)]


def _reduce(place: int, size: int, root: int, bytes: int) -> Iterator[Round]:
    distance = 1
    while distance < size:
        if place & distance:
            yield [Message(True, (place - distance + root) % size, bytes)]
            return
        if place + distance < size:
            yield [Message(False, (place + distance + root) % size, bytes)]
        distance *= 2


def _doubling(me: int, size: int, bytes: int) -> Iterator[Round]:
    power = 1 << (size.bit_length() - 1)
    rest = size - power
    if me < 2 * rest and me % 2 == 0:
        yield [Message(True, me + 1, bytes)]
        yield [Message(False, me + 1, bytes)]
        return
    place = me // 2 if me < 2 * rest else me - rest
    if me < 2 * rest:
        yield [Message(False, me - 1, bytes)]
    distance = 1
    while distance < power:
        other = place ^ distance
        peer = 2 * other + 1 if other < rest else other + rest
        yield [Message(False, peer, bytes), Message(True, peer, bytes)]
        distance *= 2
    if me < 2 * rest:
        yield [Message(True, me - 1, bytes)]
