"""The store of runs: each run under its identity, simulated once, whoever asks.

A directory of runs holds::

    runs/3f/3f2a...      one run: run.json and tables.zip with the kept tables as Parquet, or a
                         whole run directory with a file for each table
    partial/             runs in progress
    leases/              who works on which run
    index/, tables/      what the runs hold together; see `index` and `consolidate`

A run is written to ``partial`` and renamed to its place, so that a run is there completely or not
at all. Everything but ``runs`` can be rebuilt from it.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import time
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pantala.catalogue.tables import TABLES
from pantala.errors import RunDirectoryError
from pantala.files.input_archive import input_archive
from pantala.files.input_file import LARGE_TEXT, read_text
from pantala.files.run_directory import RUN_FILE, TABLES_FILE, cannot_write, check_place
from pantala.store.identity import covers
from pantala.store.lease import STALE_SECONDS, claim, is_stale, now_at
from pantala.system.process_marks import mark, this_machine, was_left
from pantala.system.system_errors import number_in, remedy_of

__all__ = ["RunStore"]

#: The time between two looks at a run that another process works on.
_LOOK_SECONDS = 1.0


class RunStore:
    """The runs of a directory.

    Attributes:
        root: the directory.
    """

    def __init__(self, root: Path, elsewhere: Mapping[str, Path] = MappingProxyType({})) -> None:
        """Opens the store of a directory; writes nothing.

        Args:
            root: the directory.
            elsewhere: the directories of runs that readers find outside the store, by identity.
        """
        self.root = root
        self._elsewhere = elsewhere
        self.runs = root / "runs"
        self._partial = root / "partial"
        self._leases = root / "leases"

    @property
    def folders(self) -> list[Path]:
        """The directories of the store, whether they exist or not."""
        return [self.runs, self._partial, self._leases]

    def exists(self) -> bool:
        """Returns whether the directory holds a store already."""
        return self.runs.is_dir() and (self._partial.is_dir() or self._leases.is_dir())

    def check(self) -> None:
        """Checks that the directory is free or a store.

        Raises:
            RunDirectoryError: it holds something else.
        """
        root = self.root
        check_place(root)
        if root.is_dir():
            if any(root.iterdir()) and not self.runs.is_dir():
                raise RunDirectoryError(
                    root, "is a directory with something else in it", "choose another --out"
                )
        elif root.exists() or root.is_symlink():
            raise RunDirectoryError(root, "is not a directory", "choose another --out")

    def begin(self) -> None:
        """Makes the directories of the store, and removes what killed processes have left.

        Raises:
            RunDirectoryError: the directory cannot be written.
        """
        try:
            for directory in self.folders:
                directory.mkdir(parents=True, exist_ok=True)
            self.clean()
        except OSError as error:
            raise cannot_write(self.root, error) from None

    def path(self, run: str) -> Path:
        """Returns the directory of a run, which may not exist."""
        return self._elsewhere.get(run) or self.runs / run[:2] / run

    def lease(self, run: str) -> Path:
        """Returns the path of the lease of a run."""
        return self._leases / run

    def stored(self) -> Iterator[str]:
        """Yields the identities of all runs in the store, in order.

        Other files are left alone, such as those that NFS and file managers make.
        """
        with contextlib.suppress(FileNotFoundError):
            for folder in sorted(self.runs.iterdir()):
                if folder.is_dir():
                    names = (run.name for run in folder.iterdir())
                    yield from sorted(name for name in names if name[:2] == folder.name)

    def has(
        self,
        run: str,
        keep: Collection[str] | None,
        record: Mapping[str, Any] | None = None,
    ) -> bool:
        """Returns whether a run is there with these tables, undamaged as far as a look can tell.

        Args:
            run: the identity.
            keep: the tables; None for the whole run directory.
            record: the record of the plan, whose tables a whole run directory must have.
        """
        try:
            if keep is None:
                return self._is_whole(run, record)
            return set(keep) <= set(self.kept(run))
        except RunDirectoryError:
            return False

    def kept(self, run: str) -> list[str]:
        """Returns the names of the tables of a run.

        Raises:
            RunDirectoryError: the run is missing or damaged.
        """
        path = self.path(run)
        try:
            if self.is_unpacked(run):
                return [name for name, table in TABLES.items() if (path / table.file).is_file()]
            with input_archive(path / TABLES_FILE) as packed:
                names = packed.namelist()
            if (path / RUN_FILE).stat().st_size:
                return [name.removesuffix(".parquet") for name in names]
            reason = f"{RUN_FILE} is empty"
        except (OSError, zipfile.BadZipFile) as error:
            reason = str(error)
        raise RunDirectoryError(path, f"is damaged: {reason}", "repeat pantala sweep") from None

    def is_unpacked(self, run: str) -> bool:
        """Returns whether a run has a file for each table."""
        path = self.path(run)
        return not (path / TABLES_FILE).is_file() and (path / TABLES["jobs"].file).is_file()

    def document(self, run: str) -> dict[str, Any]:
        """Returns run.json of a run.

        Raises:
            RunDirectoryError: it is missing or damaged.
        """
        path = self.path(run)
        try:
            document: dict[str, Any] = json.loads(read_text(path / RUN_FILE, most=LARGE_TEXT))
        except (OSError, ValueError) as error:
            raise RunDirectoryError(
                path, f"is damaged: {RUN_FILE}: {error}", "repeat pantala sweep"
            ) from None
        return document

    def add(
        self,
        run: str,
        keep: Sequence[str] | None,
        simulate: Callable[[Path], object],
        record: Mapping[str, Any] | None = None,
    ) -> dict[str, Any] | None:
        """Simulates a run unless it is there, or another process works on it.

        Args:
            run: the identity.
            keep: the tables to keep; None keeps the run directory as it was written.
            simulate: writes the run into an empty directory.
            record: the record of the plan; see `has`.

        Returns:
            run.json; None if another process works on the run.

        Raises:
            SimulationError: the run failed; nothing is stored.
            OSError: the run cannot be written; nothing is stored.
        """
        if self.has(run, keep, record):
            return self.document(run)
        with claim(self.lease(run)) as mine:
            if not mine:
                return None
            if self.has(run, keep, record):  # stored between the look and the claim
                return self.document(run)
            partial = self._partial / self._name(run)
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            try:
                simulate(partial)
                if keep is not None:
                    _pack(partial, keep)
                self._publish(partial, run, keep, record)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
            return self.document(run)

    def obtain(
        self,
        run: str,
        keep: Sequence[str] | None,
        simulate: Callable[[Path], object],
        waiting: Callable[[], None] = lambda: None,
        record: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Returns run.json of a run; simulates it, or waits until another process has done so.

        Args:
            run: the identity.
            keep: the tables to keep; None keeps the run directory as it was written.
            simulate: writes the run into an empty directory.
            waiting: called about every second while another process works; may raise.
            record: the record of the plan; see `has`.

        Raises:
            SimulationError: the run failed; nothing is stored.
            RunDirectoryError: the run cannot be written; nothing is stored.
        """
        if self.has(run, keep, record):
            try:
                return self.document(run)
            except RunDirectoryError:
                self.remove(run)
        while True:
            try:
                document = self.add(run, keep, simulate, record)
            except OSError as error:
                raise unwritable(self.root, error.strerror or str(error)) from None
            if document is not None:
                return document
            waiting()
            time.sleep(_LOOK_SECONDS)

    def remove(self, run: str) -> None:
        """Removes a run."""
        aside = self._partial / self._name(run, "-old")
        with contextlib.suppress(OSError):
            self.path(run).rename(aside)
        shutil.rmtree(aside, ignore_errors=True)

    def _is_whole(self, run: str, record: Mapping[str, Any] | None) -> bool:
        """Returns whether a run has the file of each table that it recorded, and those of a record.

        Raises:
            RunDirectoryError: it is missing or damaged.
        """
        if not self.is_unpacked(run):
            return False
        document = self.document(run)
        if record is not None and not covers(document["plan"]["record"], record):
            return False
        recorded = document.get("tables", {})
        path = self.path(run)
        return all((path / TABLES[name].file).is_file() for name, rows in recorded.items() if rows)

    def _publish(
        self,
        partial: Path,
        run: str,
        keep: Collection[str] | None,
        record: Mapping[str, Any] | None,
    ) -> None:
        place = self.path(run)
        place.parent.mkdir(exist_ok=True)
        if place.exists():  # damaged, or without some table
            self.remove(run)
        try:
            partial.rename(place)
        except OSError:
            if not self.has(run, keep, record):  # another process has not stored it meanwhile
                raise

    @staticmethod
    def _name(run: str, suffix: str = "") -> str:
        """Returns a name below `partial` that says whose it is."""
        return f"{run}{suffix}~{mark()}"

    def clean(self) -> None:
        """Removes partial runs and leases of processes that have ended."""
        now = now_at(self._partial)
        for left in self._partial.iterdir():
            run, _, owner = left.name.partition("~")
            if owner.rpartition("~")[0] == this_machine():
                ended = was_left(owner)
            else:  # a long simulation can write nothing for hours, but its lease has heartbeats
                quiet = now - _newest(left) > 10 * STALE_SECONDS
                ended = quiet and is_stale(self.lease(run.removesuffix("-old")), now)
            if ended:
                shutil.rmtree(left, ignore_errors=True)
        for lease in self._leases.iterdir():
            # A lease with a name of its own is left from a takeover.
            if is_stale(lease, now):
                with contextlib.suppress(OSError):
                    lease.unlink()


def unwritable(root: Path, reason: str) -> RunDirectoryError:
    """Returns the error of a store that cannot be written.

    Args:
        root: the directory of the store.
        reason: the reason that the operating system gives.
    """
    remedy = remedy_of(number_in(reason), elsewhere=False) or "make the directory writable"
    return RunDirectoryError(
        root,
        f"cannot be written: {reason}",
        f"finished runs are kept; {remedy} and give the same command again",
    )


def _newest(directory: Path) -> float:
    """Returns the time of the last change in a directory; 0 if it vanished."""
    try:
        return max(path.stat().st_mtime for path in (directory, *directory.iterdir()))
    except OSError:
        return 0.0


def _pack(directory: Path, keep: Sequence[str]) -> None:
    """Packs the kept tables of a run directory into one file, and removes the others.

    Parquet is compressed already, so the pack is not.
    """
    with zipfile.ZipFile(directory / TABLES_FILE, "w", zipfile.ZIP_STORED) as packed:
        for table in keep:
            file = directory / TABLES[table].file
            if file.is_file():
                packed.write(file, file.name)
    for path in directory.iterdir():
        if path.name not in (RUN_FILE, TABLES_FILE):
            path.unlink()
