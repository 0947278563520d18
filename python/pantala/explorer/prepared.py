"""The packed tables of the page that are made from cubes, kept while a server answers."""

from __future__ import annotations

import contextlib
import gzip
import threading
from typing import Any

from pantala.errors import PantalaError
from pantala.explorer.answers import FROM_CUBE
from pantala.explorer.packed import packed
from pantala.explorer.subject import Subject
from pantala.files.table_errors import UNREADABLE

__all__ = ["COMPRESSED_FROM", "PreparedTables"]

#: Bytes from which tables are compressed, for browsers at the other end of a tunnel.
COMPRESSED_FROM = 100_000
#: Bytes of kept tables at most.
_MOST = 64_000_000
#: The tables of the first view that take longest, in the order in which the page asks for them.
_FIRST = ("groups", "worst", "links", "latencies")


#: The number of a run, a table and its argument.
Key = tuple[int, str, int | None]
#: A packed table, and whether it is compressed.
Packed = tuple[bytes, bool]


class PreparedTables:
    """Packed tables, compressed if they are large, each made once as long as its run is the same.

    A table that is not made from the cube is made for each request.
    """

    def __init__(self, subject: Subject) -> None:
        """Keeps no table yet."""
        self._subject = subject
        self._kept: dict[Key, tuple[dict[str, Any], Packed]] = {}
        self._making: dict[Key, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, number: int, name: str, argument: int | None = None) -> Packed:
        """Returns a packed table of a run, and whether it is compressed.

        Args:
            number: the number of the run.
            name: the table, as for `Subject.answer`.
            argument: its argument.
        """
        if name not in FROM_CUBE:
            return self._made(number, name, argument)
        key = (number, name, argument)
        stamp = self._subject.stamp(number)
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        # Who asks for a table in the making waits for it.
        with making:
            kept = self._kept.get(key)
            if kept is not None and kept[0] == stamp:
                return kept[1]
            data = self._made(number, name, argument)
            with self._lock:
                size = sum(len(other) for _, (other, _) in self._kept.values())
                if size + len(data[0]) > _MOST:
                    self._kept.clear()
                self._kept[key] = (stamp, data)
        return data

    def prepare(self) -> None:
        """Makes the large tables of the first view, so that the page does not wait for them."""
        for name in _FIRST:
            # The page says what is wrong with a table when it asks for it.
            with contextlib.suppress(PantalaError, *UNREADABLE, OSError, ValueError, KeyError):
                self.get(0, name)

    def _made(self, number: int, name: str, argument: int | None) -> Packed:
        frame, facts = self._subject.answer(number, name, argument)
        data = packed(frame, **facts)
        large = len(data) > COMPRESSED_FROM
        return (gzip.compress(data, 1) if large else data), large
