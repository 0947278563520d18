"""Files that appear complete or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pantala.system.process_marks import mark, was_left
from pantala.system.system_errors import number_in

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "atomic_file",
    "atomic_file_in",
    "clear",
    "left_in",
    "scratch_folder",
    "temporary_folder",
    "temporary_name",
    "write_bytes",
    "write_table",
    "write_text",
]

_OS_ERROR = re.compile(r"os error (\d+)")
_UNWRITTEN = re.compile(r"cannot be written: [^:]*\(os error (\d+)\)$")
#: The name of a temporary file or folder: the mark of its process is in it.
_TEMPORARY = re.compile(r"\..*~([^~]+~\d+)~[0-9a-f]{12}\.(?:partial|scratch)", re.DOTALL)
_SCRATCH = "scratch"
#: The longest start of a temporary file's name, in bytes.
_LONGEST = 120
#: A temporary file of another machine is left after so long.
_DAYS = 30


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yields the path of a temporary file, and renames it to `path` after the block.

    Several processes may write one file at once: each has a temporary file of its own, and the last
    one to end wins. After an error, the temporary file is removed and `path` is as before. A link
    at `path` is replaced, and its target stays as it is. Devices and pipes, such as
    ``/dev/stdout``, are written to.
    """
    if _is_stream(path):
        with temporary_folder() as folder:
            half = folder / path.name
            yield half
            with half.open("rb") as whole, path.open("wb") as stream:
                shutil.copyfileobj(whole, stream)
        return
    with atomic_file_in(path.parent, lambda: path.name, path.name) as half:
        yield half
        with contextlib.suppress(OSError):
            if stat.S_ISREG(path.lstat().st_mode):
                shutil.copymode(path, half)


@contextlib.contextmanager
def atomic_file_in(folder: Path, name: Callable[[], str], start: str = "") -> Iterator[Path]:
    """Yields the path of a temporary file in a folder; renames it after the block.

    Args:
        folder: the folder.
        name: returns the name of the file, after the block.
        start: the start of the temporary file's name.
    """
    clear(folder.absolute())
    half = folder / temporary_name(start)
    try:
        yield half
        half.replace(folder / name())
    except BaseException as error:
        with contextlib.suppress(OSError):
            half.unlink(missing_ok=True)
        if (number := _number(error)) is not None:
            raise OSError(number, os.strerror(number), start) from None
        raise


def _number(error: BaseException) -> int | None:
    """Returns the number of an error of the system that the core has in the text of an error."""
    if isinstance(error, OSError) and error.errno is None:
        found = _OS_ERROR.search(str(error))
    elif isinstance(error, ValueError):
        found = _UNWRITTEN.search(str(error))
    else:
        return None
    return int(found[1]) if found else None


@contextlib.contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """Yields a new folder for the time of the block, which only this user can read."""
    clear(parent.absolute())
    folder = parent / temporary_name("", _SCRATCH)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def temporary_folder() -> contextlib.AbstractContextManager[Path]:
    """Returns a new folder among the temporary files of the system, for the time of the block.

    One that a killed process left is removed when the next one is made. Only this user can read it.

    Raises:
        OSError: it cannot be made.
    """
    return scratch_folder(Path(tempfile.gettempdir()))


def temporary_name(start: str, end: str = "partial") -> str:
    """Returns a new name for a temporary file or folder of this process; see `left_in`.

    Args:
        start: the start of the name.
        end: the ending of the name.
    """
    short = start if len(os.fsencode(start)) <= _LONGEST else start[: _LONGEST // 4]
    return f".{short}~{mark()}~{secrets.token_hex(6)}.{end}"


def left_in(folder: Path) -> Iterator[Path]:
    """Yields the temporary files and folders that processes left in a folder when they were killed.

    A file or folder of another machine counts as left when nothing in it has changed for 30 days.
    """
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208 - a folder can have very many files
            found = _TEMPORARY.fullmatch(name)
            if found and (was_left(found[1]) or _is_old(folder / name)):
                yield folder / name


def write_text(path: Path, text: str) -> None:
    """Writes a text file, in UTF-8, that appears complete or not at all.

    Raises:
        OSError: the file cannot be written, for example because the disk is full.
    """
    with atomic_file(path) as half:
        half.write_text(text, encoding="utf-8")


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file that appears complete or not at all.

    Raises:
        OSError: the file cannot be written, for example because the disk is full.
    """
    with atomic_file(path) as half:
        half.write_bytes(data)


def _is_stream(path: Path) -> bool:
    """Returns whether a path names a device, a pipe, or a file that this process has open."""
    if path.absolute().parts[1:2] == ("proc",) or str(path.absolute().parent) == "/dev/fd":
        return True
    if str(path.absolute()) in ("/dev/stdin", "/dev/stdout", "/dev/stderr"):
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@cache
def clear(folder: Path) -> None:
    """Removes the temporary files, and the scratch folders, that killed processes left."""
    for path in left_in(folder):
        if path.is_symlink() or not path.is_dir():
            with contextlib.suppress(OSError):
                path.unlink()
        elif path.name.endswith(f".{_SCRATCH}"):
            shutil.rmtree(path, ignore_errors=True)


def _is_old(path: Path) -> bool:
    """Returns whether nothing in a file or folder has changed for long."""
    try:
        inside = list(path.iterdir()) if path.is_dir() and not path.is_symlink() else []
        newest = max(each.lstat().st_mtime for each in (path, *inside))
    except OSError:
        return False
    return time.time() - newest > _DAYS * 86_400


def write_table(
    path: Path, frame: pl.DataFrame, *, statistics: bool = True, row_group_size: int | None = None
) -> None:
    """Writes a table as a file of Parquet that appears complete or not at all.

    Args:
        path: the file.
        frame: the table.
        statistics: whether the file has the least and the greatest value of each column.
        row_group_size: rows of a group, which is read without its neighbours; of Polars if not
            given.

    Raises:
        OSError: the file cannot be written, for example because the disk is full.
    """
    from polars.exceptions import PolarsError

    with atomic_file(path) as half:
        try:
            frame.write_parquet(
                half, compression="zstd", statistics=statistics, row_group_size=row_group_size
            )
        except PolarsError as error:
            # Polars has an error of its own for a full disk, with the number in its text.
            if number := number_in(str(error)):
                raise OSError(number, os.strerror(number), str(path)) from None
            raise
