"""The memory that this process can still have."""

from __future__ import annotations

import contextlib
import resource
from pathlib import Path

__all__ = ["available_memory"]

_GROUP = Path("/sys/fs/cgroup")


def available_memory() -> int:
    """Returns the memory in bytes that the system, and the process's control group, can give."""
    import psutil

    available = int(psutil.virtual_memory().available)
    with contextlib.suppress(OSError, ValueError):  # no control group, or no limit ("max")
        limit = int((_GROUP / "memory.max").read_text(encoding="ascii"))
        used = int((_GROUP / "memory.current").read_text(encoding="ascii"))
        available = min(available, limit - used)
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY:  # ulimit -v; a worker has the same limit
        available = min(available, limit - int(psutil.Process().memory_info().vms))
    return max(available, 0)
