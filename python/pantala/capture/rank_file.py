"""The file of one rank of a capture, complete or as a killed program left it.

The layout is in docs/reference/operation-file.md.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pantala.core.operation_codes import RECORD_FIELDS
from pantala.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["RankRecords", "read_rank_file", "write_rank_file"]

_HEADER = struct.Struct("<8sIIIIQ")
_MAGIC, _END = b"PANTOPS\0", b"PANTEND\0"
_FOOTER = 96
_LATE = 1 << 63


@dataclass
class RankRecords:
    """The operations of a rank.

    Attributes:
        ranks: the number of ranks of the job.
        rank: the rank.
        run: a number that all files of a job have.
        complete: whether the rank reached MPI_Finalize.
        records: the operations, shape ``(operations,)``, with the fields `RECORD_FIELDS`.
        lists: the lists that operations name; None for one whose words were still to come.
    """

    ranks: int
    rank: int
    run: int
    complete: bool
    records: np.ndarray
    lists: list[list[int] | None]


def read_rank_file(path: Path) -> RankRecords:
    """Reads the file of a rank, and the lists beside it if the rank did not reach MPI_Finalize.

    Raises:
        UsageError: the file is not one of a capture, or cannot be read.
    """
    import numpy as np

    try:
        data = path.read_bytes()
        lists = path.with_suffix(".lists")
        listed = lists.read_bytes() if lists.exists() else b""
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    if len(data) < _HEADER.size or data[:8] != _MAGIC:
        raise UsageError(f"{path}: is no file of a rank of a capture; capture the program again")
    _, version, ranks, rank, _, run = _HEADER.unpack_from(data)
    if version != 1:
        raise UsageError(f"{path}: is of version {version}, which this Pantala does not read")
    if data[-8:] == _END:
        records, words, count, *_ = struct.unpack_from("<6Q", data, len(data) - _FOOTER)
        at = _HEADER.size + 32 * records
        if at + 8 * words + 16 * count + _FOOTER > len(data):
            raise UsageError(f"{path}: is damaged; capture the program again")
        found = np.frombuffer(data, np.dtype(RECORD_FIELDS), records, _HEADER.size)
        word = np.frombuffer(data, "<u8", words, at)
        spans = np.frombuffer(data, "<u8", 2 * count, at + 8 * words).reshape(-1, 2)
        complete: list[list[int] | None] = [
            word[first : first + length].tolist() for first, length in spans.tolist()
        ]
        return RankRecords(ranks, rank, run, True, found.copy(), complete)
    found = np.frombuffer(
        data, np.dtype(RECORD_FIELDS), (len(data) - _HEADER.size) // 32, _HEADER.size
    )
    # The file is reserved in steps: what was not written is zero, and no operation has code 0.
    unwritten = np.flatnonzero(found["code"] == 0)
    end = int(unwritten[0]) if len(unwritten) else len(found)
    return RankRecords(ranks, rank, run, False, found[:end].copy(), _journal(listed))


def _journal(data: bytes) -> list[list[int] | None]:
    """Returns the lists of a program that was killed."""
    lists: list[list[int] | None] = []
    at = 0
    while at + 8 <= len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        count = (length & ~_LATE) - 1
        if length == 0 or at + 8 + 8 * count > len(data):
            late = bool(length & _LATE)
            if late:
                lists.append(None)
            break
        words = struct.unpack_from(f"<{count}Q", data, at + 8)
        lists.append(None if length & _LATE else list(words))
        at += 8 + 8 * count
    return lists


def write_rank_file(path: Path, file: RankRecords) -> None:
    """Writes the complete file of a rank, in a folder of the capture.

    Raises:
        UsageError: the file cannot be written.
    """
    lists = [words or [] for words in file.lists]
    first = 0
    spans = []
    for words in lists:
        spans.append(struct.pack("<2Q", first, len(words)))
        first += len(words)
    records = len(file.records)
    parts = [
        _HEADER.pack(_MAGIC, 1, file.ranks, file.rank, 1, file.run),
        file.records.tobytes(),
        *(struct.pack(f"<{len(words)}Q", *words) for words in lists),
        *spans,
        struct.pack("<2Q", 0, records),
        struct.pack("<4I2Q", 0, 0, 1, 0, 0, 0),
        struct.pack("<6IQ", 1, 0, 2**32 - 1, file.rank, 1, 1, 0),
        struct.pack("<6Q", records, first, len(lists), 1, 1, 1),
        bytes(_FOOTER - 48 - 8),
        _END,
    ]
    try:
        path.write_bytes(b"".join(parts))
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
