"""`sweep`: simulates the missing runs of an experiment."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from pantala.analysis.statistics import Precision, batches
from pantala.core.extension import Threads, check_threads
from pantala.errors import RunDirectoryError, ScenarioWarning, UsageError
from pantala.experiments.cases_file import REFUSED, SIZE
from pantala.experiments.description import Description, describe
from pantala.experiments.estimate import estimate, local_workers
from pantala.experiments.listing import Listing, list_runs
from pantala.experiments.pool import check_pool
from pantala.experiments.session import Progress, Session
from pantala.planning.record_size import check_size, exceeded, parse_limit
from pantala.planning.run_cost import traffic
from pantala.scenario import Scenario
from pantala.store.consolidate import Segments
from pantala.store.index import Entry, Index
from pantala.store.run_store import RunStore, unwritable
from pantala.system.parallel import LocalWorkers
from pantala.text.amounts import counted

__all__ = ["Sweep", "precision_of_options", "sweep"]


class Sweep:
    """The runs of an experiment in a directory: list them, then `run` the missing ones.

    Attributes:
        listing: the runs of the experiment.
        entries: the index of the store.
        widest: after `run` with a precision, the row of `Experiment.intervals` with the widest
            interval in relation to its mean; None if there is no interval.
        missing: the known runs that are neither stored with the kept tables nor failed.
        to_simulate: those of them that `run` simulates.
        only: which cases `run` simulates, as a condition on the axes; None for all.
    """

    def __init__(
        self,
        description: Description,
        root: Path,
        *,
        retry: bool = False,
        size_limit: int | None = None,
    ) -> None:
        """Lists the runs; writes nothing.

        Args:
            description: the experiment.
            root: its directory.
            retry: whether to simulate failed runs again.
            size_limit: the most bytes of the tables of a run; see
                `pantala.planning.record_size.check_size`.

        Raises:
            ScenarioError: a case cannot be run, and the experiment does not skip such cases; no
                case can be run; or the tables of a run would be too large.
            RunDirectoryError: the directory holds something else.
        """
        self.store = RunStore(root)
        self.store.check()
        self.description = description
        self.root = root
        self._index = Index(self.store)
        self.entries = self._index.read()
        #: The failed runs that are simulated once more.
        self._again = {
            run for run, entry in self.entries.items() if retry and entry["state"] == "failed"
        }
        self.listing: Listing = list_runs(description, root, self.entries)
        self._index.look_up(self.entries, self.listing.runs)
        self._index.look_up(self.entries, self.listing.settle(self.entries))
        self.only: pl.Expr | None = None
        self.widest: dict[str, Any] | None = None
        self._check_sizes(size_limit)

    @property
    def asked(self) -> Listing:
        """The runs of the cases that `run` simulates."""
        return self.listing if self.only is None else self.listing.where(self.only)

    @property
    def missing(self) -> list[str]:
        """The known runs that are neither stored with the kept tables nor failed."""
        return [run for run in self.listing.runs if not self._settled(run)]

    @property
    def to_simulate(self) -> list[str]:
        """The missing runs of the cases that `run` simulates."""
        return [run for run in self.asked.runs if not self._settled(run)]

    @property
    def failed(self) -> list[Entry]:
        """The entries of the failed runs."""
        found = (self.entries.get(run) for run in self.listing.runs)
        return [entry for entry in found if entry is not None and entry["state"] == "failed"]

    def warn_of_refused(self) -> None:
        """Warns that some cases are not simulated.

        Warns:
            ScenarioWarning: with their number, and the first with its reason.
        """
        refused = self.listing.refused
        if refused.is_empty():
            return
        case, reason = refused.select("case", REFUSED).row(0)
        expansion = self.listing.expansion
        text = (
            f"{refused.height:,} of {len(expansion):,} cases refused and not simulated;"
            f" {expansion.named_values(case)}: {reason}"
        )
        warnings.warn(ScenarioWarning(self.description.source, text), stacklevel=3)

    def run(
        self,
        *,
        workers: int | None = None,
        threads: Threads = 1,
        executor: Executor | None = None,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> Progress:
        """Simulates the missing runs.

        Args:
            workers: the number of processes; as many as cores and memory allow if not given.
            threads: the number of threads of each simulation.
            executor: any executor of `concurrent.futures` whose workers see the directory, in place
                of local processes.
            on_progress: called after each run.

        Raises:
            RunDirectoryError: the directory cannot be written. Finished runs are kept.
            UsageError: no job has the quantity of the precision. Finished runs are kept.
            KeyboardInterrupt: Ctrl-C. Finished runs are kept.
        """
        self.store.begin()
        count = len(self.to_simulate) + self.asked.frame["run"].null_count()
        if workers is None and executor is None:
            workers = local_workers(estimate(self, 0), threads)
        at_once = min(workers or 1, max(count, 1))
        try:
            self._refresh()
            with LocalWorkers(at_once) if executor is None else nullcontext(executor) as pool:
                progress = self._in_batches(pool, threads, on_progress)
            Segments(self.store).update(self.entries, tidy=True)
            self.store.clean()
        except RunDirectoryError:
            raise
        except OSError as error:
            raise unwritable(self.root, error.strerror or str(error)) from None
        finally:
            self._index.close()
        return progress

    def adopt(
        self, runs: Collection[str], write: Callable[[str, Path], object]
    ) -> tuple[set[str], set[str]]:
        """Takes missing runs from elsewhere; the store has been begun.

        Args:
            runs: the identities of the runs that there are.
            write: writes run.json and the tables of a run into an empty directory.

        Returns:
            The runs taken, and those that were there already.

        Raises:
            RunDirectoryError: the directory cannot be written.
        """
        moved: set[str] = set()
        keep = self.description.keep
        try:
            self._refresh()
            there = set(self.listing.runs) & set(runs) - set(self.missing)
            while wanted := [run for run in self.missing if run in runs and run not in moved]:
                for run in wanted:
                    self.store.add(run, keep, partial(write, run))
                    moved.add(run)
                self._refresh()
                self.listing.settle(self.entries)  # runs that last as long as one of these
            Segments(self.store).update(self.entries, tidy=True)
        except RunDirectoryError:
            raise
        except OSError as error:
            raise unwritable(self.root, error.strerror or str(error)) from None
        finally:
            self._index.close()
        self.listing.write(self.root)
        return moved, there

    def _refresh(self) -> None:
        """Brings the index up to date.

        Warns:
            ScenarioWarning: runs that were stored are damaged and will be simulated again.
        """
        self.entries = self._index.refresh()
        if damaged := self._index.damaged:
            run, reason = next(iter(damaged.items()))
            text = (
                f"{counted(len(damaged), 'stored run')} removed to be simulated again;"
                f" {self.store.path(run)} {reason}"
            )
            warnings.warn(ScenarioWarning(self.description.source, text), stacklevel=4)
            damaged.clear()

    def _check_sizes(self, limit: int | None) -> None:
        """Refuses a missing run whose tables would be too large. The list holds their sizes."""
        frame = self.listing.frame.filter(pl.col(SIZE).is_not_null())
        if frame.is_empty():
            return
        frame = frame.filter(pl.col("run").is_in(self.missing))
        if not exceeded(frame[SIZE], self.root, limit):
            return
        for case, part, size in frame.select("case", "part", SIZE).iter_rows():
            if exceeded([size], self.root, limit):
                plan = self.listing.plan(case, part, self.entries)
                where = self.listing.expansion.named(case, part)
                check_size(plan, traffic(plan), where, self.root, limit)

    def _in_batches(
        self,
        pool: Executor,
        threads: Threads,
        on_progress: Callable[[Progress], None],
    ) -> Progress:
        """Simulates the runs batch by batch of seeds until they are precise; or all at once."""
        whole, precision = self.listing, self.description.precision
        seeds = self.description.seeds
        progress = Progress()
        for count in [seeds] if precision is None else batches(seeds):
            whole.settle(self.entries)
            self.listing = whole.first_seeds(count)
            self.description = self.listing.expansion.description
            self.listing.write(self.root)
            session = Session(
                self.store,
                self.asked,
                self.entries,
                self._index,
                self._settled,
                threads,
                on_progress,
            )
            session.run(pool, progress.done)
            progress = session.progress
            self._again.difference_update(self.listing.runs)
            self.listing.settle(self.entries)
            self.listing.write(self.root)
            if precision is not None:
                Segments(self.store).update(self.entries)
                self.widest = self._widest(precision)
                if self.widest is None or self.widest["relative"] <= precision.relative:
                    break
                if self.widest["runs"] == 1 and self.widest["repeated"]:
                    break
        return progress

    def _widest(self, precision: Precision) -> dict[str, Any] | None:
        from pantala.experiments.experiment import Experiment

        intervals = Experiment(self.root, self.description.name).intervals(precision.of)
        if intervals.is_empty():
            done = (self.entries.get(run, {}).get("state") == "done" for run in self.listing.runs)
            if any(done):
                raise UsageError(
                    f"precision of {precision.of}: no job has one; name another column of the table"
                    " jobs with --precision-of (precision_of=)"
                )
            return None
        # Seeds without effect have no interval, and more seeds do not give one.
        several = intervals.filter((pl.col("runs") > 1) | (pl.col("repeated") == 0))
        chosen = intervals if several.is_empty() else several
        return chosen.sort("relative", descending=True).row(0, named=True)

    def _settled(self, run: str) -> bool:
        entry = self.entries.get(run)
        if entry is None:
            return False
        if entry["state"] == "failed":
            return run not in self._again
        return set(self.description.keep) <= set(entry["kept"])


def sweep(
    experiment: Scenario | Mapping[str, Any],
    out: str | Path,
    *,
    axes: Sequence[Mapping[str, Any]] | Mapping[str, Any] = (),
    seeds: int | Sequence[int] | None = None,
    keep: Sequence[str] | None = None,
    workers: int | None = None,
    threads: Threads = 1,
    executor: Executor | None = None,
    retry: bool = False,
    skip_refused: bool = False,
    size_limit: str | None = None,
    precision: float | str | None = None,
    precision_of: str | None = None,
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
        workers: the number of processes; as many as cores and memory allow if not given.
        threads: the number of threads of each simulation.
        executor: any executor of `concurrent.futures`, in place of local processes. The processes
            of a `ProcessPoolExecutor` must not be forks: give it
            ``mp_context=multiprocessing.get_context("spawn")``.
        retry: whether to simulate failed runs again.
        skip_refused: whether to leave out cases that cannot be run, such as a routing that does not
            know the machine's failed links. `Experiment.runs` lists them as ``refused``, with the
            reason. Without it, such a case is an error.
        size_limit: the most that the tables of one run may take, such as ``"500 GB"``; see
            `pantala.run`.
        precision: add seeds until the 95 % interval of every job in every case is this narrow:
            half its width over its mean, such as ``0.02`` or ``"2%"``. `seeds` is then the largest
            number of seeds.
        precision_of: the column of the table jobs that the precision is of; the mean communication
            time if not given.

    Raises:
        UsageError: an axis or another key of the experiment is wrong, or there is no such number of
            workers or such an executor. Nothing has been written.
        ScenarioError: a case cannot be run, no case can be run, or the tables of a run would be too
            large. Nothing has been written.
        RunDirectoryError: the directory cannot be written. Finished runs are kept.
        KeyboardInterrupt: Ctrl-C. Finished runs are kept.
    """
    from pantala.experiments.experiment import Experiment

    check_threads(threads)
    check_pool(workers, executor)
    wanted = precision_of_options(precision, precision_of)
    description = describe(
        experiment,
        axes=axes,
        seeds=seeds,
        keep=keep,
        precision=wanted,
        skip_refused=skip_refused,
    )
    made = Sweep(description, Path(out), retry=retry, size_limit=parse_limit(size_limit))
    made.warn_of_refused()
    made.run(workers=workers, threads=threads, executor=executor)
    return Experiment(out, description.name)


def precision_of_options(precision: float | str | None, of: str | None) -> Precision | None:
    """Returns the precision that a caller asks for; None if there is none.

    Raises:
        UsageError: it is wrong, or a quantity is named without a precision.
    """
    if precision is not None:
        return Precision.parse(precision, of)
    if of is not None:
        raise UsageError(f"precision of '{of}': needs a precision; write e.g. --precision 2%")
    return None
