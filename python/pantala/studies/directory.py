"""The directory of a study: runs during the study, figures and tables at its end.

The runs lie in a store of runs. `study.json` is written last and marks the study as complete. A
directory with `settings.json` but without `study.json` belongs to an interrupted study; a study
with equal settings continues there. A study never writes into any other directory that exists.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from pantala.errors import RunDirectoryError, show
from pantala.files.input_file import LARGE_TEXT, read_text
from pantala.files.json_file import write_json
from pantala.files.run_directory import check_place
from pantala.store.run_store import RunStore

__all__ = ["MARK", "StudyDirectory"]

#: The file that marks a study as complete; written last.
MARK = "study.json"
_SETTINGS = "settings.json"


class StudyDirectory:
    """The directory of a study.

    Attributes:
        target: the directory.
        resumed: whether an interrupted study continues here.
    """

    def __init__(self, target: Path, settings: dict[str, Any], *, overwrite: bool) -> None:
        """Checks that `target` is free or holds the beginning of the same study; writes nothing.

        Args:
            target: the directory.
            settings: the settings that distinguish this study from others: its name, its seed, ...
            overwrite: whether to replace a study that is there.

        Raises:
            RunDirectoryError: the directory is taken.
        """
        check_place(target)
        self.target = target
        self._settings = settings
        self._replaces = False
        self.resumed = False
        if target.is_dir():
            found = _settings(target)
            if found is not None and overwrite:
                self._replaces = True
            elif (target / MARK).is_file():
                raise RunDirectoryError(
                    target,
                    "already holds a study",
                    "add --overwrite (overwrite=True) to replace it, or choose another --out",
                )
            elif found == settings:
                self.resumed = True
            elif found is not None:
                differs = [key for key in settings if found.get(key) != settings[key]]
                was = ", ".join(f"{key} = {show(found.get(key))}" for key in differs)
                raise RunDirectoryError(
                    target,
                    f"holds an interrupted study of other settings ({was})",
                    "repeat it with those to go on, add --overwrite to replace it, or choose"
                    " another --out",
                )
            elif any(target.iterdir()):
                raise RunDirectoryError(
                    target, "is a directory with something else in it", "choose another --out"
                )
        elif target.exists() or target.is_symlink():
            raise RunDirectoryError(target, "is not a directory", "choose another --out")

    def begin(self) -> None:
        """Makes the directory, or removes the study that is to be replaced.

        Raises:
            RunDirectoryError: it cannot be made.
        """
        try:
            if self._replaces:
                (self.target / MARK).unlink(missing_ok=True)
                for entry in self.target.iterdir():
                    if entry.is_dir() and not entry.is_symlink():
                        shutil.rmtree(entry)
                    else:
                        entry.unlink()
            RunStore(self.target).begin()
            write_json(self.target / _SETTINGS, self._settings)
        except OSError as error:
            reason = f"cannot be written: {error.strerror or error}"
            raise RunDirectoryError(self.target, reason, "choose another --out") from None

    def finish(self, document: dict[str, Any]) -> None:
        """Marks the study as complete."""
        write_json(self.target / MARK, document)


def _settings(target: Path) -> dict[str, Any] | None:
    """Returns the settings of the study in a directory; None if there is no study."""
    try:
        settings = json.loads(read_text(target / _SETTINGS, most=LARGE_TEXT))
    except (OSError, ValueError):
        return None
    return settings if isinstance(settings, dict) else None
