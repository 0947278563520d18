"""Files that appear complete or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["whole_file", "write_table"]

_OS_ERROR = re.compile(r"os error (\d+)")


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yields the path of a temporary file, and renames it to `path` after the block.

    Several processes may write one file at once: each has a temporary file of its own, and the last
    one to end wins. After an error, the temporary file is removed and `path` is as before.
    """
    half = path.with_name(f".{path.name}.{secrets.token_hex(6)}.partial")
    try:
        yield half
        half.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            half.unlink(missing_ok=True)
        raise


def write_table(path: Path, frame: pl.DataFrame, *, statistics: bool = True) -> None:
    """Writes a table as a file of Parquet that appears complete or not at all.

    Raises:
        OSError: the file cannot be written, for example because the disk is full.
    """
    from polars.exceptions import PolarsError

    with whole_file(path) as half:
        try:
            frame.write_parquet(half, compression="zstd", statistics=statistics)
        except PolarsError as error:
            # Polars has an error of its own for a full disk, with the number in its text.
            if number := _OS_ERROR.search(str(error)):
                raise OSError(int(number[1]), os.strerror(int(number[1])), str(path)) from None
            raise
