"""Archives of tables, opened as other input: regular files only, without waiting."""

from __future__ import annotations

import contextlib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from pantala.files.input_file import open_input

__all__ = ["input_archive"]


@contextlib.contextmanager
def input_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Yields an archive for reading.

    Args:
        path: its file.

    Raises:
        OSError: the file is missing, cannot be read, or is no regular file.
        BadZipFile: the file is no archive.
    """
    with open_input(path) as file, zipfile.ZipFile(file) as archive:
        yield archive
