"""The status of runs that no sweep lists: an interference experiment, a curve, a table.

An interference experiment says in its directory what it is. A curve, a table of a paper and a sweep
that has changed leave runs only: the number of their runs is not known here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pantala.caveats import Absent, caveats_of
from pantala.errors import RunDirectoryError
from pantala.files.run_directory import INTERFERENCE_FILE, RUN_FILE
from pantala.files.run_files import document_of, why_failed
from pantala.store.index import Entry, Index, entry_of, facts_of_entry
from pantala.store.lease import live_leases
from pantala.store.run_store import RunStore

__all__ = ["stored_status"]


def stored_status(
    path: Path, listed: Collection[str] = (), unknown: int = 0
) -> list[dict[str, Any]]:
    """Returns the status of what a directory holds beside the runs that sweeps list.

    Args:
        path: the directory.
        listed: the runs that the sweeps of the directory list.
        unknown: how many runs of these sweeps have no identity yet. As many stored runs that are
            not listed may be theirs.

    Returns:
        One object with the keys of `pantala.experiments.status.status_of` for an interference
        experiment, and one for the runs that nothing lists. ``runs`` and ``missing`` are None if
        their number is not known.

    Raises:
        RunDirectoryError: interference.json is damaged.
    """
    found = []
    claimed = set(listed)
    if (path / INTERFERENCE_FILE).exists():
        document = document_of(path, INTERFERENCE_FILE)
        found.append(_of_interference(path, document))
        claimed |= {part["run"] for part in document.get("parts", ()) if "run" in part}
    store = RunStore(path)
    if not store.exists():
        return found
    others = [run for run in store.stored() if run not in claimed]
    running = [run for run in live_leases(path / "leases") if run not in claimed]
    if len(others) > unknown or not (found or listed or unknown):
        name = path.absolute().name
        found.append(_told(store, "runs", name, _entries(store, others), len(running)))
    return found


def _of_interference(path: Path, document: Mapping[str, Any]) -> dict[str, Any]:
    titles = {part["run"]: part["part"] for part in document.get("parts", ()) if "run" in part}
    failures = list(_failures(path, document))
    failed = {row["part"] for row in failures}
    missing = [part["part"] for part in document.get("missing", ()) if part["part"] not in failed]
    running = min(len(live_leases(path / "leases")), len(missing))
    name = str(document.get("name", path.name))
    store = RunStore(path)
    entry = _told(
        store,
        "interference",
        name,
        _entries(store, titles),
        running,
        Absent(failed=len(failures), missing=len(missing)),
        titles,
    )
    return entry | {
        "runs": entry["done"] + len(missing) + len(failures),
        "failed": len(failures),
        "failures": failures,
        "missing": len(missing) - running,
        "parts_missing": missing,
    }


def _failures(path: Path, document: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Yields the parts of an interference experiment that failed, each with the reason."""
    for part in document.get("parts", ()):
        with contextlib.suppress(RunDirectoryError):
            why = why_failed(document_of(path / part["directory"], RUN_FILE))
            if why is not None:
                yield {"part": part["part"], "reason": why}


def _entries(store: RunStore, runs: Iterable[str]) -> list[Entry]:
    """Returns the entries of runs; a run that the index does not know is read."""
    known = Index(store).read()
    found = []
    for run in dict.fromkeys(runs):
        try:
            entry = known.get(run)
            found.append(entry_of(store, run) if entry is None else entry)
        except RunDirectoryError:
            continue
    return [entry for entry in found if entry["state"] == "done"]


def _told(
    store: RunStore,
    kind: str,
    name: str,
    entries: list[Entry],
    running: int,
    absent: Absent | None = None,
    titles: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    shown = titles or {}
    facts = {
        shown.get(entry["run"], entry["run"]): facts_of_entry(store, entry) for entry in entries
    }
    absent = absent or Absent()
    absent = replace(absent, runs=len(entries) + absent.missing + absent.failed)
    caveats = caveats_of(facts, absent=absent, ask_for_seeds=kind == "interference")
    return {
        "kind": kind,
        "name": name,
        "directory": str(store.root),
        "axes": {},
        "crossed": [],
        "cases": None,
        "refused": 0,
        "runs": None,
        "done": len(entries),
        "failed": 0,
        "running": running,
        "missing": None,
        "incomplete": sum(not entry["complete"] for entry in entries),
        "seconds": sum(entry["seconds"] for entry in entries),
        "bytes": sum(entry["bytes"] for entry in entries),
        "failures": [],
        "refused_cases": [],
        "caveats": [caveat.to_dict() for caveat in caveats],
    }
