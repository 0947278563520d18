"""Forks of a process that has read tables: they have the locks of Polars, but not its threads."""

from __future__ import annotations

import os
from pathlib import Path

from pantala.errors import UsageError

__all__ = ["check_no_fork"]

#: The process that opened the first table.
_opened_by: int | None = None


def check_no_fork(path: Path) -> None:
    """Refuses to open a table where reading it would wait for ever.

    Raises:
        UsageError: the process is a fork of one that has opened a table.
    """
    global _opened_by
    process = os.getpid()
    if _opened_by not in (None, process):
        raise UsageError(
            f"{path}: cannot be read in a fork of a process that has opened a table: Polars would"
            " wait for ever; start processes with multiprocessing.get_context('spawn'), or use"
            " pantala.sweep"
        )
    _opened_by = process
