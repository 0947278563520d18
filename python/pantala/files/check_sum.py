"""Check sums of files, which tell that their bytes have changed."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pantala.files.input_file import check_regular, open_input

__all__ = ["crc32_of", "is_written_anew", "other_bytes"]

#: Bytes that are read at a time.
_PIECE = 1 << 20
#: Bytes at the end of a Parquet file that have what Pantala says of a table.
_TAIL = 1 << 16


def crc32_of(path: Path) -> str:
    """Returns the CRC-32 of a file (ISO 3309, as in zip), in eight hexadecimal digits.

    A file is read once for each state that it has (time and size).

    Raises:
        OSError: the file cannot be read, or is no regular file.
    """
    state = check_regular(path)
    return _crc32(path, state.st_mtime_ns, state.st_size)


def other_bytes(path: Path, document: Mapping[str, Any]) -> str:
    """Returns how the file of a table differs from what its run wrote; empty if it does not.

    The whole file is read: a damaged page can hold other numbers, and some end the process in which
    Polars reads them. A file that another program has written anew is no damage.

    Args:
        path: the file of the table.
        document: run.json of the run. That of an older version has no check sums.

    Raises:
        OSError: the file is missing, cannot be read, or is no regular file.
    """
    if not is_written_anew(path, document) or not _is_ours(path):
        return ""
    return f"its CRC-32 is {crc32_of(path)}, and was {document['table_crc32'][path.stem]}"


def is_written_anew(path: Path, document: Mapping[str, Any]) -> bool:
    """Returns whether the file of a table has other bytes than its run wrote, by its check sum.

    Raises:
        OSError: the file is missing, cannot be read, or is no regular file.
    """
    written = (document.get("table_crc32") or {}).get(path.stem)
    return written is not None and crc32_of(path) != written


def _is_ours(path: Path) -> bool:
    """Returns whether the end of a Parquet file says that Pantala wrote it; it says so twice."""
    with open_input(path) as file:
        file.seek(max(0, path.stat().st_size - _TAIL))
        return b"pantala" in file.read()


@lru_cache(1 << 10)
def _crc32(path: Path, *_: int) -> str:
    found = 0
    with open_input(path) as file:
        while piece := file.read(_PIECE):
            found = zlib.crc32(piece, found)
    return f"{found:08x}"
