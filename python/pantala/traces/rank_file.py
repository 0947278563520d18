"""The operation file of one rank, written as the operations come.

``docs/reference/operation-file.md`` describes the layout.
`pantala.core.native.merge_operation_files` makes the file of the job from those of its ranks.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Member", "RankFile"]

_RECORD = struct.Struct("<BBHIIiQQ")
_FIELDS = ("flags", "communicator", "request", "peer", "tag", "first", "second")
_BUFFERED = 1 << 18
_HEADER = 32


@dataclass(frozen=True)
class Member:
    """A communicator that a rank has from the start.

    Attributes:
        context: the number of the communicator in the job.
        rank: the number of the rank in it.
        ranks: the ranks of the job in it.
    """

    context: int
    rank: int
    ranks: tuple[int, ...]


class RankFile:
    """The file of one rank. It is open only while it is written."""

    def __init__(self, path: Path, ranks: int, rank: int) -> None:
        self.path = path
        self._buffer = bytearray()
        self._written = 0
        self._lists: dict[tuple[int, ...], int] = {}
        header = struct.pack("<8s6I", b"PANTOPS\0", 1, ranks, rank, 1, 0, 0)
        path.write_bytes(header)

    def emit(self, code: int, **fields: int) -> int:
        """Adds a record and returns its number.

        Args:
            code: the operation.
            fields: ``flags``, ``communicator``, ``request``, ``peer``, ``tag``, ``first`` and
                ``second``; 0 if not given.
        """
        self._buffer += _RECORD.pack(code, *(fields.get(name, 0) for name in _FIELDS))
        number = self._written + len(self._buffer) // _RECORD.size - 1
        if len(self._buffer) >= _BUFFERED:
            self.flush()
        return number

    def put(self, number: int, code: int, **fields: int) -> None:
        """Replaces a record; the fields are those of `emit`."""
        self._write(number, (code, *(fields.get(name, 0) for name in _FIELDS)))

    def change(self, number: int, **fields: int) -> None:
        """Replaces fields of a record."""
        code, *values = _RECORD.unpack(self._read(number))
        before = dict(zip(_FIELDS, values, strict=True))
        self.put(number, code, **(before | fields))

    def _read(self, number: int) -> bytes:
        if number >= self._written:
            at = (number - self._written) * _RECORD.size
            return bytes(self._buffer[at : at + _RECORD.size])
        with self.path.open("rb") as file:
            file.seek(_HEADER + number * _RECORD.size)
            return file.read(_RECORD.size)

    def _write(self, number: int, values: tuple[int, ...]) -> None:
        record = _RECORD.pack(*values)
        if number >= self._written:
            at = (number - self._written) * _RECORD.size
            self._buffer[at : at + _RECORD.size] = record
            return
        with self.path.open("r+b") as file:
            file.seek(_HEADER + number * _RECORD.size)
            file.write(record)

    def list_of(self, words: Sequence[int]) -> int:
        """Returns the number of a list; equal lists have the same number."""
        return self._lists.setdefault(tuple(words), len(self._lists))

    def close(self, members: Sequence[Member]) -> None:
        """Writes the lists, the communicators and the footer."""
        groups = [self.list_of(member.ranks) for member in members]
        self.flush()
        words = sum(map(len, self._lists))
        with self.path.open("ab") as file:
            for each in self._lists:
                file.write(struct.pack(f"<{len(each)}Q", *each))
            first = 0
            for each in self._lists:
                file.write(struct.pack("<2Q", first, len(each)))
                first += len(each)
            file.write(struct.pack("<2Q", 0, self._written))
            file.write(struct.pack("<4I2Q", 0, 0, len(members), 0, 0, 0))
            for member, group in zip(members, groups, strict=True):
                place = (member.context, member.rank, group, 0, 0, 0)
                file.write(struct.pack("<6IQ", *place, 0))
            counts = (self._written, words, len(self._lists), 1, 1, len(members), 0)
            file.write(struct.pack("<7Q32s8s", *counts, bytes(32), b"PANTEND\0"))

    def flush(self) -> None:
        """Writes the records that are still in memory."""
        if self._buffer:
            with self.path.open("ab") as file:
                file.write(self._buffer)
            self._written += len(self._buffer) // _RECORD.size
            self._buffer = bytearray()
