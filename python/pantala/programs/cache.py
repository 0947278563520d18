"""The operation files of Python programs, by the hash of their content.

They are in ``pantala/operations`` of the user's cache directory, or of the directory for temporary
files if that one cannot be written. Several processes can use the directory: a file gets its name
when it is complete.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pantala.errors import UsageError

__all__ = ["directory", "keep"]

#: A file that no plan has used for so long is removed.
_DAYS = 30


def directory() -> Path:
    """Returns the directory, which exists and can be written.

    Raises:
        UsageError: no directory can be written.
    """
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    user = f"pantala-{os.getuid()}"
    for place in (Path(home) / "pantala", Path(tempfile.gettempdir()) / user):
        folder = place / "operations"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    raise UsageError(
        "no directory for operation files can be written; set XDG_CACHE_HOME to one that can"
    )


def keep(write: Callable[[Path], dict[str, Any]]) -> tuple[Path, dict[str, Any]]:
    """Writes an operation file and keeps it under its hash.

    Args:
        write: writes the file and returns its facts.

    Returns:
        The file and its facts.
    """
    folder = directory()
    number, name = tempfile.mkstemp(prefix=".", suffix=".partial", dir=folder)
    os.close(number)
    partial = Path(name)
    try:
        facts = write(partial)
        file = folder / f"{facts['hash']}.operations"
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
    _remove_old(folder)
    return file, facts


def _remove_old(folder: Path) -> None:
    """Removes files that were written long ago."""
    limit = time.time() - _DAYS * 86_400
    for file in folder.iterdir():
        with contextlib.suppress(OSError):
            if file.stat().st_mtime < limit:
                file.unlink()
