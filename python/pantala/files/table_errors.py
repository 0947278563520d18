"""What reading a damaged table does: Polars raises, panics, or aborts the process."""

from __future__ import annotations

import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from polars.exceptions import PanicException, PolarsError

from pantala.errors import first_line

__all__ = ["UNREADABLE", "aborts", "reason"]

#: Polars panics on some damaged pages of Parquet. Its panic is no `Exception`.
UNREADABLE = (PolarsError, PanicException)
_READ = "import sys, polars; polars.read_parquet(sys.argv[1], glob=False)"


def reason(error: BaseException) -> str:
    """Returns why a table cannot be read, in one line; a panic says nothing to a user."""
    return "its pages are damaged" if isinstance(error, PanicException) else first_line(error)


def aborts(path: Path) -> bool:
    """Returns whether reading a Parquet table ends the process that reads it.

    On some damaged pages Polars asks for memory that no machine has, which no exception tells. So
    another process reads the table first, once for each state of the file. This costs its start
    and a reading, so it is for files that a user gives, not for the tables of runs.
    """
    state = path.stat()
    return _aborts(path, state.st_mtime_ns, state.st_size)


@lru_cache
def _aborts(path: Path, *_: int) -> bool:
    command = [sys.executable, "-c", _READ, str(path)]
    return subprocess.run(command, capture_output=True, check=False).returncode < 0
