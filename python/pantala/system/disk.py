"""The disk space that is left."""

from __future__ import annotations

import shutil
from pathlib import Path

__all__ = ["free_disk"]


def free_disk(folder: Path) -> int | None:
    """Returns the free bytes of the disk on which a directory is or will be; None if unknown."""
    for parent in (folder, *folder.absolute().parents):
        try:
            usage = shutil.disk_usage(parent)
        except OSError:
            continue
        return usage.free if usage.total else None  # a system without files of its own, as /proc
    return None
