"""Output directories: written beside their place and moved into it, so that none is ever half there.

A run is written to ``.NAME.partial-PID`` in the same parent directory and renamed to NAME at the end. A run that was
interrupted or stalled is moved too: it is marked incomplete inside. Only a directory that holds a run is replaced.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from pantala.errors import RunDirectoryError

__all__ = ["INTERFERENCE_FILE", "RUN_FILE", "OutputDirectory", "holds_run"]

#: What every run directory has; written last.
RUN_FILE = "run.json"
#: What the directory of an interference study has; written last.
INTERFERENCE_FILE = "interference.json"


def holds_run(path: Path) -> bool:
    """Whether a directory holds a run or an interference study."""
    return (path / RUN_FILE).is_file() or (path / INTERFERENCE_FILE).is_file()


class OutputDirectory:
    """The place of a run that is being made: `begin`, write into `partial`, then `publish` or `discard`.

    Attributes:
        target: where the run will be.
        partial: where it is until then.
    """

    def __init__(self, target: Path, *, overwrite: bool) -> None:
        """Checks that `target` is free; writes nothing.

        Raises:
            RunDirectoryError: it is taken.
        """
        self.target = target
        self.partial = target.absolute().parent / f".{target.absolute().name}.partial-{os.getpid()}"
        if target.is_dir():
            if holds_run(target):
                if not overwrite:
                    raise RunDirectoryError(
                        target,
                        "already holds a run",
                        "add --overwrite (overwrite=True) to replace it, or choose another --out",
                    )
            elif any(target.iterdir()):
                raise RunDirectoryError(target, "is a directory with something else in it", "choose another --out")
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
            raise _cannot_write(self.target, error) from None
        return self.partial

    def publish(self) -> Path:
        """Moves what was written to its place, over the run that is there, and returns the place.

        Raises:
            RunDirectoryError: it cannot be moved; it stays in `partial`.
        """
        place = self.target.absolute()
        try:
            if not place.exists():
                self.partial.rename(place)
                return self.target
            old = self.partial.with_name(f"{self.partial.name}-old")
            place.rename(old)
            self.partial.rename(place)
        except OSError as error:
            raise _cannot_write(self.target, error) from None
        shutil.rmtree(old, ignore_errors=True)
        return self.target

    def discard(self) -> None:
        """Removes what was written."""
        shutil.rmtree(self.partial, ignore_errors=True)


def _cannot_write(target: Path, error: OSError) -> RunDirectoryError:
    return RunDirectoryError(target, f"cannot be written: {error.strerror or error}", "choose another --out")
