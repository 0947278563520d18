"""What a part of the campaign counts: all stretches together, and the one under way."""

from __future__ import annotations

import base64
import json
import platform
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["CAMPAIGN", "Failure", "Results", "Stretch"]

Item = TypeVar("Item")

CAMPAIGN = Path(__file__).resolve().parent

#: Counts by column, say `{"inputs": 1000, "refused": 700}`.
Row = dict[str, int | float | str]


@dataclass
class Failure:
    """A case that broke a promise.

    Attributes:
        row: the row of the table that it belongs to, say a reader.
        case: the number of the case in its part, from which it can be made again.
        what: one line: what happened.
        data: the input, shrunk where that was possible; empty if the number says all.
        mended: the test that now holds the case; empty while it is open.
    """

    row: str
    case: int
    what: str
    data: bytes = b""
    mended: str = ""


@dataclass
class Results:
    """The results of one part over all its stretches.

    Attributes:
        seed: the seed of the part; a change of it begins anew.
        next_case: the number of the first case that no stretch has tried.
        rows: counts by row and column.
        failures: cases that broke a promise, the mended ones included.
        stretches: date, seconds, cases, machine and version of each stretch.
    """

    seed: int
    next_case: int = 0
    rows: dict[str, Row] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    stretches: list[Row] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path, seed: int) -> Results:
        """Reads the results of a part; empty ones if there are none of this seed."""
        if not path.exists():
            return cls(seed)
        found: dict[str, Any] = json.loads(path.read_text())
        if found["seed"] != seed:
            return cls(seed)
        failures = [
            Failure(**{**each, "data": base64.b64decode(each["data"])})
            for each in found.pop("failures")
        ]
        return cls(failures=failures, **found)

    def write(self, path: Path) -> None:
        """Writes the results beside `path` and moves them there."""
        value = asdict(self)
        for each in value["failures"]:
            each["data"] = base64.b64encode(each["data"]).decode()
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n")
        new.replace(path)


class Stretch:
    """The time that a part may use now, and what it tells.

    Attributes:
        seed: the seed of the part; case `n` depends on `(seed, n)` alone.
        scratch: an empty directory, removed afterwards.
        results: what all stretches counted.
    """

    def __init__(self, part: str, seed: int, seconds: float, scratch: Path, to: Path) -> None:
        self.part = part
        self.seed = seed
        self.scratch = scratch
        self.results = Results.read(to / f"{part}.json", seed)
        self._file = to / f"{part}.json"
        self._began = time.monotonic()
        self._until = self._began + seconds
        self._first = self.results.next_case

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self._until - time.monotonic()

    def cases(self, at_once: int = 1, upto: int | None = None) -> Iterator[int]:
        """Gives the numbers of cases to try, `at_once` apart, until the time or `upto` is over.

        A case counts as tried when the next one is asked for, so one that is broken off is tried
        again in the next stretch.
        """
        while self.left > 0 and (upto is None or self.results.next_case < upto):
            yield self.results.next_case
            self.results.next_case += at_once
            self._save()

    def round(self, items: Sequence[Item]) -> Iterator[tuple[int, Item]]:
        """Gives what is left of a round over items, each with the number of its case.

        A round that was broken off goes on where it stopped; after its end, a new one begins.
        """
        rounds = self.results.next_case // len(items)
        for case in self.cases(upto=(rounds + 1) * len(items)):
            yield case, items[case % len(items)]

    def add(self, row: str, **counts: int) -> None:
        """Adds counts to a row."""
        cells = self.results.rows.setdefault(row, {})
        for column, count in counts.items():
            cells[column] = int(cells.get(column, 0)) + count

    def state(self, row: str, **cells: float | str) -> None:
        """Sets cells of a row: figures that are measured rather than counted."""
        self.results.rows.setdefault(row, {}).update(cells)

    def failure(self, row: str, case: int, what: str, data: bytes = b"") -> None:
        """Keeps a case that broke a promise; a mended one that breaks again is open again."""
        known = next((f for f in self.results.failures if (f.row, f.what) == (row, what)), None)
        self.add(row, failures=1)
        if known is None:
            self.results.failures.append(Failure(row, case, what, data))
            print(f"{self.part}: {row}: case {case}: {what}", flush=True)
        else:
            known.mended = ""

    def close(self, version: str) -> None:
        """Writes the results and notes the stretch."""
        self.results.stretches.append(
            {
                "date": datetime.now(UTC).date().isoformat(),
                "seconds": round(time.monotonic() - self._began),
                "cases": self.results.next_case - self._first,
                "machine": f"{platform.machine()}, {platform.system()} {platform.release()}",
                "version": version,
            }
        )
        self._save()

    def _save(self) -> None:
        self.results.write(self._file)
