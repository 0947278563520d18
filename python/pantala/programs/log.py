"""The log of a program: what it prints."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pantala.errors import UsageError
from pantala.files.atomic_file import atomic_file
from pantala.programs.cache import directory, remove_old
from pantala.programs.limits import OUTPUT_LIMIT
from pantala.programs.outputs import Output, register

__all__ = ["Log", "log"]

_NO_LETTER = re.compile(r"[^A-Za-z0-9._-]+")
_CUT = b"\npantala: more output is not kept\n"


class Log:
    """The log of a program while it runs. Only the first bytes of it are kept."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._cut = False

    def add(self, data: bytes) -> None:
        """Adds output."""
        room = OUTPUT_LIMIT - len(self._data)
        self._data += data[:room]
        self._cut |= len(data) > room

    def write(self, path: Path) -> int:
        """Writes the log, or removes an old one if there is no output; returns its lines."""
        if not self._data:
            path.unlink(missing_ok=True)
            return 0
        if self._cut:
            self._data += _CUT
        with atomic_file(path) as half:
            half.write_bytes(self._data)
        return self._data.count(b"\n") + (not self._data.endswith(b"\n"))


@contextlib.contextmanager
def log(file: str, function: str, arguments: dict[str, Any], ranks: int) -> Iterator[Log]:
    """Yields a log, and writes it after the program, also if that fails.

    Args:
        file: the file of the program.
        function: the name of its function.
        arguments: the arguments of the function.
        ranks: the number of ranks.
    """
    kept = Log()
    try:
        yield kept
    finally:
        with contextlib.suppress(OSError, UsageError):  # a full disk must not hide a result
            folder = directory("program_logs", "logs of programs")
            path = folder / _name(file, function, arguments, ranks)
            lines = kept.write(path)
            output = Output(file, function, ranks, lines, path) if lines else None
            register(file, path, output)
            remove_old(folder)


def _name(file: str, function: str, arguments: dict[str, Any], ranks: int) -> str:
    """Returns the name of a log: programs, arguments and ranks that differ have different ones."""
    key = json.dumps([str(Path(file).absolute()), function, arguments, ranks], default=repr)
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{_NO_LETTER.sub('_', Path(file).stem)[:60]}-{digest}.log"
