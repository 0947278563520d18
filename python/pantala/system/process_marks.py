"""Names of processes, so that a later process knows whether their unfinished files can go.

An unfinished file or folder carries `mark`, the machine and the number of its process, in its name.
"""

from __future__ import annotations

import contextlib
import os
import socket
from functools import cache
from pathlib import Path

__all__ = ["mark", "process_lives", "this_machine", "was_left"]

#: The name space of process numbers that a machine starts with.
_FIRST_NAME_SPACE = 0xEFFFFFFC


@cache
def this_machine() -> str:
    """Returns the name of this machine; in a container, with its name space of process numbers.

    Two containers of one machine can have one host name, and see no processes of each other.
    """
    host = socket.gethostname()
    with contextlib.suppress(OSError):
        space = Path("/proc/self/ns/pid").stat().st_ino
        if space != _FIRST_NAME_SPACE:
            return f"{host}+{space}"
    return host


def mark() -> str:
    """Returns the mark of this process: ``MACHINE~NUMBER``."""
    return f"{this_machine()}~{os.getpid()}"


def was_left(mark: str) -> bool:
    """Returns whether a mark is of a process of this machine that has ended."""
    machine, _, process = mark.rpartition("~")
    return machine == this_machine() and process.isdecimal() and not process_lives(int(process))


def process_lives(process: int) -> bool:
    """Returns whether a process of this number runs on this machine."""
    if process <= 0:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    # A killed process whose parent does not wait for it still has its number.
    with contextlib.suppress(OSError):
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        return state.rpartition(")")[2].split()[:1] != ["Z"]
    return True
