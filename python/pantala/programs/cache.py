"""The operation files of Python programs, by the hash of their content.

They are in ``operations`` of the user's cache, or of a private folder in the directory for
temporary files if the cache cannot be used. Logs of programs are in ``program_logs`` beside it.
Several processes can use both: a file gets its name when it is complete.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pantala.files.atomic_file import atomic_file_in
from pantala.files.private_folder import cache_folder

__all__ = ["directory", "keep", "remove_old"]

#: A file that no plan has used for so long is removed.
_DAYS = 30
#: The names of our files and of the folders of processes; all others are let alone.
_OURS = re.compile(r"[0-9a-f]{64}\.operations|[\w.-]+-[0-9a-f]{12}\.log|\..*\.partial")


def directory(name: str = "operations", content: str = "operation files") -> Path:
    """Returns a directory, which exists, can be written, and is this user's alone.

    Args:
        name: its name in the cache.
        content: what is in it, for errors.

    Raises:
        UsageError: there is no such directory.
    """
    return cache_folder(name, content, temporary=True)


def keep(write: Callable[[Path], dict[str, Any]]) -> tuple[Path, dict[str, Any]]:
    """Writes an operation file and keeps it under its hash.

    Args:
        write: writes the file and returns its facts.

    Returns:
        The file and its facts.
    """
    folder = directory()
    facts: dict[str, Any] = {}
    with atomic_file_in(folder, lambda: f"{facts['hash']}.operations") as half:
        facts |= write(half)
    remove_old(folder)
    return folder / f"{facts['hash']}.operations", facts


def remove_old(folder: Path) -> None:
    """Removes the files of this cache that were written long ago."""
    limit = time.time() - _DAYS * 86_400
    for file in folder.iterdir():
        if not _OURS.fullmatch(file.name):
            continue
        with contextlib.suppress(OSError):
            state = file.lstat()
            if state.st_uid != os.geteuid() or state.st_mtime >= limit:
                continue
            if stat.S_ISREG(state.st_mode):
                file.unlink()
            elif stat.S_ISDIR(state.st_mode):
                shutil.rmtree(file)
