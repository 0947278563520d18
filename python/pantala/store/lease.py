"""Leases: files that say which process works on something, with a heartbeat.

A lease is a file that its owner creates as a link, touches while it works, and removes. Locks of
files are unreliable on NFS and Lustre; links and renaming are atomic there. A lease whose
heartbeat stopped is stale: anybody may take it over. A lease of a dead process of this machine is
stale at once.

A lease only saves work. If two processes held the same lease after an error of the file system,
both would store equal results.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

from pantala.files.input_file import LARGE_TEXT, read_text
from pantala.system.process_marks import process_lives, this_machine

__all__ = [
    "BEAT_SECONDS",
    "STALE_SECONDS",
    "claim",
    "holder",
    "is_stale",
    "live_leases",
    "now_at",
]

#: The time between two heartbeats.
BEAT_SECONDS = 10.0
#: A lease without a heartbeat for this time is stale.
STALE_SECONDS = 60.0
#: The process and the machine in the name of a file that becomes a lease.
_WRITER = re.compile(r"\.(\d+)@(.+)\.[0-9a-f]{12}(?:-old)?$")


@contextlib.contextmanager
def claim(path: Path) -> Iterator[bool]:
    """Yields whether this process holds the lease at `path` now; removes the lease at the end."""
    since = time.time()
    owner = {"host": this_machine(), "process": os.getpid(), "since": since, "id": _once()}
    text = json.dumps(owner)  # equal to no other, by its id
    if not _take(path, text):
        yield False
        return
    stop = Event()
    beat = Thread(target=_beat, args=(path, stop), daemon=True)
    beat.start()
    try:
        yield True
    finally:
        stop.set()
        beat.join()
        with contextlib.suppress(OSError):
            if path.read_text(encoding="utf-8") == text:  # nobody took it over
                path.unlink()


def holder(path: Path) -> str:
    """Returns who holds a lease and since when, in words; empty if it cannot be read."""
    try:
        owner = json.loads(read_text(path, most=LARGE_TEXT))
        host, process, since = str(owner["host"]), int(owner["process"]), float(owner["since"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    clock = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(since))
    return f"process {process} on {host}, since {clock}"


def is_stale(path: Path, now: float) -> bool:
    """Returns whether nobody works under a lease any more.

    Args:
        path: the lease.
        now: the time by the clock of its file system; see `now_at`.
    """
    try:
        age = now - path.stat().st_mtime
        text = path.read_text(encoding="utf-8")
    except OSError:  # released meanwhile
        return True
    if age > STALE_SECONDS:
        return True
    if age < -BEAT_SECONDS:
        # The clock of the owner, or of the file system, went back. From now on the lease ages; an
        # owner that lives touches it again.
        with contextlib.suppress(OSError):
            os.utime(path)
    try:
        owner = json.loads(text)
        here, process = owner["host"] == this_machine(), int(owner["process"])
    except (ValueError, KeyError, TypeError):  # being written, unless its writer was killed
        writer = _WRITER.search(path.name)
        if writer is None:
            return False
        here, process = writer[2] == this_machine(), int(writer[1])
    return here and not process_lives(process)


def now_at(directory: Path) -> float:
    """Returns the time of the file system of a directory.

    A file server's clock can differ from this machine's.
    """
    probe = directory / f".now-{_once()}"
    try:
        probe.touch()
        now = probe.stat().st_mtime
        probe.unlink()
    except OSError:  # readable only
        return time.time()
    return now


def _take(path: Path, text: str) -> bool:
    """Creates the lease; takes over a stale lease first."""
    made = path.with_name(f".{path.name}.{os.getpid()}@{this_machine()}.{_once()}")
    # A link creates the lease together with its text.
    made.write_text(text, encoding="utf-8")
    try:
        for _ in range(2):
            try:
                os.link(made, path)
            except FileExistsError:
                with contextlib.suppress(OSError):
                    seen = path.read_text(encoding="utf-8")
                    if not is_stale(path, now_at(path.parent)):
                        return False
                    old = made.with_name(f"{made.name}-old")
                    path.rename(old)
                    if old.read_text(encoding="utf-8") != seen:
                        # Another process has taken it over meanwhile: it is its owner's again.
                        os.link(old, path)
                        return False
            else:
                return True
        return False
    finally:
        for name in (made.name, f"{made.name}-old"):
            made.with_name(name).unlink(missing_ok=True)


def _beat(path: Path, stop: Event) -> None:
    while not stop.wait(BEAT_SECONDS):
        with contextlib.suppress(OSError):
            os.utime(path)


def _once() -> str:
    return secrets.token_hex(6)


def live_leases(folder: Path) -> list[str]:
    """Returns the names of the leases in a folder that somebody holds."""
    if not folder.is_dir():
        return []
    now = now_at(folder)
    return [path.name for path in folder.iterdir() if not is_stale(path, now)]
