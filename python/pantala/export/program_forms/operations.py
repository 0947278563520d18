"""The records of a plain operation file, as docs/reference/operation-file.md states them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

__all__ = ["ABORT", "CODES", "RUN", "Group", "Operations", "read_operations", "text_of_abort"]

RECORD = np.dtype(
    [
        ("code", "u1"),
        ("flags", "u1"),
        ("communicator", "<u2"),
        ("request", "<u4"),
        ("peer", "<u4"),
        ("tag", "<i4"),
        ("first", "<u8"),
        ("second", "<u8"),
    ]
)
#: The operations of coNCePTuaL programs.
CODES = {
    1: "compute",
    3: "send",
    7: "isend",
    9: "recv",
    10: "irecv",
    18: "wait",
    19: "waitall",
    32: "barrier",
    33: "bcast",
    34: "reduce",
    35: "allreduce",
    44: "alltoall",
    45: "alltoallv",
}
ABORT = 82
#: Executes a block some number of times.
RUN = 96
#: A group without a list of ranks.
_NO_LIST = 2**32 - 1
_FOOTER = 96


@dataclass(frozen=True)
class Group:
    """A communicator that a rank has from the start.

    Attributes:
        context: tells it from other communicators of its ranks.
        ranks: its ranks of the job, in its order.
    """

    context: int
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class Operations:
    """The operations of a job.

    Attributes:
        records: all records.
        blocks: the first record and the number of records of each block.
        starts: the block of each rank.
        lists: the lists that records name.
        groups: the communicators of each rank; number 0 is that of all ranks and left out.
    """

    records: np.ndarray
    blocks: list[tuple[int, int]]
    starts: list[int]
    lists: list[tuple[int, ...]]
    groups: list[list[Group]]

    def block(self, number: int) -> np.ndarray:
        """Returns the records of a block."""
        first, count = self.blocks[number]
        return self.records[first : first + count]

    def of_rank(self, rank: int) -> Iterator[tuple[int, ...]]:
        """Yields the operations of a rank in order, with every repetition."""
        yield from self._unrolled(self.starts[rank])

    def _unrolled(self, number: int) -> Iterator[tuple[int, ...]]:
        for record in self.block(number).tolist():
            if record[0] != RUN:
                yield record
                continue
            for _ in range(record[6]):
                yield from self._unrolled(record[3])

    def first_of(self, code: int) -> tuple[int, np.void] | None:
        """Returns a rank and a record with this code; None if no rank has one."""
        for rank, number in enumerate(self.starts):
            if (found := self._find(number, code)) is not None:
                return rank, found
        return None

    def _find(self, number: int, code: int) -> np.void | None:
        own = self.block(number)
        there = own[own["code"] == code]
        if len(there):
            return cast("np.void", there[0])
        inside = (self._find(int(each["request"]), code) for each in own[own["code"] == RUN])
        return next((each for each in inside if each is not None), None)


def read_operations(path: Path) -> Operations:
    """Reads a plain operation file that `export_operations` has written."""
    data = np.memmap(path, mode="r", dtype=np.uint8)
    counts = data[-_FOOTER : -_FOOTER + 48].view("<u8").tolist()
    records, words, lists, blocks, ranks, communicators = counts
    at = 32

    def section(count: int, kind: np.dtype | str, width: int = 1) -> np.ndarray:
        nonlocal at
        size = np.dtype(kind).itemsize * width
        found = np.array(data[at : at + count * size]).view(kind)
        at += count * size
        return found.reshape(count, width) if width > 1 else found

    every = section(records, RECORD)
    word = section(words, "<u8")
    spans = section(lists, "<u8", 2).reshape(-1, 2).tolist()
    block = [(first, count) for first, count in section(blocks, "<u8", 2).reshape(-1, 2).tolist()]
    of_ranks = section(ranks, "<u4", 8).reshape(-1, 8).tolist()
    of_groups = section(communicators, "<u4", 8).reshape(-1, 8).tolist()
    listed = [tuple(word[first : first + count].tolist()) for first, count in spans]
    groups = [
        Group(
            context,
            listed[number]
            if number != _NO_LIST
            else tuple(first + stride * place for place in range(count)),
        )
        for context, _, number, first, stride, count, _, _ in of_groups
    ]
    own = [groups[first : first + count] for _, first, count, *_ in of_ranks]
    return Operations(every, block, [number for number, *_ in of_ranks], listed, own)


def text_of_abort(record: np.void, lists: list[tuple[int, ...]]) -> str:
    """Returns the text of an operation that ends the job."""
    words = np.array(lists[int(record["second"])], dtype="<u8").tobytes()
    return words[: int(record["first"])].decode("utf-8", "replace")
