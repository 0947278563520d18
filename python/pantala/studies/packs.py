"""Packs: the finished runs of a study in compact files, to commit or to carry to another machine.

A pack is a zip archive without compression: ``pack.json`` says which study and which runs it has,
``documents.parquet`` has run.json of each run, and each kept table is a file with the rows of all
runs and the column ``run``, in the forms of `packed_columns`. Rows of many runs in one file take a
fifth to two fifths of what they take run by run. A pack is never changed: what is new goes into
another pack of the same folder.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from pantala.catalogue.tables import TABLES
from pantala.core.extension import core
from pantala.errors import RunDirectoryError
from pantala.files.atomic_file import atomic_file, write_table, write_text
from pantala.files.input_archive import input_archive
from pantala.files.input_file import Unreadable
from pantala.files.run_directory import RUN_FILE
from pantala.files.table_errors import UNREADABLE
from pantala.store.consolidate import table_of_run
from pantala.store.run_store import RunStore
from pantala.studies.campaign import Campaign
from pantala.studies.packed_columns import decoded, encoded, parquet
from pantala.text.amounts import counted

__all__ = ["Counts", "pack", "unpack"]

#: Packs of form 1 have the columns of the tables as they are.
_FORMAT = 2
_SUFFIX = ".zip"
_MARK = "pack.json"
_DOCUMENTS = "documents.parquet"
_HEX_DIGITS = 12
_ELSEWHERE = "remove it, or name another folder"


@dataclass
class Counts:
    """What packing or unpacking did.

    Attributes:
        moved: the runs that were written.
        there: the runs that the target had already.
        foreign: the runs of packs that the study does not ask for: those of another version of
            Pantala or of the study.
        files: the packs that were written or replaced.
    """

    moved: int = 0
    there: int = 0
    foreign: int = 0
    files: list[Path] = field(default_factory=list)


def pack(campaign: Campaign, folder: Path, *, rewrite: bool = False) -> Counts:
    """Writes the finished runs of a study that a folder of packs lacks into a new pack.

    Args:
        campaign: the study.
        folder: the folder of its packs; it is made if it does not exist.
        rewrite: whether to write all finished runs of the study into one pack, and to remove the
            others, with runs that the study does not ask for any more.

    Raises:
        RunDirectoryError: a pack is damaged, of another study or of a newer version; a run is
            damaged; a pack that `rewrite` would remove has a run of the study that the directory
            lacks; or the folder cannot be written.
    """
    packs = list(_packs(campaign, folder))
    held: dict[str, set[str]] = {}  # a run can lie in several packs
    for each in packs:
        for run, tables in each.runs.items():
            held.setdefault(run, set()).update(tables)
    wanted = _wanted(campaign)
    counts = Counts(foreign=len(held.keys() - wanted.keys()))
    done: dict[str, tuple[RunStore, Sequence[str]]] = {}
    for run, (store, keep) in wanted.items():
        if not store.has(run, keep):
            continue
        if not rewrite and set(keep) <= held.get(run, set()):
            counts.there += 1
        else:
            done[run] = store, keep
    if rewrite:
        _check_nothing_is_lost(campaign, folder, held, wanted, done)
    if done:
        counts.moved = len(done)
        counts.files.append(_write(campaign, folder, done))
    if rewrite and done:
        for each in packs:
            if each.path not in counts.files:
                each.path.unlink()
    return counts


def _check_nothing_is_lost(
    campaign: Campaign,
    folder: Path,
    held: Mapping[str, set[str]],
    wanted: Mapping[str, tuple[RunStore, Sequence[str]]],
    done: Collection[str],
) -> None:
    """Checks that the directory has all runs of packs for which the study asks."""
    lost = [
        run
        for run, (_, keep) in wanted.items()
        if run not in done and held.get(run, set()) >= {*keep}
    ]
    if lost:
        raise RunDirectoryError(
            folder,
            f"its packs have {counted(len(lost), 'run')} of the study that {campaign.root} lacks,"
            " and --rewrite would remove them",
            "first add them to it with pantala study unpack, or leave out --rewrite",
        )


def unpack(campaign: Campaign, folder: Path) -> Counts:
    """Adds the runs of packs to the directory of a study, in which they count as finished.

    Args:
        campaign: the study.
        folder: the folder of its packs.

    Raises:
        RunDirectoryError: there is no pack; a pack is damaged, of another study or of a newer
            version; or the directory cannot be written.
    """
    packs = list(_packs(campaign, folder))
    if not packs:
        raise RunDirectoryError(folder, "holds no pack of a study", "name the folder of the packs")
    counts = Counts()
    wanted = _wanted(campaign)
    left: dict[str, _Pack] = {}
    for each in packs:
        for run in each.runs:
            keep = wanted[run][1] if run in wanted else ()
            if run not in left or each.tables_of(run, keep) > left[run].tables_of(run, keep):
                left[run] = each
    moved: set[str] = set()
    there: set[str] = set()
    for name in campaign.sweeps:
        taken, found = campaign.adopt(name, left, lambda run, into: left[run].write_run(run, into))
        there |= found - moved  # not those that an experiment before this one took
        moved |= taken
    counts.moved, counts.there = len(moved), len(there)
    counts.foreign = len(left.keys() - wanted.keys())
    return counts


def _wanted(campaign: Campaign) -> dict[str, tuple[RunStore, Sequence[str]]]:
    """Returns the runs that the study asks for, each with its store and the tables to keep."""
    found: dict[str, tuple[RunStore, list[str]]] = {}
    for sweep in campaign.sweeps.values():
        for run in sweep.listing.runs:
            _, keep = found.setdefault(run, (sweep.store, []))
            keep += [table for table in sweep.description.keep if table not in keep]
    return dict(found)


class _Pack:
    """A pack that is there; its tables are read when they are asked for."""

    def __init__(self, campaign: Campaign, path: Path) -> None:
        self.path = path
        try:
            with input_archive(path) as archive:
                mark = json.loads(archive.read(_MARK))
            study, quick, form = mark["study"], mark["quick"], int(mark["format"])
            self.runs: dict[str, list[str]] = {
                run: [*tables] for run, tables in mark["runs"].items()
            }
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            zipfile.BadZipFile,
        ) as error:
            raise self._damaged(error) from None
        if form > _FORMAT:
            newer = f"is a pack in a form of a newer Pantala ({mark.get('pantala')})"
            raise RunDirectoryError(path, newer, "update Pantala, or name another folder")
        if (study, quick) != (campaign.study.name, campaign.quick):
            version = "the quick version" if quick else "the full version"
            raise RunDirectoryError(path, f"is of {version} of the study {study}", _ELSEWHERE)
        self._form: int = form
        #: The forms of columns by table, in packs after form 1.
        self._forms: Any = mark.get("forms")
        self._read: tuple[dict[str, str], dict[str, dict[str, pl.DataFrame]]] | None = None

    def tables_of(self, run: str, keep: Collection[str]) -> int:
        """Returns how many of some tables the pack has of a run."""
        return len({*keep} & {*self.runs[run]})

    def write_run(self, run: str, into: Path) -> None:
        """Writes run.json and the tables of a run into a directory."""
        if self._read is None:
            self._read = self._tables()
        documents, tables = self._read
        for name in self.runs[run]:
            write_table(into / TABLES[name].file, tables[name][run])
        write_text(into / RUN_FILE, documents[run])

    def _tables(self) -> tuple[dict[str, str], dict[str, dict[str, pl.DataFrame]]]:
        """Returns run.json by run, and the tables by name and run; checks their rows."""
        try:
            with input_archive(self.path) as archive:
                documents = dict(_frame(archive, _DOCUMENTS).select("run", "document").iter_rows())
                facts = {run: json.loads(documents[run]) for run in self.runs}
                times = _times(facts)
                tables = {}
                for name in sorted({name for names in self.runs.values() for name in names}):
                    whole = _frame(archive, TABLES[name].file)
                    if self._form > 1:
                        whole = decoded(whole, self._forms[name], times)
                    runs = [run for run, names in self.runs.items() if name in names]
                    tables[name] = _by_run(whole, runs)
                    for run in runs:
                        if tables[name][run].height != facts[run]["tables"][name]:
                            raise ValueError(f"table {name} of run {run} has other rows")
        except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
            raise self._damaged(error) from None
        except UNREADABLE as error:
            raise self._damaged(error) from None
        return documents, tables

    def _damaged(self, error: Exception) -> RunDirectoryError:
        if isinstance(error, Unreadable):
            return RunDirectoryError(self.path, str(error.strerror), _ELSEWHERE)
        return RunDirectoryError(self.path, f"is damaged: {error}", _ELSEWHERE)


def _packs(campaign: Campaign, folder: Path) -> Iterator[_Pack]:
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        yield _Pack(campaign, path)


def _frame(archive: zipfile.ZipFile, name: str) -> pl.DataFrame:
    return pl.read_parquet(io.BytesIO(archive.read(name)))


def _by_run(whole: pl.DataFrame, runs: Iterable[str]) -> dict[str, pl.DataFrame]:
    """Returns the rows of each run without the column ``run``; none if it has no rows."""
    parts = whole.partition_by("run", as_dict=True, include_key=False)
    none = whole.drop("run").clear()
    return {run: parts.get((run,), none) for run in runs}


def _write(
    campaign: Campaign, folder: Path, done: Mapping[str, tuple[RunStore, Sequence[str]]]
) -> Path:
    """Writes a pack. Equal runs give a pack of the same name."""
    digest = hashlib.sha256()
    documents, runs = dict[str, dict[str, Any]](), {}
    tables: dict[str, list[pl.DataFrame]] = {}
    for run, (store, keep) in sorted(done.items()):
        document: dict[str, Any] = store.document(run)
        document.pop("table_crc32", None)  # of files that the pack does not keep
        documents[run] = document
        digest.update(f"{run}{document['result_hash']}{sorted(keep)}".encode())
        runs[run] = list(keep)
        for name in keep:
            tables.setdefault(name, []).append(table_of_run(store, run, name))
    path = folder / f"{digest.hexdigest()[:_HEX_DIGITS]}{_SUFFIX}"
    times, forms = _times(documents), {}
    frames = {}
    for name, each in tables.items():
        frames[TABLES[name].file], forms[name] = encoded(pl.concat(each), times)
    texts = [(run, json.dumps(document)) for run, document in documents.items()]
    frames[_DOCUMENTS] = pl.DataFrame(texts, schema=["run", "document"], orient="row")
    mark = {
        "study": campaign.study.name,
        "quick": campaign.quick,
        "format": _FORMAT,
        "pantala": core().VERSION,
        "runs": runs,
        "forms": forms,
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as half, zipfile.ZipFile(half, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr(_info(_MARK), json.dumps(mark, indent=1))
            for name, frame in frames.items():
                archive.writestr(_info(name), parquet(frame))
    except OSError as error:
        reason = f"cannot be written: {error.strerror or error}"
        raise RunDirectoryError(folder, reason, "choose another folder") from None
    return path


def _times(documents: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Returns the simulated time of each run, in ns, from its run.json."""
    return {run: document["simulated_ns"] for run, document in documents.items()}


def _info(name: str) -> zipfile.ZipInfo:
    """Returns a name in an archive, without the time, so that equal runs give equal packs."""
    return zipfile.ZipInfo(name)
