"""A reader of operation files for tests, written from docs/reference/operation-file.md."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]

__all__ = [
    "NAMES",
    "Operation",
    "in_the_world",
    "iterations_of",
    "operations_of",
    "starting_groups",
]

NAMES = {
    1: "compute",
    3: "send",
    4: "ssend",
    5: "rsend",
    6: "bsend",
    7: "isend",
    8: "issend",
    9: "recv",
    10: "irecv",
    11: "probe",
    13: "send_init",
    14: "recv_init",
    15: "start",
    17: "request_free",
    18: "wait",
    19: "waitall",
    26: "sendrecv_to",
    27: "sendrecv_from",
    29: "ipost",
    32: "barrier",
    33: "bcast",
    34: "reduce",
    35: "allreduce",
    36: "reduce_scatter_block",
    37: "reduce_scatter",
    38: "allgather",
    39: "allgatherv",
    40: "gather",
    41: "gatherv",
    42: "scatter",
    43: "scatterv",
    44: "alltoall",
    45: "alltoallv",
    46: "scan",
    47: "exscan",
    64: "comm_dup",
    65: "comm_split",
    66: "comm_create",
    67: "comm_free",
    68: "comm_join",
    82: "abort",
    96: "run",
}
_LISTS = {"reduce_scatter", "allgatherv", "gatherv", "scatterv", "comm_split", "comm_create"}
_LISTS |= {"comm_join"}


@dataclass(frozen=True)
class Operation:
    """A record of a file, with its lists in place of their numbers."""

    name: str
    flags: int
    communicator: int
    request: int
    peer: int
    tag: int
    first: int | tuple[int, ...]
    second: int | tuple[int, ...]


_MARKS = {80: "iteration_start", 81: "iteration_end"}
#: The sizes of the entries of the sections.
_ENTRIES = (32, 8, 16, 16, 32, 32, 8)


def content_of(path: Path) -> tuple[bytes, tuple[int, ...]]:
    """Returns header, sections and footer of a file, as a plain file has them, and the times."""
    data = path.read_bytes()
    assert data[:8] == b"PANTOPS\0"
    assert data[-8:] == b"PANTEND\0"
    (version,) = struct.unpack_from("<I", data, 8)
    if version == 1:
        return data, ()
    assert version == 2
    *counts, chunks = struct.unpack_from("<8Q", data, len(data) - 104)
    sections = [b""] * 7
    for number in range(chunks):
        at = len(data) - 104 - 16 * (chunks - number)
        offset, size, section = struct.unpack_from("<QII", data, at)
        entry = _ENTRIES[section]
        left = min(counts[section] * entry - len(sections[section]), 32768)
        left += 8 if section == 6 else 0
        columns = pa.decompress(data[offset : offset + size], left, "zstd", asbytes=True)
        entries = left // entry
        plain = bytearray(left)
        for byte in range(entry):
            plain[byte::entry] = columns[byte * entries : (byte + 1) * entries]
        if section == 6:
            unit, *parts = struct.unpack(f"<{entries}Q", plain)
            plain = bytearray(struct.pack(f"<{entries - 1}Q", *(unit * part for part in parts)))
        sections[section] += plain
    times = struct.unpack(f"<{counts[6]}Q", sections[6])
    footer = struct.pack("<7Q", *counts[:6], 0) + data[-40:]
    return data[:32] + b"".join(sections[:6]) + footer, times


def iterations_of(path: Path) -> list[Counter[str]]:
    """Returns how many marks each rank of a file has: iteration_start and iteration_end."""
    return [
        Counter(each.name for each in rank if each.name in _MARKS.values())
        for rank in _all_of(path)
    ]


def operations_of(path: Path) -> list[list[Operation]]:
    """Returns the operations of each rank of a file, without marks of iterations."""
    return [[each for each in rank if each.name not in _MARKS.values()] for rank in _all_of(path)]


def _all_of(path: Path) -> list[list[Operation]]:
    data, times = content_of(path)
    records, words, lists, blocks, ranks, _ = struct.unpack_from("<6Q", data, len(data) - 96)
    at = 32 + 32 * records
    word = struct.unpack_from(f"<{words}Q", data, at)
    at += 8 * words
    spans = [struct.unpack_from("<2Q", data, at + 16 * n) for n in range(lists)]
    listed = [word[first : first + count] for first, count in spans]
    at += 16 * lists
    block = [struct.unpack_from("<2Q", data, at + 16 * n) for n in range(blocks)]
    at += 16 * blocks

    def read(number: int, time: Iterator[int]) -> Iterator[Operation]:
        first, count = block[number]
        for place in range(first, first + count):
            code, flags, communicator, request, peer, tag, one, two = struct.unpack_from(
                "<BBHIIiQQ", data, 32 + 32 * place
            )
            name = NAMES.get(code) or _MARKS[code]
            if name == "run":
                for _ in range(one):
                    yield from read(request, time)
                continue
            if name == "compute" and flags & 16:
                one, flags = next(time), 0
            values: tuple[int | tuple[int, ...], int | tuple[int, ...]] = (one, two)
            if name == "alltoallv":
                values = (listed[one], listed[two])
            elif name in _LISTS or flags & 4:
                values = (one, listed[two])
            yield Operation(name, flags, communicator, request, peer, tag, *values)

    starts = [struct.unpack_from("<I20xQ", data, at + 32 * n) for n in range(ranks)]
    return [list(read(first, iter(times[time:]))) for first, time in starts]


def starting_groups(path: Path) -> list[list[tuple[int, ...]]]:
    """Returns the ranks of the communicators that each rank has from the start.

    MPI_COMM_WORLD is left out.
    """
    data, _ = content_of(path)
    records, words, lists, blocks, ranks, communicators = struct.unpack_from(
        "<6Q", data, len(data) - 96
    )
    at = 32 + 32 * records
    word = struct.unpack_from(f"<{words}Q", data, at)
    at += 8 * words
    spans = [struct.unpack_from("<2Q", data, at + 16 * n) for n in range(lists)]
    at += 16 * lists + 16 * blocks
    groups: list[tuple[int, ...]] = []
    for n in range(communicators):
        _, _, listed, first, stride, count = struct.unpack_from("<6I", data, at + 32 * (ranks + n))
        if listed == 2**32 - 1:
            groups.append(tuple(first + stride * i for i in range(count)))
        else:
            start, length = spans[listed]
            groups.append(word[start : start + length])
    starts = [struct.unpack_from("<4xII", data, at + 32 * n) for n in range(ranks)]
    return [groups[first : first + count] for first, count in starts]


def in_the_world(
    rank: int, ranks: int, operations: list[Operation], groups: list[tuple[int, ...]]
) -> Iterator[tuple[Operation, tuple[int, ...]]]:
    """Yields the operations of a rank with peers of MPI_COMM_WORLD, and the ranks that take part.

    Calls that make and free communicators are left out.
    """
    known = dict(enumerate([tuple(range(ranks)), *groups]))
    for each in operations:
        group = known[each.communicator]
        if each.name in {"comm_split", "comm_create", "comm_dup"}:
            made: tuple[int, ...] = group
            words = each.second if isinstance(each.second, tuple) else ()
            if each.name == "comm_create":
                made = words
            elif each.name == "comm_split":
                color = words[group.index(rank)] >> 32
                members = [(word, other) for word, other in zip(words, group, strict=True)]
                same = sorted(
                    ((word & 0xFFFFFFFF) - (word >> 31 & 1) * 2**32, place, other)
                    for place, (word, other) in enumerate(members)
                    if word >> 32 == color
                )
                made = tuple(other for _, _, other in same) if color else ()
            if rank in made:
                known[next(n for n in range(1, 65536) if n not in known)] = made
        elif each.name == "comm_free":
            del known[each.communicator]
        else:
            yield replace(each, peer=group[each.peer] if each.peer < len(group) else 0), group
