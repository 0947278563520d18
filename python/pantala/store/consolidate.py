"""Consolidated tables: the kept tables of many runs in few Parquet files.

``tables/jobs/*.parquet`` holds the table `jobs` of many runs, with the run's identity in the column
`run`. DuckDB, pandas and Polars read these files. ``tables/segments/NAME.json`` lists the runs of
the files NAME.parquet and is written last: files without it are leftovers.
"""

from __future__ import annotations

import io
import json
import secrets
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from pantala.catalogue.tables import TABLES
from pantala.errors import RunDirectoryError
from pantala.files.atomic_file import write_table, write_text
from pantala.files.check_sum import crc32_of
from pantala.files.forks import check_no_fork
from pantala.files.input_archive import input_archive
from pantala.files.input_file import LARGE_TEXT, check_regular, read_text
from pantala.files.run_directory import TABLES_FILE
from pantala.files.run_files import scanned_table
from pantala.files.table_errors import UNREADABLE
from pantala.store.index import Entry
from pantala.store.lease import claim
from pantala.store.run_store import RunStore

__all__ = ["Segments", "table_of_run"]

#: A segment ends when its tables fill this memory, or have this many runs.
_BYTES = 64_000_000
_RUNS = 1000
#: Runs whose tables are read together, if they are small.
_TOGETHER = 100
#: Segments are merged when more than this number have less than half of a segment's runs.
_SMALL_SEGMENTS = 16


@dataclass(frozen=True)
class _Segment:
    name: str
    tables: tuple[str, ...]
    runs: tuple[str, ...]
    #: The CRC-32 of the file of each table; empty in segments of older versions.
    crc32: Mapping[str, str]


class Segments:
    """The consolidated tables of a store."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._folder = store.root / "tables"
        self._lists = self._folder / "segments"

    def scan(self, table: str) -> tuple[pl.LazyFrame | None, set[str]]:
        """Returns the rows of all runs in segments, and the identities of these runs."""
        found = list(self.batches(table))
        covered = set[str]().union(*(runs for _, runs in found))
        frames = [frame for frame, _ in found]
        return (pl.concat(frames, how="diagonal_relaxed") if frames else None), covered

    def batches(self, table: str) -> Iterator[tuple[pl.LazyFrame, set[str]]]:
        """Yields the rows of each segment, and the identities of its runs; each run once."""
        covered = set[str]()
        for segment in self._segments():
            if table not in segment.tables or not self._is_whole(segment, table):
                continue
            path = self._file(segment.name, table)
            check_no_fork(path)
            frame = pl.scan_parquet(path, glob=False)
            runs = set(segment.runs)
            if twice := covered & runs:
                frame = frame.filter(~pl.col("run").is_in(list(twice)))
            yield frame, runs - covered
            covered |= runs

    def update(self, entries: Mapping[str, Entry], *, tidy: bool = False) -> None:
        """Adds the runs of the index that no segment has; one process at a time does it.

        Args:
            entries: the index.
            tidy: whether to merge small segments and to remove leftovers.
        """
        with claim(self._store.lease("tables")) as mine:
            if not mine:
                return
            self._lists.mkdir(parents=True, exist_ok=True)
            if tidy:
                self._remove_damaged()
                self._remove_leftovers()
            covered: dict[str, set[str]] = {}
            for segment in self._segments():
                for run in segment.runs:
                    covered.setdefault(run, set()).update(segment.tables)
            missing: dict[tuple[str, ...], list[str]] = {}
            for run, entry in entries.items():
                # The tables of an unpacked run can be large, and each is a file of Parquet already.
                if entry["state"] == "done" and not entry.get("unpacked"):
                    lacking = tuple(
                        table for table in entry["kept"] if table not in covered.get(run, ())
                    )
                    if lacking:
                        missing.setdefault(lacking, []).append(run)
            for tables, runs in missing.items():
                self._add(tables, runs)
            if tidy:
                self._merge_small()

    def _add(self, tables: tuple[str, ...], runs: Iterable[str]) -> None:
        frames: dict[str, list[pl.DataFrame]] = {table: [] for table in tables}
        held: list[str] = []
        size = 0
        for added, read in self._read(tables, runs):
            for table, frame in read.items():
                frames[table].append(frame)
                size += int(frame.estimated_size())
            held += added
            if size > _BYTES or len(held) >= _RUNS:
                self._write({name: pl.concat(each) for name, each in frames.items()}, held)
                frames, held, size = {table: [] for table in tables}, [], 0
        if held:
            self._write({name: pl.concat(each) for name, each in frames.items()}, held)

    def _read(
        self, tables: tuple[str, ...], runs: Iterable[str]
    ) -> Iterator[tuple[list[str], dict[str, pl.DataFrame]]]:
        """Yields runs and their tables: many small runs at once, because each query has a price."""
        waiting: list[_Packed] = []
        for run in runs:
            found = _Packed.read(self._store, run, tables)
            if found is not None:
                waiting.append(found)
            if found is None or _full(waiting):
                yield from self._together(tables, waiting)
                waiting = []
            if found is None:
                yield from self._one_by_one(tables, [run])
        yield from self._together(tables, waiting)

    def _together(
        self, tables: tuple[str, ...], packed: list[_Packed]
    ) -> Iterator[tuple[list[str], dict[str, pl.DataFrame]]]:
        runs = [each.run for each in packed]
        try:
            read = {table: _joined(packed, table) for table in tables}
        except (RunDirectoryError, ValueError, *UNREADABLE):
            yield from self._one_by_one(tables, runs)  # one is damaged, or of another version
        else:
            if runs:
                yield runs, read

    def _one_by_one(
        self, tables: tuple[str, ...], runs: Iterable[str]
    ) -> Iterator[tuple[list[str], dict[str, pl.DataFrame]]]:
        for run in runs:
            try:
                yield [run], {table: table_of_run(self._store, run, table) for table in tables}
            except RunDirectoryError:
                continue  # damaged since: the next sweep finds it

    def _write(self, frames: Mapping[str, pl.DataFrame], runs: list[str]) -> None:
        name, sums = secrets.token_hex(8), {}
        for table, frame in frames.items():
            path = self._file(name, table)
            path.parent.mkdir(exist_ok=True)
            write_table(path, frame)
            sums[table] = crc32_of(path)
        document = {"tables": list(frames), "runs": runs, "crc32": sums}
        write_text(self._lists / f"{name}.json", json.dumps(document))

    def _merge_small(self) -> None:
        small: dict[tuple[str, ...], list[_Segment]] = {}
        for segment in self._segments():
            if len(segment.runs) < _RUNS // 2 and self._bytes(segment) < _BYTES // 16:
                small.setdefault(segment.tables, []).append(segment)
        for tables, segments in small.items():
            if len(segments) <= _SMALL_SEGMENTS:
                continue
            runs = list(dict.fromkeys(run for segment in segments for run in segment.runs))
            frames = {}
            for table in tables:
                parts = [self._file(segment.name, table) for segment in segments]
                whole = pl.concat(
                    (pl.read_parquet(part, glob=False) for part in parts), how="diagonal_relaxed"
                )
                frames[table] = whole
            # Written before the small ones go: a reader in between skips runs that it has read.
            self._write(frames, runs)
            for segment in segments:
                self._remove(segment)

    def _file(self, name: str, table: str) -> Path:
        return self._folder / table / f"{name}.parquet"

    def _is_whole(self, segment: _Segment, table: str) -> bool:
        """Returns whether a file has its bytes; without a check sum, whether it has its end."""
        path, written = self._file(segment.name, table), segment.crc32.get(table)
        try:
            if written is not None:
                return crc32_of(path) == written
            check_regular(path)
            pl.read_parquet_schema(path)
        except (OSError, *UNREADABLE):
            return False
        return True

    def _bytes(self, segment: _Segment) -> int:
        paths = (self._file(segment.name, table) for table in segment.tables)
        return sum(path.stat().st_size for path in paths if path.is_file())

    def _remove(self, segment: _Segment) -> None:
        (self._lists / f"{segment.name}.json").unlink(missing_ok=True)
        for table in segment.tables:
            self._file(segment.name, table).unlink(missing_ok=True)

    def _remove_damaged(self) -> None:
        """Removes segments of which a file is missing or damaged; their runs are added again."""
        for segment in self._segments():
            if not all(self._is_whole(segment, table) for table in segment.tables):
                self._remove(segment)

    def _remove_leftovers(self) -> None:
        known = {segment.name for segment in self._segments()}
        for path in self._folder.rglob(".*.partial"):
            path.unlink(missing_ok=True)
        for path in self._folder.glob("*/*.parquet"):
            if path.stem not in known:
                path.unlink(missing_ok=True)

    def _segments(self) -> Iterator[_Segment]:
        for path in sorted(self._lists.glob("*.json")):
            try:
                document = json.loads(read_text(path, most=LARGE_TEXT))
                tables, sums = tuple(document["tables"]), dict(document.get("crc32", {}))
                yield _Segment(path.stem, tables, tuple(document["runs"]), sums)
            except (OSError, ValueError, KeyError, TypeError):
                continue  # merged meanwhile, or damaged: its runs are read again


@dataclass(frozen=True)
class _Packed:
    """The packed tables of a run, not yet read: the bytes and the rows of each."""

    run: str
    bytes: Mapping[str, bytes]
    rows: Mapping[str, int]

    @classmethod
    def read(cls, store: RunStore, run: str, tables: tuple[str, ...]) -> _Packed | None:
        """Returns the tables of a run; None if it is damaged, or not packed."""
        try:
            rows = store.document(run)["tables"]
            with input_archive(store.path(run) / TABLES_FILE) as packed:
                found = {table: packed.read(TABLES[table].file) for table in tables}
            return cls(run, found, {table: int(rows[table]) for table in tables})
        except (RunDirectoryError, OSError, KeyError, TypeError, ValueError, zipfile.BadZipFile):
            return None


def _full(packed: list[_Packed]) -> bool:
    """Returns whether so many runs are read together."""
    size = sum(len(file) for each in packed for file in each.bytes.values())
    return len(packed) >= _TOGETHER or size > _BYTES // 16


def _joined(packed: list[_Packed], table: str) -> pl.DataFrame:
    """Returns a table of several runs in one query, with the column `run` in front.

    Raises:
        ValueError: the rows are not those that the runs state.
        PolarsError: a table is damaged, or their columns differ.
    """
    if not packed:
        return pl.DataFrame()
    files: list[Any] = [io.BytesIO(each.bytes[table]) for each in packed]
    frame = pl.read_parquet(files)
    runs = [pl.repeat(each.run, each.rows[table], dtype=pl.String, eager=True) for each in packed]
    column = pl.concat(runs).rename("run")
    if column.len() != frame.height:
        raise ValueError("a run has other rows than it states")
    return frame.insert_column(0, column)


def table_of_run(store: RunStore, run: str, table: str) -> pl.DataFrame:
    """Returns a table of one run, with the column `run` in front.

    Raises:
        RunDirectoryError: the run is damaged, or has no such table.
    """
    path = store.path(run)
    try:
        if store.is_unpacked(run):
            frame = scanned_table(path / TABLES[table].file, store.document(run)).collect()
        else:
            check_no_fork(path)
            with input_archive(path / TABLES_FILE) as packed:
                frame = pl.read_parquet(io.BytesIO(packed.read(TABLES[table].file)))
    except RunDirectoryError:
        raise
    except (OSError, KeyError, zipfile.BadZipFile, *UNREADABLE) as error:
        raise RunDirectoryError(
            path, f"table {table} cannot be read: {error}", "repeat pantala sweep"
        ) from None
    return frame.select(pl.lit(run).alias("run"), pl.all())
