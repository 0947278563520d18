"""The files of a capture: one per rank, then one for the job."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pantala.capture.notes import RANK_FILE, rank_of, read_notes
from pantala.core import native
from pantala.errors import UsageError
from pantala.files.atomic_file import atomic_file

__all__ = ["Captured", "collect", "rank_files"]

_END = b"PANTEND\0"


@dataclass(frozen=True)
class Captured:
    """A capture.

    Attributes:
        file: the operation file.
        ranks: the number of ranks.
        operations: the number of operations of all ranks, computing included.
        bytes: the size of the file.
        notes: what the capture leaves out, with the number of calls and of ranks.
    """

    file: Path
    ranks: int
    operations: int
    bytes: int
    notes: tuple[str, ...]


def rank_files(folder: Path) -> Iterator[Path]:
    """Yields the files that the ranks of a capture write."""
    for path in sorted(folder.iterdir()):
        if RANK_FILE.fullmatch(path.name):
            yield path


def collect(folder: Path, file: Path, status: int, *, keep: bool) -> Captured:
    """Merges the files of the ranks.

    Args:
        folder: the folder with the files of the ranks.
        file: the file to write.
        status: the exit status of the program.
        keep: whether to keep the files of the ranks.

    Raises:
        UsageError: the program failed, a file is missing, or the capture stopped at a call.
    """
    files = list(rank_files(folder))
    notes = read_notes(path for path in files if path.suffix == ".note")
    if notes.refusal is not None:
        _remove(files, keep=keep)
        raise UsageError(f"capture: {notes.refusal}; no operation file is written")
    if status != 0:
        message = f"capture: the program ended with status {status}"
        raise UsageError(f"{message}; correct it first: a capture needs a complete run")
    ranks = [path for path in files if path.suffix == ".operations"]
    if not ranks:
        raise UsageError(
            "capture: no rank called MPI_Init; programs without MPI, programs linked statically and"
            " sessions of MPI are not captured"
        )
    size = _size(ranks[0])
    missing = sorted(set(range(size)) - {_number(path) for path in ranks})
    if missing:
        raise UsageError(
            f"capture: rank {missing[0]} of {size} left no file in {folder}; write to a folder that"
            " all hosts share"
        )
    for path in ranks:
        _check_end(path)
    try:
        with atomic_file(file) as half:
            made = native.merge_operation_files(ranks, half)
    except ValueError as error:
        raise UsageError(f"capture: {error}; the files of the ranks are in {folder}") from None
    _remove(files, keep=keep)
    return Captured(file, size, made["operations"], made["bytes"], notes.shown(size))


def _remove(files: list[Path], *, keep: bool) -> None:
    if not keep:
        for path in files:
            path.unlink()


def _number(path: Path) -> int:
    return rank_of(path.name)


def _size(path: Path) -> int:
    """Returns the number of ranks of the job of a rank's file."""
    with path.open("rb") as file:
        start = file.read(32)
    if len(start) < 32:
        raise UsageError(f"{path}: the rank did not write its file; is the disk full?")
    size: int = struct.unpack_from("<I", start, 12)[0]
    return size


def _check_end(path: Path) -> None:
    with path.open("rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - len(_END)))
        if file.read() != _END:
            raise UsageError(
                f"capture: rank {_number(path)} did not reach MPI_Finalize; a capture needs a"
                " complete run"
            )
