"""Output directories: a run is written to a temporary directory, then moved to its place.

A run is written to ``.NAME.partial-PID`` in the same parent directory and renamed to NAME at the
end. A directory that exists already is kept, even if it is the current directory or the target of a
link: its old run is moved out and the new one moved in, the file that marks a run last. A run that
was interrupted or stalled is moved too; it is marked incomplete inside. A run is written only into
a directory that is empty or holds a run. The runs of an interference experiment are written into
its store of runs instead; see `pantala.experiments.interference`.
"""

from __future__ import annotations

import os
import shutil
from itertools import count
from pathlib import Path

from pantala.errors import RunDirectoryError

__all__ = [
    "INTERFERENCE_FILE",
    "RUN_FILE",
    "TABLES_FILE",
    "OutputDirectory",
    "cannot_write",
    "holds_run",
    "set_aside",
    "taken",
]

#: The file that every run directory has; written last.
RUN_FILE = "run.json"
#: The file with the tables of a run in a store of runs: Parquet files in an uncompressed archive.
TABLES_FILE = "tables.zip"
#: The file that the directory of an interference experiment has.
INTERFERENCE_FILE = "interference.json"
#: The folder of `pantala sweep` in a directory of experiments, and the store beside it.
_EXPERIMENTS = "experiments"
_STORE = frozenset({_EXPERIMENTS, "runs", "partial", "leases", "index", "tables"})


def holds_run(path: Path) -> bool:
    """Returns whether a directory holds a run or an interference experiment."""
    return (path / RUN_FILE).is_file() or (path / INTERFERENCE_FILE).is_file()


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
        self.partial = target.absolute().parent / f".{target.absolute().name}.partial-{os.getpid()}"
        if target.is_dir():
            if holds_run(target):
                if not overwrite:
                    raise taken(target, "a run")
                if (target / _EXPERIMENTS).is_dir():
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
            if self.partial.exists():  # of a process of the same number that was killed
                shutil.rmtree(self.partial)
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
        old = self.partial.with_name(f"{self.partial.name}-old")
        try:
            if place.exists():
                old.mkdir()
                for entry in reversed(_marks_last(place)):
                    shutil.move(entry, old)
                for entry in _marks_last(self.partial):
                    shutil.move(entry, place)
                self.partial.rmdir()
            else:
                self.partial.rename(place)
        except OSError as error:
            raise cannot_write(self.target, error) from None
        shutil.rmtree(old, ignore_errors=True)
        return self.target

    def discard(self) -> None:
        """Removes the partial directory."""
        shutil.rmtree(self.partial, ignore_errors=True)


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


def set_aside(target: Path) -> Path | None:
    """Moves an old run out of a directory, but not a store that `pantala sweep` uses too.

    Returns:
        The directory beside it that holds the old run now; None if there was none.

    Raises:
        OSError: it cannot be moved.
    """
    if not target.is_dir() or not any(target.iterdir()):
        return None
    shared = (target / _EXPERIMENTS).is_dir()
    place = target.absolute()
    aside = place.parent / f".{place.name}.partial-{os.getpid()}-old"
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir()
    for entry in reversed(_marks_last(place)):
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
    return RunDirectoryError(
        target, f"cannot be written: {error.strerror or error}", "choose another --out"
    )
