"""The bounds of a Python program: its time and its memory."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from pathlib import Path
from types import TracebackType

from pantala.memory import available_memory

__all__ = ["Stopped", "Watchdog"]

_PERIOD = 0.05
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Stopped(BaseException):
    """The program was stopped. It is no `Exception`, so that a program does not catch it."""


class Watchdog:
    """Stops the thread that enters it after some time, or when memory grows too much.

    Args:
        seconds: the time.
        memory: bytes by which the process may grow; half of the free memory if not given.
    """

    def __init__(self, seconds: float, memory: int | None = None) -> None:
        self.reason = ""
        self._seconds = seconds
        self._memory = memory if memory is not None else max(1 << 30, available_memory() // 2)
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.get_ident()
        self._watch = threading.Thread(target=self._run, name="pantala-watchdog", daemon=True)

    def __enter__(self) -> Watchdog:
        self._watch.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            self._over.set()
            if self.reason:
                _raise_in(self._thread, None)

    def _run(self) -> None:
        end, start = time.monotonic() + self._seconds, _resident()
        while not self._over.wait(_PERIOD):
            if time.monotonic() > end:
                reason = (
                    f"the program has not ended after {self._seconds:g} s; end its loops, or set a"
                    " longer time_limit"
                )
            elif _resident() - start > self._memory:
                reason = (
                    f"the program takes more than {self._memory / 2**30:.1f} GiB of memory; end its"
                    " loops, or keep less data"
                )
            else:
                continue
            with self._lock:
                if not self._over.is_set():
                    self.reason = reason
                    # Again in the next period, in case the program catches it.
                    _raise_in(self._thread, Stopped)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raises an exception in another thread, or takes it back."""
    value = ctypes.py_object(error) if error is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), value)


def _resident() -> int:
    """Returns the resident memory of the process in bytes."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE
    except OSError:
        return 0
