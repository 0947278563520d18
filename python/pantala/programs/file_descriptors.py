"""The file descriptors of this process that lead to a file."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

__all__ = ["leading_to"]


def leading_to(path: Path) -> list[int]:
    """Returns the descriptors of this process that lead to a file, in order."""
    file, found = path.stat(), []
    for each in Path("/dev/fd").iterdir():
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(int(each.name)), file):
                found.append(int(each.name))
    return sorted(found)
