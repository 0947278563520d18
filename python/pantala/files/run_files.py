"""The files of a run directory: its JSON, and tables packed into one archive."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from pantala.errors import RunDirectoryError, one_line
from pantala.files.check_sum import is_written_anew, other_bytes
from pantala.files.experiment_form import misfit_of_experiment
from pantala.files.forks import check_no_fork
from pantala.files.input_archive import input_archive
from pantala.files.input_file import LARGE_TEXT, Unreadable, check_regular, read_text
from pantala.files.run_directory import RUN_FILE
from pantala.files.run_form import misfit
from pantala.files.table_errors import UNREADABLE
from pantala.files.table_values import odd_value
from pantala.text.core_times import in_units

__all__ = [
    "AGAIN",
    "check_directory",
    "checked_document",
    "damaged_table",
    "document_of",
    "scanned_table",
    "table_in_archive",
    "why_failed",
]

#: The remedy for a damaged run, or one of another version.
AGAIN = "give the command that wrote it again"
#: The tables that this process has opened. Their rows are read later, when a frame is collected.
_SCANNED: dict[Path, None] = {}


def scanned_table(path: Path, document: Mapping[str, Any]) -> pl.LazyFrame:
    """Returns a table as a lazy frame and remembers its file for `damaged_table`.

    Args:
        path: the file of the table, in the directory of its run.
        document: run.json of the run.

    Raises:
        RunDirectoryError: the file has not the bytes that the run wrote, is no regular file, or
            another program has written values into it that no run has.
        UsageError: the process is a fork of one that has opened a table.
        OSError: the file is missing or cannot be read.
    """
    check_no_fork(path)
    try:
        check_regular(path)
        difference = other_bytes(path, document)
    except Unreadable as error:
        raise RunDirectoryError(path.parent, f"{path.name} {error.strerror}", AGAIN) from None
    if difference:
        raise RunDirectoryError(path.parent, f"{path.name} is damaged: {difference}", AGAIN)
    frame = pl.scan_parquet(path, glob=False)
    if is_written_anew(path, document) and (odd := odd_value(path.stem, frame, document)):
        raise RunDirectoryError(path.parent, f"{path.name} is damaged: {odd}", AGAIN)
    _SCANNED[path] = None
    return frame


def damaged_table() -> Path | None:
    """Returns the first table that this process has opened and that cannot be read whole."""
    for path in _SCANNED:
        try:
            # Every column is read, but not kept: the table may not fit into memory.
            every = pl.scan_parquet(path, glob=False).select(pl.all().null_count())
            every.collect(engine="streaming")
        except (*UNREADABLE, OSError):
            return path
    return None


def table_in_archive(archive: Path, file: str) -> pl.DataFrame | None:
    """Returns a table from an archive of tables; None if it is not there.

    Raises:
        RunDirectoryError: the archive is damaged, or is no regular file.
        UsageError: the process is a fork of one that has opened a table.
    """
    check_no_fork(archive)
    try:
        with input_archive(archive) as packed:
            return pl.read_parquet(packed.read(file))
    except (FileNotFoundError, KeyError):
        return None
    except Unreadable as error:
        raise RunDirectoryError(archive, str(error.strerror), AGAIN) from None
    except (OSError, zipfile.BadZipFile, *UNREADABLE) as error:
        raise RunDirectoryError(archive, f"is damaged: {file}: {error}", AGAIN) from None


class _Table(dict[str, Any]):
    """A table of a JSON file that says which key it lacks; `get` and `in` are as ever."""

    __slots__ = ("_place",)

    def __init__(self, path: Path, name: str, pairs: Iterable[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self._place = path, name

    def __missing__(self, key: str) -> Any:
        path, name = self._place
        raise _LackingKey(path, f"{name} is damaged: '{key}' is missing", AGAIN)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return dict, (dict(self),)


class _LackingKey(RunDirectoryError, KeyError):
    """A key that is missing, for a user and for code that expects a `KeyError`."""


def check_directory(path: Path) -> None:
    """Checks that a path of results is no file.

    Raises:
        RunDirectoryError: it is one.
    """
    if path.is_file():
        remedy = "unpack an archive, or name the directory that holds the file"
        raise RunDirectoryError(path, "is a file, and results are directories", remedy)


def document_of(path: Path, name: str) -> dict[str, Any]:
    """Returns a JSON file of a run directory.

    Raises:
        RunDirectoryError: it is missing, cannot be read, or has another form than a run's, or the
            path is that of a file.
    """
    check_directory(path)
    try:
        return checked_document(path, name, AGAIN)
    except FileNotFoundError:
        remedy = "name a directory that pantala run wrote"
        if (path / "experiments").is_dir():
            remedy = f"name one run of the sweep, a directory {path}/runs/3f/3f2a..."
        raise RunDirectoryError(path, f"holds no run ({name} is missing)", remedy) from None


def checked_document(path: Path, name: str, remedy: str) -> dict[str, Any]:
    """Returns a JSON file of a run or an experiment, whose form is checked.

    Args:
        path: the directory.
        name: the name of the file.
        remedy: what to do if the file is damaged.

    Raises:
        FileNotFoundError: there is no such file.
        RunDirectoryError: it cannot be read, or has another form.
    """
    try:
        text = read_text(path / name, most=LARGE_TEXT)
        document: dict[str, Any] = json.loads(text, object_pairs_hook=partial(_Table, path, name))
    except FileNotFoundError:
        raise
    except Unreadable as error:
        raise RunDirectoryError(path, f"{name} {error.strerror}", remedy) from None
    except (OSError, ValueError, RecursionError) as error:
        raise RunDirectoryError(path, f"{name} cannot be read: {error}", remedy) from None
    wrong = misfit(document) if name == RUN_FILE else misfit_of_experiment(name, document)
    if wrong:
        raise RunDirectoryError(path, f"{name} is damaged: {wrong}", remedy)
    return document


def why_failed(document: Mapping[str, Any]) -> str | None:
    """Returns why a run failed, in one line; None if it ended, or can be continued.

    Args:
        document: run.json.
    """
    reason = document.get("reason")
    if document.get("complete") or reason not in ("stalled", "failed"):
        return None
    return one_line(in_units(str(document.get("diagnosis") or reason)))
