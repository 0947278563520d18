"""One session of a sweep: gives the missing runs to workers and notes their ends."""

from __future__ import annotations

import contextlib
import json
import time
from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass

from pantala.core.extension import Threads
from pantala.errors import ExecutorError, PantalaError, first_line
from pantala.experiments.listing import Listing
from pantala.store.consolidate import Segments
from pantala.store.index import Entry, Index, entry_of, failed_entry
from pantala.store.lease import holder, is_stale, now_at
from pantala.store.run_store import RunStore, unwritable
from pantala.store.worker import Task, perform
from pantala.system.parallel import LocalWorkers, WorkerDied, died_of, some_done

__all__ = ["Progress", "Session"]

#: Runs between two consolidations of their tables.
_CONSOLIDATED_AT_ONCE = 200
#: The number of workers that one run may kill before it counts as failed.
_DEATHS = 3
#: The time between two looks at runs that other processes work on.
_LOOK_SECONDS = 1.0
#: Runs in an executor of the caller that does not say how many it takes.
_WINDOW = 256


@dataclass
class Progress:
    """The state of a sweep.

    Attributes:
        total: the runs of the experiment.
        there: the runs that were stored before, or by other processes meanwhile.
        done: the runs that this sweep finished.
        failed: the runs that failed, now or before.
        elsewhere: the runs that other processes work on.
        waits: for whom the sweep waits if it has nothing else to do: a run, and who works on it.
    """

    total: int = 0
    there: int = 0
    done: int = 0
    failed: int = 0
    elsewhere: int = 0
    waits: str = ""


@dataclass
class _Work:
    """A run that is missing: its first case and part, and the workers that it has killed."""

    run: str
    case: int
    part: str
    deaths: int = 0


class Session:
    """The runs that are missing, in workers, or with other processes.

    Args:
        store: the store.
        listing: the runs of the experiment.
        entries: the index, which the session keeps up to date.
        index: the writer of the index.
        settled: whether a run needs no simulation.
        threads: the number of threads of each simulation.
        on_progress: called when runs have ended.
    """

    def __init__(
        self,
        store: RunStore,
        listing: Listing,
        entries: dict[str, Entry],
        index: Index,
        settled: Callable[[str], bool],
        threads: Threads,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self._store = store
        self._listing = listing
        self._keep = listing.expansion.description.keep
        until = listing.expansion.description.until_precise
        self._until = "" if until is None else until.text()
        self._entries = entries
        self._index = index
        self._settled = settled
        self._threads = threads
        self._on_progress = on_progress
        self._listed: set[str] = set()
        self._queue: deque[_Work] = deque()
        self._running: dict[Future[Entry], _Work] = {}
        self._elsewhere: deque[_Work] = deque()
        self._fresh = 0
        self.progress = Progress()

    def run(self, executor: Executor, done: int = 0) -> None:
        """Simulates all missing runs.

        Args:
            executor: what simulates them.
            done: the runs of the listing that an earlier session of this sweep finished.

        Raises:
            RunDirectoryError: the store cannot be written.
        """
        self._enqueue()
        runs = self._listing.runs
        failed = sum(self._settled(run) and self._entries[run]["state"] == "failed" for run in runs)
        there = len(runs) - len(self._queue) - failed - done
        self.progress = Progress(self._listing.count, there=there, done=done, failed=failed)
        self._on_progress(self.progress)
        if self._queue:
            self._work(executor, getattr(executor, "window", _WINDOW))

    def _work(self, pool: Executor, window: int) -> None:
        try:
            while self._queue or self._running or self._elsewhere:
                while self._queue and len(self._running) < window:
                    self._submit(self._queue.popleft(), pool)
                if self._running:
                    done, _ = some_done(self._running)
                    self._collect(done, pool)
                else:
                    time.sleep(_LOOK_SECONDS)
                self._look_elsewhere()
        except BaseException:
            # Runs that ended meanwhile are in the store; the index shall know them.
            with contextlib.suppress(OSError):
                for future in self._running:
                    if future.done() and not future.cancelled() and not future.exception():
                        self._note(future.result())
            for future in self._running:
                with contextlib.suppress(NotImplementedError):  # futures of Parsl
                    future.cancel()
            raise

    def _submit(self, work: _Work, pool: Executor) -> None:
        task = self._task(work)
        try:
            future = pool.submit(perform, task)
        except BrokenExecutor as error:
            if not isinstance(pool, LocalWorkers):
                raise _fault_of(error) from error
            self._renew(pool)
            future = pool.submit(perform, task)
        except RuntimeError as error:  # it has been shut down
            raise _fault_of(error) from error
        self._running[future] = work

    def _enqueue(self) -> None:
        for run, case, part in self._listing.first_places():
            if run not in self._listed and not self._settled(run):
                self._listed.add(run)
                self._queue.append(_Work(run, case, part))

    def _task(self, work: _Work) -> Task:
        plan = json.dumps(self._listing.plan(work.case, work.part, self._entries).document)
        root = str(self._store.root.absolute())
        return Task(root, work.run, plan, self._keep, self._threads, self._until)

    def _collect(self, done: Collection[Future[Entry]], pool: Executor) -> None:
        if not done:
            return
        for future in done:
            try:
                entry = future.result()
            except BrokenExecutor as error:
                if not isinstance(pool, LocalWorkers):
                    raise _fault_of(error) from error
                self._renew(pool)
                break
            except Exception as error:
                death = died_of(error)
                if death is None:
                    raise _fault_of(error) from error
                self._take_up(self._running.pop(future), death)
                continue
            if entry["state"] == "unwritable":
                raise unwritable(self._store.root, entry["reason"])
            work = self._running.pop(future)
            if entry["state"] == "elsewhere":
                self._elsewhere.append(work)
            else:
                self._note(entry)
        if self._listing.settle(self._entries):
            self._enqueue()
        self.progress.elsewhere = len(self._elsewhere)
        self._on_progress(self.progress)
        if self._fresh >= _CONSOLIDATED_AT_ONCE:
            self._fresh = 0
            Segments(self._store).update(self._entries)

    def _note(self, entry: Entry) -> None:
        if entry["state"] not in ("done", "failed"):
            return
        self._entries[entry["run"]] = entry
        self._index.append(entry)
        self._fresh += 1
        if entry["state"] == "failed":
            self.progress.failed += 1
        else:
            self.progress.done += 1

    def _look_elsewhere(self) -> None:
        """Finds the runs that other processes have finished, and takes up those they have left."""
        if not self._elsewhere:
            return
        now = now_at(self._store.root / "leases")
        others: dict[str, Entry] | None = None
        for _ in range(len(self._elsewhere)):
            work = self._elsewhere.popleft()
            if self._store.has(work.run, self._keep):
                self._entries[work.run] = entry_of(self._store, work.run)
                self.progress.there += 1
            elif not is_stale(self._store.lease(work.run), now):
                self._elsewhere.append(work)
            else:
                others = self._index.read() if others is None else others
                entry = others.get(work.run)
                if entry is not None and entry["state"] == "failed":
                    self._entries[work.run] = entry
                    self.progress.failed += 1
                else:
                    self._queue.append(work)
        if self._listing.settle(self._entries):
            self._enqueue()
        waits = self._waits()
        if (len(self._elsewhere), waits) != (self.progress.elsewhere, self.progress.waits):
            self.progress.elsewhere, self.progress.waits = len(self._elsewhere), waits
            self._on_progress(self.progress)

    def _waits(self) -> str:
        """Returns for whom the sweep waits, in words; empty while it has runs of its own."""
        if self._running or self._queue or not self._elsewhere:
            return ""
        run = self._elsewhere[0].run
        text = holder(self._store.lease(run))
        return f"run {run} ({text})" if text else f"run {run}"

    def _take_up(self, work: _Work, death: WorkerDied) -> None:
        """Gives the run of a worker that ended to another, unless it has ended several."""
        work.deaths += death.at_work
        if death.final:
            self._note(failed_entry(work.run, death.reason))
        elif work.deaths < _DEATHS:
            self._queue.appendleft(work)
        else:
            self._note(failed_entry(work.run, f"{death.reason}, {_DEATHS} times"))

    def _renew(self, pool: LocalWorkers) -> None:
        """Starts new workers after one was killed, and takes up the runs in progress."""
        pool.renew()
        now = now_at(self._store.root / "leases")
        for work in reversed(self._running.values()):
            lease = self._store.lease(work.run)
            if lease.exists() and is_stale(lease, now):
                work.deaths += 1
            if work.deaths < _DEATHS:
                self._queue.appendleft(work)
            else:
                reason = f"its process was killed {_DEATHS} times; it may need more memory"
                self._note(failed_entry(work.run, reason))
        self._running.clear()


def _fault_of(error: BaseException) -> PantalaError:
    """Returns the fault of an executor that cannot go on. `perform` itself raises nothing."""
    if isinstance(error, PantalaError):
        return error
    reason = first_line(error)
    return ExecutorError(
        f"the executor stopped: {type(error).__name__}{f': {reason}' if reason else ''}; finished"
        " runs are kept, and the same command continues"
    )
