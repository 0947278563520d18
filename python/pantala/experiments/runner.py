"""`sweep`: simulates the missing runs of an experiment."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pantala import native
from pantala.errors import RunDirectoryError, UsageError
from pantala.experiments.consolidate import Segments
from pantala.experiments.description import Description, describe
from pantala.experiments.index import Entry, Index, failed_entry
from pantala.experiments.lease import is_stale, now_at
from pantala.experiments.listing import Listing, list_runs
from pantala.experiments.store import RunStore
from pantala.experiments.worker import Task, perform
from pantala.parallel import LocalWorkers, cores
from pantala.scenario import Scenario

__all__ = ["Progress", "Sweep", "sweep"]

#: Runs between two consolidations of their tables.
_CONSOLIDATED_AT_ONCE = 200
#: The number of workers that one run may kill before it counts as failed.
_DEATHS = 3
#: The time between two looks at runs that other processes work on.
_LOOK_SECONDS = 1.0


@dataclass
class Progress:
    """The state of a sweep.

    Attributes:
        total: the runs of the experiment.
        there: the runs that were stored before.
        done: the runs that this sweep finished.
        failed: the runs that failed, now or before.
        elsewhere: the runs that other processes work on.
    """

    total: int = 0
    there: int = 0
    done: int = 0
    failed: int = 0
    elsewhere: int = 0


@dataclass
class _Work:
    """A run that is missing: its first case and part, and the workers that it has killed."""

    run: str
    case: int
    part: str
    deaths: int = 0


class Sweep:
    """The runs of an experiment in a directory: list them, then `run` the missing ones.

    Attributes:
        listing: the runs of the experiment.
        entries: the index of the store.
        missing: the runs that `run` will simulate, as far as they are known.
    """

    def __init__(self, description: Description, root: Path, *, retry: bool = False) -> None:
        """Lists the runs; writes nothing.

        Args:
            description: the experiment.
            root: its directory.
            retry: whether to simulate failed runs again.

        Raises:
            ScenarioError: a case cannot be run.
            RunDirectoryError: the directory holds something else.
        """
        check_directory(root)
        self.description = description
        self.root = root
        self.store = RunStore(root)
        self._index = Index(self.store)
        self._retry = retry
        self.entries = self._index.read()
        self.listing: Listing = list_runs(description, root, self.entries)

    @property
    def missing(self) -> list[str]:
        """The known runs that are neither stored with the kept tables nor failed."""
        return [run for run in self.listing.runs if not self._settled(run)]

    @property
    def failed(self) -> list[Entry]:
        """The entries of the failed runs."""
        found = (self.entries.get(run) for run in self.listing.runs)
        return [entry for entry in found if entry is not None and entry["state"] == "failed"]

    def run(
        self,
        *,
        workers: int | None = None,
        threads: native.Threads = 1,
        executor: Executor | None = None,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> Progress:
        """Simulates the missing runs.

        Args:
            workers: the number of processes; one per core if not given.
            threads: the number of threads of each simulation.
            executor: any executor of `concurrent.futures` whose workers see the directory, in place
                of local processes.
            on_progress: called after each run.

        Raises:
            RunDirectoryError: the directory cannot be written. Finished runs are kept.
            KeyboardInterrupt: Ctrl-C. Finished runs are kept.
        """
        self.store.begin()
        try:
            self.entries = self._index.refresh()
            self.listing.settle(self.entries)
            self.listing.write(self.root)
            progress = self._simulate(workers or cores(), threads, executor, on_progress)
            self.listing.write(self.root)
            Segments(self.store).update(self.entries, tidy=True)
        except OSError as error:
            if isinstance(error, RunDirectoryError):
                raise
            raise self._unwritable(error.strerror or str(error)) from None
        finally:
            self._index.close()
        return progress

    def _settled(self, run: str) -> bool:
        entry = self.entries.get(run)
        if entry is None:
            return False
        if entry["state"] == "failed":
            return not self._retry
        return set(self.description.keep) <= set(entry["kept"])

    def _simulate(
        self,
        workers: int,
        threads: native.Threads,
        executor: Executor | None,
        on_progress: Callable[[Progress], None],
    ) -> Progress:
        queue = deque(self._work(set()))
        listed = {work.run for work in queue}
        progress = Progress(total=self.listing.count, failed=len(self.failed) * (not self._retry))
        progress.there = len(self.listing.runs) - len(queue) - progress.failed
        on_progress(progress)
        elsewhere: deque[_Work] = deque()
        running: dict[Future[Entry], _Work] = {}
        fresh = 0
        with ExitStack() as stack:
            # An executor of the caller has an unknown number of workers.
            window = 256 if executor else 4 * workers
            pool = executor
            local: LocalWorkers | None = None
            while queue or running or elsewhere:
                if pool is None and queue:
                    local = stack.enter_context(LocalWorkers(min(workers, len(queue))))
                    pool = local
                while pool is not None and queue and len(running) < window:
                    work = queue.popleft()
                    running[pool.submit(perform, self._task(work, threads))] = work
                if running:
                    done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                else:
                    # Only runs that other processes work on are left.
                    done = set()
                    time.sleep(_LOOK_SECONDS)
                for future in done:
                    work = running.pop(future)
                    try:
                        entry = future.result()
                    except BrokenExecutor:
                        if local is None:
                            raise
                        killed = [work, *running.values()]
                        running.clear()
                        local.renew()
                        for each in self._after_deaths(killed, progress):
                            queue.appendleft(each)
                        break
                    except Exception as error:
                        entry = failed_entry(work.run, f"{type(error).__name__}: {error}")
                    match entry["state"]:
                        case "elsewhere":
                            elsewhere.append(work)
                        case "unwritable":
                            raise self._unwritable(entry["reason"])
                        case _:
                            self._note(entry, progress)
                            fresh += 1
                if elsewhere:
                    queue.extend(self._released(elsewhere, progress))
                progress.elsewhere = len(elsewhere)
                for work in self._work(listed) if self.listing.settle(self.entries) else ():
                    listed.add(work.run)
                    queue.append(work)
                if done:
                    on_progress(progress)
                if fresh >= _CONSOLIDATED_AT_ONCE:
                    fresh = 0
                    Segments(self.store).update(self.entries)
        on_progress(progress)
        return progress

    def _work(self, listed: set[str]) -> list[_Work]:
        return [
            _Work(run, case, part)
            for run, case, part in self.listing.first_places()
            if run not in listed and not self._settled(run)
        ]

    def _task(self, work: _Work, threads: native.Threads) -> Task:
        plan = json.dumps(self.listing.plan(work.case, work.part, self.entries))
        return Task(str(self.root.absolute()), work.run, plan, self.description.keep, threads)

    def _note(self, entry: Entry, progress: Progress) -> None:
        self.entries[entry["run"]] = entry
        self._index.append(entry)
        if entry["state"] == "failed":
            progress.failed += 1
        else:
            progress.done += 1

    def _released(self, elsewhere: deque[_Work], progress: Progress) -> list[_Work]:
        """Removes the runs that other processes have finished or left; returns those left."""
        left: list[_Work] = []
        now = now_at(self.store.root / "leases")
        others = None
        for _ in range(len(elsewhere)):
            work = elsewhere.popleft()
            if self.store.has(work.run, self.description.keep):
                progress.there += 1
                if others is None:
                    others = self._index.read()
                self.entries[work.run] = others.get(work.run) or _stored(self.store, work.run)
            elif is_stale(self.store.lease(work.run), now):
                others = self._index.read() if others is None else others
                entry = others.get(work.run)
                if entry is not None and entry["state"] == "failed":
                    self.entries[work.run] = entry
                    progress.failed += 1
                else:
                    left.append(work)
            else:
                elsewhere.append(work)
        return left

    def _after_deaths(self, killed: Sequence[_Work], progress: Progress) -> list[_Work]:
        """Returns the runs to submit again after a worker was killed."""
        again = []
        now = now_at(self.store.root / "leases")
        for work in killed:
            lease = self.store.lease(work.run)
            if lease.exists() and is_stale(lease, now):
                work.deaths += 1
            if work.deaths < _DEATHS:
                again.append(work)
            else:
                reason = f"its process was killed {_DEATHS} times; it may need more memory"
                self._note(failed_entry(work.run, reason), progress)
        return again[::-1]

    def _unwritable(self, reason: str) -> RunDirectoryError:
        return RunDirectoryError(
            self.root,
            f"cannot be written: {reason}",
            "finished runs are kept; make room and give the same command again",
        )


def sweep(
    experiment: Scenario | Mapping[str, Any],
    out: str | Path,
    *,
    axes: Sequence[Mapping[str, Any]] | Mapping[str, Any] = (),
    seeds: int | Sequence[int] | None = None,
    keep: Sequence[str] | None = None,
    workers: int | None = None,
    threads: native.Threads = 1,
    executor: Executor | None = None,
    retry: bool = False,
) -> Any:
    """Simulates a scenario over axes and opens the results.

    Runs that the directory has already are not simulated again. Failed runs stop nothing;
    `Experiment.runs` lists them with their reason.

    Args:
        experiment: a scenario, or the tables of an experiment file.
        out: the directory of the experiment.
        axes: the axes: ``{"routing.algorithm": ["ugal_g", "par"], "jobs.*.placement": ["random",
            "contiguous"]}`` crosses two; ``[{"machine.topology.g": [9, 17], "jobs.0.ranks": [36,
            68]}]`` zips two keys.
        seeds: a number of seeds, or the seeds.
        keep: the tables to keep of every run.
        workers: the number of processes; one per core if not given.
        threads: the number of threads of each simulation.
        executor: any executor of `concurrent.futures`, in place of local processes.
        retry: whether to simulate failed runs again.

    Raises:
        UsageError: an axis or another key of the experiment is wrong.
        ScenarioError: a case cannot be run. Nothing has been written.
        RunDirectoryError: the directory cannot be written. Finished runs are kept.
        KeyboardInterrupt: Ctrl-C. Finished runs are kept.
    """
    from pantala.experiments.dataset import Experiment

    native.check_threads(threads)
    if workers is not None and workers < 1:
        raise UsageError(f"workers = {workers}: must be at least 1; write 1 or more")
    description = describe(experiment, axes=axes, seeds=seeds, keep=keep)
    Sweep(description, Path(out), retry=retry).run(
        workers=workers, threads=threads, executor=executor
    )
    return Experiment(out, description.name)


def check_directory(root: Path) -> None:
    """Checks that an experiment can be in a directory.

    Raises:
        RunDirectoryError: it holds something else.
    """
    if root.is_dir():
        if any(root.iterdir()) and not (root / "runs").is_dir():
            raise RunDirectoryError(
                root, "is a directory with something else in it", "choose another --out"
            )
    elif root.exists() or root.is_symlink():
        raise RunDirectoryError(root, "is not a directory", "choose another --out")


def _stored(store: RunStore, run: str) -> Entry:
    from pantala.experiments.index import entry_of

    return entry_of(store, run)
