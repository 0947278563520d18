"""The program that is captured as processes: waiting for it, and stopping all of it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

__all__ = ["ended_early", "stop"]

#: Seconds between two looks at what the ranks noted, and until a process that does not end is
#: killed.
_LOOK, _PATIENCE = 0.5, 10.0


def ended_early(process: subprocess.Popen[bytes], asked: Callable[[], bool]) -> bool:
    """Waits for a process. Returns True as soon as `asked` does, and False if the process ends."""
    while True:
        try:
            process.wait(_LOOK)
        except subprocess.TimeoutExpired:
            if asked():
                return True
        else:
            return False


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ends a process with all that it started.

    An mpirun in a script does not end with the shell of the script.
    """
    family = _family(process.pid)
    _send(family, signal.SIGTERM)
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        _send(family | _family(process.pid), signal.SIGKILL)
        process.wait()
    left = {each for each in family if _parent(each) is not None}
    _send(left, signal.SIGKILL)


def _send(processes: set[int], number: signal.Signals) -> None:
    for each in processes:
        try:
            os.kill(each, number)
        except (ProcessLookupError, PermissionError):
            continue


def _family(ancestor: int) -> set[int]:
    """Returns a process and its descendants."""
    children: dict[int, list[int]] = defaultdict(list)
    for path in Path("/proc").iterdir():
        if path.name.isdecimal() and (parent := _parent(int(path.name))) is not None:
            children[parent].append(int(path.name))
    found, left = {ancestor}, [ancestor]
    while left:
        for child in children[left.pop()]:
            if child not in found:
                found.add(child)
                left.append(child)
    return found


def _parent(process: int) -> int | None:
    """Returns the parent of a process that runs; None if it has ended."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="latin-1")
    except OSError:
        return None
    state, parent = text.rpartition(")")[2].split()[:2]
    return None if state in "ZX" else int(parent)
