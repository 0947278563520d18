"""The messages that the library OTF2 writes to standard error."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from typing import Any

__all__ = ["quiet"]


@contextmanager
def quiet() -> Iterator[Any]:
    """Keeps messages of the library away from standard error.

    Yields:
        A function that returns the last message so far.
    """
    with tempfile.TemporaryFile(mode="w+", errors="replace") as kept:
        sys.stderr.flush()
        saved = os.dup(2)
        os.dup2(kept.fileno(), 2)

        def last() -> str:
            kept.seek(0)
            lines = [line.strip() for line in kept.read().splitlines()]
            return next((line for line in reversed(lines) if line), "")

        try:
            with redirect_stderr(kept):  # tracebacks of the library's callbacks
                yield last
        finally:
            os.dup2(saved, 2)
            os.close(saved)
