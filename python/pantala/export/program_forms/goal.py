"""A program as a GOAL schedule: an operation per message, and what each waits for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

import numpy as np

from pantala.errors import UsageError
from pantala.export.program_forms.collectives import ALGORITHMS, rounds
from pantala.export.program_forms.operations import CODES, Group, Operations

__all__ = ["write_goal"]

_PS_PER_NS = 1000
#: Tags of the messages of collectives start here.
_FIRST_TAG = 2**30
_MOST_TAG = 2**31 - 1
#: A list of requests stands in the record.
_LISTED = 4
#: Waits for all requests of the rank.
_ALL = 2**32 - 1


def write_goal(operations: Operations, out: TextIO, title: str) -> int:
    """Writes the schedule of a job and returns the number of its operations.

    Args:
        operations: the operations of the job.
        out: where to write.
        title: the first line, a comment.

    Raises:
        UsageError: GOAL cannot say an operation.
    """
    ranks = len(operations.starts)
    tags = _collective_tags(operations)
    out.write(f"// {title}\n")
    collectives = ", ".join(f"{call} {name}" for call, name in ALGORITHMS.items())
    out.write(f"// Collectives are messages: {collectives}.\n")
    ends = sorted({min(tags.values()), max(tags.values())})
    out.write(f"// Tags of collectives: {' to '.join(map(str, ends))}.\n")
    out.write(f"num_ranks {ranks}\n")
    count = 0
    for rank in range(ranks):
        out.write(f"rank {rank} {{\n")
        schedule = _Rank(rank, ranks, operations, tags)
        for line in schedule.lines():
            out.write(f"{line}\n")
        out.write("}\n")
        count += schedule.count
    return count


def _collective_tags(operations: Operations) -> dict[int, int]:
    """Returns a tag for the collectives of each context; no message of the program has one.

    Collectives of one communicator follow each other on every rank, so one tag is enough for them.
    """
    point_to_point = np.isin(operations.records["code"], [3, 7, 9, 10])
    used = set(np.unique(operations.records["tag"][point_to_point]).tolist())
    contexts = sorted({0} | {each.context for own in operations.groups for each in own})
    tag, found = _FIRST_TAG, {}
    for context in contexts:
        while tag in used:
            tag += 1
        if tag > _MOST_TAG:
            raise UsageError(
                "a GOAL schedule has no tag left for collectives: the program uses all above"
                f" {_FIRST_TAG}; write smaller tags"
            )
        found[context] = tag
        tag += 1
    return found


class _Rank:
    """The schedule of a rank."""

    def __init__(self, rank: int, ranks: int, operations: Operations, tags: dict[int, int]) -> None:
        self._rank = rank
        self._operations = operations.of_rank(rank)
        self._lists = operations.lists
        self._groups = [Group(0, tuple(range(ranks))), *operations.groups[rank]]
        self._tags = tags
        self.count = 0
        #: Operations that have to end before the next one starts, and the last that has started.
        self._after: list[int] = []
        self._started: int | None = None
        self._requests: dict[int, int] = {}
        #: For each operation that nothing waits for yet, the operations that it waited for.
        self._since: dict[int, list[int]] = {}

    def lines(self) -> Iterator[str]:
        """Yields the lines between the braces."""
        for record in self._operations:
            code, flags, communicator, request, peer, tag, first, second = record
            call = CODES[code]
            if call == "compute":
                if first % _PS_PER_NS:
                    raise UsageError(
                        f"rank {self._rank} computes for {first} ps, but GOAL counts whole"
                        " nanoseconds; change the time, or write another form"
                    )
                yield from self._blocking(f"calc {first // _PS_PER_NS}")
            elif call in ("send", "isend", "recv", "irecv"):
                sends = call.endswith("send")
                peer = self._groups[communicator].ranks[peer]
                text = f"{'send' if sends else 'recv'} {first}b {'to' if sends else 'from'} {peer}"
                text += f" tag {tag}"
                if call.startswith("i"):
                    yield from self._start(text)
                    self._requests[request] = self.count
                else:
                    yield from self._blocking(text)
            elif call in ("wait", "waitall"):
                yield from self._wait(flags, request, peer if call == "waitall" else 1, second)
            else:
                yield from self._collective(call, communicator, peer, first, second)

    def _collective(
        self, call: str, communicator: int, root: int, first: int, second: int
    ) -> Iterator[str]:
        group = self._groups[communicator]
        tag = self._tags[group.context]
        blocks = {}
        if call == "alltoallv":
            blocks = {"sent": self._lists[first], "received": self._lists[second]}
            first = 0
        me = group.ranks.index(self._rank)
        for messages in rounds(call, me, len(group.ranks), root=root, bytes=first, **blocks):
            labels = []
            for sends, member, size in messages:
                peer = group.ranks[member]
                to = f"send {size}b to" if sends else f"recv {size}b from"
                yield from self._start(f"{to} {peer} tag {tag}")
                labels.append(self.count)
            yield from self._join(labels)

    def _wait(self, flags: int, first: int, count: int, second: int) -> Iterator[str]:
        numbers: list[int] | range | tuple[int, ...] = range(first, first + count)
        if flags & _LISTED:
            numbers = self._lists[second]
        elif count == _ALL:
            numbers = list(self._requests)
        labels = [self._requests.pop(each) for each in numbers if each in self._requests]
        if labels:
            yield from self._join(labels)

    def _label(self, text: str) -> Iterator[str]:
        self.count += 1
        yield f"l{self.count}: {text}"

    def _blocking(self, text: str) -> Iterator[str]:
        yield from self._start(text)
        del self._since[self.count]
        self._after, self._started = [self.count], None

    def _start(self, text: str) -> Iterator[str]:
        """Starts an operation after those that have to end, and after the start of the last."""
        yield from self._label(text)
        for each in self._after:
            yield f"l{self.count} requires l{each}"
        if self._started is not None:
            yield f"l{self.count} irequires l{self._started}"
        self._started = self.count
        self._since[self.count] = self._after

    def _join(self, labels: list[int]) -> Iterator[str]:
        """Lets the next operation wait for some that have started.

        Several are joined in a computation of no time, so that later operations wait for one.
        """
        since = [self._since.pop(each) for each in labels]
        ends = labels if any(each is self._after for each in since) else [*self._after, *labels]
        if len(ends) > 1:
            yield from self._label("calc 0")
            for each in ends:
                yield f"l{self.count} requires l{each}"
            ends = [self.count]
        self._after = ends
        if self._started in labels:
            self._started = None
