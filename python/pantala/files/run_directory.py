"""Output directories: a run is written to a temporary directory, then moved to its place.

A run is written to a hidden directory in the same parent directory and renamed to NAME at the end.
After its process was killed, the next run in the parent directory removes the hidden directory. A
directory that exists already is kept, even if it is the current directory or the target of a link:
its old run is moved out and the new one moved in, the file that marks a run last. A run that was
interrupted or stalled is moved too; it is marked incomplete inside. A run is written only into a
directory that is empty or holds a run. Of a directory with a run, only what Pantala wrote is
replaced: other files and folders in it stay. The runs of an interference experiment are written
into its store of runs instead; see `pantala.runs.interference`.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from itertools import count
from pathlib import Path
from typing import Any

from pantala.catalogue.tables import TABLES
from pantala.errors import RunDirectoryError, shortened
from pantala.files.atomic_file import left_in, temporary_name
from pantala.files.input_file import LARGE_TEXT, read_text
from pantala.system import system_errors

__all__ = [
    "DESCRIPTION_FILE",
    "EXPERIMENTS",
    "EXPLORER_FOLDER",
    "INTERFERENCE_FILE",
    "PROGRAM_LOGS_FILE",
    "REPORT_FILE",
    "RUN_FILE",
    "SLOWDOWN_FILE",
    "TABLES_FILE",
    "OutputDirectory",
    "cannot_write",
    "check_place",
    "clear_left",
    "document_of",
    "holds_run",
    "set_aside",
    "taken",
]

#: The file that every run directory has; written last.
RUN_FILE = "run.json"
#: The file with the tables of a run in a store of runs: Parquet files in an uncompressed archive.
TABLES_FILE = "tables.zip"
#: The report, a page beside the run.
REPORT_FILE = "report.html"
#: What coNCePTuaL programs log and print, as text.
PROGRAM_LOGS_FILE = "program_logs.txt"
#: Each job of an interference experiment alone and together.
SLOWDOWN_FILE = "slowdown.parquet"
#: The folder of what the explorer has computed from the run.
EXPLORER_FOLDER = "explorer"
#: The file that the directory of an interference experiment has.
INTERFERENCE_FILE = "interference.json"
#: The folder of `pantala sweep` in a directory of experiments, the file that describes each one,
#: and the store beside the folder.
EXPERIMENTS = "experiments"
DESCRIPTION_FILE = "experiment.json"
_STORE = frozenset({EXPERIMENTS, "runs", "partial", "leases", "index", "tables"})
#: The other files and folders that commands write into the directory of a run or an experiment.
_OURS = frozenset(
    {
        RUN_FILE,
        INTERFERENCE_FILE,
        TABLES_FILE,
        REPORT_FILE,
        PROGRAM_LOGS_FILE,
        SLOWDOWN_FILE,
        EXPLORER_FOLDER,
    }
)


#: Bytes of a name and of a path; the system's limits, less what the files inside need.
_LONGEST_NAME, _LONGEST_PATH = 220, 3900


def experiment_names(path: Path) -> list[str]:
    """Returns the names of the experiments of `pantala sweep` in a directory."""
    return sorted(file.parent.name for file in path.glob(f"{EXPERIMENTS}/*/{DESCRIPTION_FILE}"))


def holds_run(path: Path) -> bool:
    """Returns whether a directory holds a run or an interference experiment."""
    return (path / RUN_FILE).is_file() or (path / INTERFERENCE_FILE).is_file()


def check_place(target: Path) -> None:
    """Checks that the system can have a directory of this name, with the endings of its helpers.

    Raises:
        RunDirectoryError: the name has a NUL character, is no UTF-8, or is too long.
    """
    shown = Path(shortened(str(target), 120))
    try:
        str(target.absolute()).encode("utf-8")
    except UnicodeEncodeError:
        raise RunDirectoryError(
            Path(shortened(str(target.absolute()), 120)),
            f"has bytes that are no text in {sys.getfilesystemencoding()}, the encoding of file"
            " names here",
            "choose an --out elsewhere, or set LC_ALL=C.UTF-8 if the name is UTF-8",
        ) from None
    if "\0" in str(target):
        raise RunDirectoryError(
            Path(ascii(str(shown))[1:-1]), "has a NUL character", "choose another --out"
        )
    longest = max((len(os.fsencode(part)) for part in target.parts), default=0)
    if longest > _LONGEST_NAME or len(os.fsencode(target.absolute())) > _LONGEST_PATH:
        raise RunDirectoryError(
            shown,
            f"is too long for the system; a name has at most {_LONGEST_NAME} bytes, a path"
            f" {_LONGEST_PATH:,}",
            "choose a shorter --out",
        )


class OutputDirectory:
    """The directory of a run in progress: `begin`, write to `partial`, then `publish` or `discard`.

    Attributes:
        target: the final directory.
        partial: the directory until then.
        overwrite: whether to replace a run that is there already.
    """

    def __init__(self, target: Path, *, overwrite: bool) -> None:
        """Checks that `target` is free; writes nothing.

        Raises:
            RunDirectoryError: the directory is taken.
        """
        self.target = target
        self.overwrite = overwrite
        check_place(target)
        place = target.absolute()
        self.partial = place.parent / temporary_name(place.name)
        if target.is_dir():
            if holds_run(target):
                if not overwrite:
                    raise taken(target, "a run")
                if (target / EXPERIMENTS).is_dir():
                    raise RunDirectoryError(
                        target, "also holds experiments of pantala sweep", "choose another --out"
                    )
            elif any(target.iterdir()):
                raise RunDirectoryError(
                    target, "is a directory with something else in it", "choose another --out"
                )
        elif target.exists() or target.is_symlink():
            raise RunDirectoryError(target, "is not a directory", "choose another --out")

    def begin(self) -> Path:
        """Makes the directory to write into.

        Raises:
            RunDirectoryError: it cannot be made.
        """
        try:
            self.partial.parent.mkdir(parents=True, exist_ok=True)
            clear_left(self.target)
            self.partial.mkdir()
        except OSError as error:
            raise cannot_write(self.target, error) from None
        return self.partial

    def publish(self) -> Path:
        """Moves the files to the final directory, over an old run, and returns the directory.

        Raises:
            RunDirectoryError: they cannot be moved; they stay in `partial`.
        """
        place = self.target.absolute()
        if holds_run(place) and not self.overwrite:
            raise RunDirectoryError(
                self.target, "was taken by another run meanwhile", f"this one is in {self.partial}"
            )
        old = self.partial.with_name(temporary_name(place.name))
        try:
            if place.exists():
                old.mkdir()
                for entry in reversed(_of_run(place)):
                    shutil.move(entry, old)
                for entry in _marks_last(self.partial):
                    shutil.move(entry, place)
                self.partial.rmdir()
            else:
                self.partial.rename(place)
        except OSError as error:
            raise cannot_write(self.target, error) from None
        _discard(old)
        return self.target

    def discard(self) -> None:
        """Removes the partial directory."""
        _discard(self.partial)


def clear_left(target: Path) -> None:
    """Removes the hidden directories that killed runs left beside a directory.

    What belongs to another directory and holds a run is let alone: the process was killed while it
    moved the run.
    """
    place = target.absolute()
    ours = temporary_name(place.name).rsplit("~", 3)[0]
    for path in left_in(place.parent):
        if path.is_symlink() or not path.is_dir():
            continue
        if not holds_run(path) or path.name.rsplit("~", 3)[0] == ours:
            _discard(path)


def _discard(directory: Path) -> None:
    """Removes a directory, first the files that mark a run."""
    with contextlib.suppress(OSError):
        for name in (RUN_FILE, INTERFERENCE_FILE):
            (directory / name).unlink(missing_ok=True)
    shutil.rmtree(directory, ignore_errors=True)


def document_of(directory: Path) -> dict[str, Any] | None:
    """Returns run.json of a directory; None if it is missing or damaged."""
    return _document(directory / RUN_FILE) or None


def _document(file: Path) -> dict[str, Any]:
    """Returns a JSON object of a file; empty if the file is missing or damaged."""
    try:
        document = json.loads(read_text(file, most=LARGE_TEXT))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _free(target: Path) -> Path:
    """Returns the first of NAME-2, NAME-3, ... that does not exist."""
    names = (target.with_name(f"{target.absolute().name}-{number}") for number in count(2))
    return next(path for path in names if not path.exists())


def _marks_last(directory: Path) -> list[Path]:
    """Returns the content of a directory, the files that mark a run last."""
    return sorted(
        directory.iterdir(),
        key=lambda entry: (entry.name in (RUN_FILE, INTERFERENCE_FILE), entry.name),
    )


def _of_run(directory: Path) -> list[Path]:
    """Returns the content of a directory that runs and reports wrote, as `_marks_last` orders it.

    What a user has put there is not among it.
    """
    names = _OURS | {table.file for table in TABLES.values()}
    names |= {f"{table}.parquet" for table in (document_of(directory) or {}).get("tables") or ()}
    if (directory / INTERFERENCE_FILE).is_file():
        names |= _STORE
        experiment = _document(directory / INTERFERENCE_FILE)
        with contextlib.suppress(TypeError, AttributeError):  # a damaged list of parts
            for part in [*experiment.get("parts", ()), *experiment.get("missing", ())]:
                names |= {str(part.get("part")), str(part.get("directory"))}
    return [
        entry
        for entry in _marks_last(directory)
        if entry.name in names or (entry.is_symlink() and entry.readlink().parts[:1] == ("runs",))
    ]


def set_aside(target: Path) -> Path | None:
    """Moves an old run out of a directory, but not a store that `pantala sweep` uses too.

    What a user has put there stays.

    Returns:
        The directory beside it that holds the old run now; None if there was none.

    Raises:
        OSError: it cannot be moved.
    """
    if not target.is_dir() or not any(target.iterdir()):
        return None
    shared = (target / EXPERIMENTS).is_dir()
    place = target.absolute()
    aside = place.parent / temporary_name(place.name)
    aside.mkdir()
    for entry in reversed(_of_run(place)):
        if not (shared and entry.name in _STORE):
            shutil.move(entry, aside)
    return aside


def taken(target: Path, what: str) -> RunDirectoryError:
    """Returns the error of a directory that holds something that a run would replace."""
    return RunDirectoryError(
        target,
        f"already holds {what}",
        f"add --overwrite (overwrite=True) to replace it, or another --out, e.g. {_free(target)}",
    )


def cannot_write(target: Path, error: OSError) -> RunDirectoryError:
    """Returns the error of a directory that cannot be written."""
    remedy = system_errors.remedy_of(error.errno) or "choose another --out"
    return RunDirectoryError(target, f"cannot be written: {error.strerror or error}", remedy)
