"""The work of one worker: simulate a run into the store. Any executor can call it."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pantala.core.extension import Threads
from pantala.core.plan import Plan
from pantala.errors import PantalaError, RunDirectoryError, UnwritableError
from pantala.store.identity import SWITCHES
from pantala.store.index import Entry, entry_of, failed_entry
from pantala.store.run_store import RunStore
from pantala.store.until_precise import UntilPrecise

__all__ = ["Task", "perform"]


@dataclass(frozen=True)
class Task:
    """One run to simulate: plain data, which any executor can send to any machine.

    Attributes:
        root: the directory of the store, which the worker must see.
        run: the run's identity.
        plan: its plan as JSON.
        keep: the tables to keep.
        threads: the number of threads of the simulation.
        until_precise: `UntilPrecise` as JSON; empty for a run of the plan's own duration.
    """

    root: str
    run: str
    plan: str
    keep: tuple[str, ...]
    threads: Threads = 1
    until_precise: str = ""


def perform(task: Task) -> Entry:
    """Simulates a run unless it is stored, and returns its entry in the index.

    The state is ``elsewhere`` if another process works on the run, and ``unwritable`` if the store
    cannot be written.
    """
    store = RunStore(Path(task.root))
    began = time.perf_counter(), time.process_time()
    plan, keep = _with_stored(store, task)
    simulated = False

    def simulate(directory: Path) -> None:
        nonlocal simulated
        simulated = True
        if task.until_precise:
            UntilPrecise.from_text(task.until_precise).run(Plan(plan), directory, task.threads)
        else:
            Plan(plan).run(directory, None, task.threads)

    try:
        if store.add(task.run, keep, simulate, plan["record"]) is None:
            return {"run": task.run, "state": "elsewhere"}
        entry = entry_of(store, task.run)
        if simulated:
            entry["seconds"] = min(time.perf_counter() - began[0], time.process_time() - began[1])
        return entry
    except UnwritableError as error:
        return {"run": task.run, "state": "unwritable", "reason": error.reason}
    except PantalaError as error:
        return failed_entry(task.run, str(error))
    except OSError as error:
        return {"run": task.run, "state": "unwritable", "reason": error.strerror or str(error)}
    except Exception as error:
        return failed_entry(task.run, f"{type(error).__name__}: {error}")


def _with_stored(store: RunStore, task: Task) -> tuple[dict[str, Any], Sequence[str] | None]:
    """Returns the plan and the tables to keep of a run, with the tables that are stored of it.

    So experiments of one directory that keep different tables do not take them from each other.
    """
    plan: dict[str, Any] = json.loads(task.plan)
    try:
        stored, before = store.kept(task.run), store.document(task.run)["plan"]["record"]
        for table, (key, _) in SWITCHES.items():
            if table in stored and table not in task.keep:
                plan["record"][key] = before[key]
        unpacked = store.is_unpacked(task.run)
    except (RunDirectoryError, KeyError, TypeError):  # not there, or damaged
        return plan, task.keep
    return plan, None if unpacked else tuple(dict.fromkeys([*task.keep, *stored]))
