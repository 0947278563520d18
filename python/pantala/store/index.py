"""The index of a store: one line per run, so that a status need not open every run.

The index consists of files of JSON lines. Each process appends to a file of its own, because
several writers of one file need locks. A line that a killed process left half written is skipped.
A run that is in the store but not in the index is read again, so the index can be lost.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import IO, Any, TypedDict, cast

from pantala.catalogue.tables import TABLES
from pantala.caveats import Facts, facts_of
from pantala.errors import RunDirectoryError, one_line
from pantala.files.atomic_file import write_text
from pantala.files.input_file import LARGE_TEXT, read_text
from pantala.files.run_directory import RUN_FILE, TABLES_FILE
from pantala.files.run_files import scanned_table, table_in_archive
from pantala.store.lease import claim
from pantala.store.run_store import RunStore
from pantala.system.process_marks import mark, was_left

__all__ = ["Entry", "Index", "entry_of", "facts_of_entry", "failed_entry"]


class Entry(TypedDict, total=False):
    """What the index knows about a run."""

    run: str
    #: ``done`` or ``failed``.
    state: str
    #: Why it failed, or why a job did not end.
    reason: str
    complete: bool
    kept: list[str]
    #: Whether each table is a file of its own.
    unpacked: bool
    bytes: int
    simulated_ns: float
    packets: int
    packet_hops: int
    #: What it takes on an idle machine: elapsed or CPU time, whichever is less. On a busy machine a
    #: run waits for a core; with several threads its CPU time is longer than it takes.
    seconds: float
    peak_bytes: int
    result_hash: str
    pantala: str
    #: `pantala.caveats.Facts` as JSON; runs that an earlier version noted have none.
    facts: dict[str, Any]


class Index:
    """The index of a store.

    Attributes:
        damaged: the damaged runs that `refresh` removed, with the reason.
    """

    def __init__(self, store: RunStore) -> None:
        self.damaged: dict[str, str] = {}
        self._store = store
        self._folder = store.root / "index"
        self._file: IO[str] | None = None
        #: Entries of runs that are not in the index yet.
        self._new: dict[str, Entry] = {}

    def read(self) -> dict[str, Entry]:
        """Returns the entries by run: runs in the store, and failed runs."""
        return _folded(entry for _, found in self._files() for entry in found)

    def look_up(self, entries: dict[str, Entry], runs: Iterable[str]) -> None:
        """Adds runs that are in the store and not in the index, such as those of `pantala run`."""
        for run in runs:
            if run not in entries and self._store.path(run).is_dir():
                with contextlib.suppress(RunDirectoryError):  # damaged: `refresh` removes it
                    entries[run] = self._new[run] = entry_of(self._store, run)

    def refresh(self) -> dict[str, Entry]:
        """Brings the index up to date with the store, and returns the entries.

        Damaged runs are removed from the store, so that they are simulated again.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        entries = self.read()
        there = set()
        for run in self._store.stored():
            entry, new = entries.get(run), self._new.pop(run, None)
            try:
                if entry is None or entry["state"] != "done" or not self._whole(run, entry):
                    if new is None or not self._whole(run, new):
                        new = entry_of(self._store, run)
                    entries[run] = new
                    self.append(new)
            except RunDirectoryError as error:
                self.damaged[run] = error.message
                self._store.remove(run)
                entries.pop(run, None)
                continue
            there.add(run)
        gone = [
            run for run, entry in entries.items() if entry["state"] == "done" and run not in there
        ]
        for run in gone:
            del entries[run]
        self._merge(entries, gone)
        return entries

    def append(self, entry: Entry) -> None:
        """Adds a run."""
        if self._file is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            name = f"{mark()}~{secrets.token_hex(4)}.jsonl"
            self._file = (self._folder / name).open("w", encoding="utf-8")
        self._file.write(json.dumps(entry) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Ends the file of this process."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _whole(self, run: str, entry: Mapping[str, Any]) -> bool:
        """Returns whether the files of a run have the size that the index says.

        Raises:
            RunDirectoryError: a file is missing or cut.
        """
        try:
            size = _size(self._store.path(run))
        except OSError:
            size = -1
        if size == entry["bytes"]:
            return True
        self._store.kept(run)  # raises if the archive is damaged
        return False

    def _files(self) -> Iterator[tuple[Path, list[Entry]]]:
        with contextlib.suppress(FileNotFoundError):
            for path in sorted(self._folder.glob("*.jsonl"), key=_age):
                try:
                    lines = read_text(path, most=LARGE_TEXT, errors="replace").splitlines()
                except OSError:  # merged meanwhile
                    continue
                yield path, _entries(lines)

    def _merge(self, entries: dict[str, Entry], gone: Collection[str]) -> None:
        """Writes one file in place of those of processes that have ended.

        Args:
            entries: what this process knows; gets what others have added since it read the files.
            gone: the runs that have vanished from the store.
        """
        if sum(self._ended(path) for path, _ in self._files()) < 2 and not gone:
            return
        with claim(self._store.lease("index")) as mine:
            if not mine:
                return
            ended = [(path, found) for path, found in self._files() if self._ended(path)]
            latest = _folded(entry for _, found in ended for entry in found)
            for run, entry in latest.items():
                if run not in entries and not (run in gone and entry["state"] == "done"):
                    entries[run] = entry
            merged = self._folder / f"{secrets.token_hex(8)}.jsonl"
            write_text(merged, "".join(json.dumps(entry) + "\n" for entry in entries.values()))
            for path, _ in ended:
                path.unlink(missing_ok=True)

    def _ended(self, path: Path) -> bool:
        if "~" not in path.stem:
            return True  # a merged file
        return was_left(path.stem.rpartition("~")[0])


def entry_of(store: RunStore, run: str) -> Entry:
    """Returns the entry of a run in the store.

    Raises:
        RunDirectoryError: the run is damaged.
    """
    document = store.document(run)
    try:
        provenance, counters = document["provenance"], document["counters"]
        return {
            "run": run,
            "state": "done",
            "reason": "" if document["complete"] else str(document.get("reason") or ""),
            "complete": document["complete"],
            "kept": store.kept(run),
            "unpacked": store.is_unpacked(run),
            "bytes": _size(store.path(run)),
            "simulated_ns": document["simulated_ns"],
            "packets": counters["packets_delivered"],
            "packet_hops": counters["packet_hops"],
            "seconds": min(
                provenance["setup_seconds"] + provenance["wall_seconds"],
                provenance.get("cpu_seconds", inf),
            ),
            "peak_bytes": provenance["peak_rss_bytes"],
            "result_hash": document["result_hash"],
            "pantala": document["pantala"],
            "facts": _facts(store, run, document).to_dict(),
        }
    except (KeyError, TypeError) as error:
        raise RunDirectoryError(
            store.path(run), f"is damaged: {RUN_FILE} lacks {error}", "repeat pantala sweep"
        ) from None


def facts_of_entry(store: RunStore, entry: Entry) -> Facts:
    """Returns the facts of a run that is in the store.

    Raises:
        RunDirectoryError: the run is damaged.
    """
    known = entry.get("facts")
    if known is not None:
        return Facts.from_dict(known)
    return _facts(store, entry["run"], store.document(entry["run"]))


def _facts(store: RunStore, run: str, document: Mapping[str, Any]) -> Facts:
    """Reads the facts of a run; facts of jobs are missing if the table jobs was not kept."""
    path, file = store.path(run), TABLES["jobs"].file
    jobs = table_in_archive(path / TABLES_FILE, file)
    if jobs is None and (path / file).is_file():
        jobs = scanned_table(path / file, document).collect()
    return facts_of(document, jobs)


def failed_entry(run: str, reason: str) -> Entry:
    """Returns the entry of a run that failed."""
    return {"run": run, "state": "failed", "reason": one_line(reason)}


def _folded(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Returns one entry for each run, from entries in the order of their writing."""
    found: dict[str, Entry] = {}
    for entry in entries:
        # A later attempt may have succeeded; a stored run cannot fail.
        if found.get(entry["run"], entry)["state"] != "done" or entry["state"] == "done":
            found[entry["run"]] = entry
    return found


def _size(path: Path) -> int:
    try:
        return sum((path / name).stat().st_size for name in (RUN_FILE, TABLES_FILE))
    except FileNotFoundError:  # not packed
        return sum(file.stat().st_size for file in path.iterdir())


def _entries(lines: Sequence[str]) -> list[Entry]:
    """Returns the entries of lines that are whole.

    They are decoded together, so that equal keys are one string; a damaged file, line by line.
    """
    found: list[Any] = []
    with contextlib.suppress(ValueError):
        found = json.loads(f"[{','.join(lines)}]")
    if len(found) != len(lines):
        found = [_decoded(line) for line in lines]
    return [cast(Entry, each) for each in found if _is_entry(each)]


def _decoded(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _is_entry(found: Any) -> bool:
    return isinstance(found, dict) and "run" in found and "state" in found


def _age(path: Path) -> float:
    with contextlib.suppress(OSError):
        return path.stat().st_mtime
    return 0.0
