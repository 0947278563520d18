"""The runs of an interference experiment in its directory: a store of runs, and a list of parts.

The directory of an experiment holds::

    interference.json    the parts that are there, and those that are missing
    slowdown.parquet     each job alone and together, once all parts are there
    together, alone-A,   links to the runs of the parts
    pair-A+B, without-A
    runs/, ...           the store of runs; see `pantala.store.run_store`

Each part is simulated once. An interrupted experiment continues with the missing parts.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from pantala.analysis.slowdown import slowdown_of
from pantala.catalogue.interference_modes import mode_of
from pantala.catalogue.job_sets import TOGETHER, alone_runs
from pantala.core.extension import Threads, core
from pantala.core.plan import Plan, ProgressCallback
from pantala.errors import RunDirectoryError, SimulationError
from pantala.files.atomic_file import write_table
from pantala.files.input_file import LARGE_TEXT, read_text
from pantala.files.json_file import write_json
from pantala.files.run_directory import (
    INTERFERENCE_FILE,
    REPORT_FILE,
    RUN_FILE,
    SLOWDOWN_FILE,
    cannot_write,
    check_place,
    clear_left,
    experiment_names,
    set_aside,
    taken,
)
from pantala.results.run import Run
from pantala.runs.parts import Part
from pantala.runs.progress import ProgressLine
from pantala.scenario import Scenario
from pantala.scenario.interference import targets_of
from pantala.store.identity import run_id
from pantala.store.run_store import RunStore

__all__ = ["InterferenceRuns"]


class InterferenceRuns:
    """The runs of an interference experiment: `begin`, `simulate` the missing ones, then `end`.

    Attributes:
        target: the directory.
        parts: the simulations, in order.
    """

    def __init__(
        self,
        target: Path,
        scenario: Scenario,
        plan: Plan,
        parts: Sequence[Part],
        *,
        overwrite: bool,
        report: bool = False,
    ) -> None:
        """Checks that the directory is free or holds a part of this experiment; writes nothing.

        Args:
            target: the directory.
            scenario: the scenario.
            plan: the resolved plan of all jobs together.
            parts: the simulations, in order.
            overwrite: whether to replace what is there, and to simulate every part again.
            report: whether the experiment is complete only with its report.

        Raises:
            RunDirectoryError: the directory is taken.
        """
        check_place(target)
        self.target = target
        self.parts = parts
        self._name = scenario.name
        targets = targets_of(scenario.interference, scenario.jobs)
        #: What is compared, as interference.json names it.
        self._compared: object = (
            mode_of(scenario.interference) if targets is None else {"targets": targets}
        )
        #: The identity of the experiment: parts of other plans do not belong to it.
        self._plan = run_id(plan)
        self._store = RunStore(target)
        self._overwrite = overwrite
        self._report = report
        self._aside: Path | None = None
        before = [] if overwrite else _document(target).get("parts", [])
        #: The parts that ended early. Their tables are kept until the part is simulated again.
        self._unfinished = {part["part"] for part in before if "run" not in part}
        #: The parts that the directory has of another value of the key `interference`.
        names = {part.name for part in parts}
        self._others = [part for part in before if "run" in part and part["part"] not in names]
        #: The runs of the store that are known to be there.
        self._known: dict[str, Run] = {}
        self._check()

    def begin(self) -> None:
        """Makes the directory; with `overwrite`, moves an old run out of it.

        Raises:
            RunDirectoryError: it cannot be written.
        """
        try:
            if self._overwrite:
                self._aside = set_aside(self.target)
            self._store.begin()
            if self._overwrite:  # runs that the directory shares with experiments of sweeps
                for run in [self._run(part) for part in self.parts]:
                    if run is not None:
                        self._store.remove(run)
            self._known.clear()
            self._write_document()
        except RunDirectoryError:
            raise
        except OSError as error:
            raise cannot_write(self.target, error) from None

    def simulate(self, line: ProgressLine, threads: Threads) -> None:
        """Simulates the missing parts, and compares the runs when all are there.

        Raises:
            PlanError, SimulationError, KeyboardInterrupt: see `pantala.run`. Finished runs are
                kept.
            RunDirectoryError: the directory cannot be written. Finished runs are kept.
        """
        try:
            for part in self.parts:
                line.start(part.name)
                if self._stored(part) is None:
                    line.finish(self._simulate(part, line, threads))
                    self._write_document()
                else:
                    line.pass_over()
            self._write_document()
            line.start("comparing the runs", counts=False)
            self._write_slowdown()
            line.clear()
        except RunDirectoryError:
            raise
        except OSError as error:
            raise RunDirectoryError(
                self.target,
                f"cannot be written: {error.strerror or error}",
                "finished runs are kept; make room and give the same command again",
            ) from None

    def end(self) -> Path | None:
        """Lists the runs that are there and returns the directory; without any, restores it.

        Returns:
            The directory; None if there is no run.
        """
        if self._there():
            with contextlib.suppress(OSError):  # a full disk: the list is one part behind
                self._write_document()
            if self._aside is not None:
                shutil.rmtree(self._aside, ignore_errors=True)
            clear_left(self.target)
            return self.target
        for path in [*self._store.folders, self.target / INTERFERENCE_FILE]:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        if self._aside is not None:
            for entry in self._aside.iterdir():
                shutil.move(entry, self.target)
            self._aside.rmdir()
        elif not any(self.target.iterdir()):
            self.target.rmdir()
        return None

    def _check(self) -> None:
        target = self.target
        if not target.is_dir():
            if target.exists() or target.is_symlink():
                raise RunDirectoryError(target, "is not a directory", "choose another --out")
            return
        if self._overwrite and ((target / RUN_FILE).is_file() or _document(target)):
            return
        if (target / RUN_FILE).is_file():
            raise taken(target, "a run")
        document = _document(target)
        if not document and (sweeps := experiment_names(target)):
            raise RunDirectoryError(
                target, f"holds the sweep {sweeps[0]}", "choose another --out for a run"
            )
        if document and document.get("plan") != self._plan:
            raise taken(target, f"another experiment ({document.get('name')})")
        if (
            document.get("interference") == self._compared
            and not document.get("missing")
            and all(map(self._stored, self.parts))
            and self._has_pages()
        ):
            raise taken(target, "a run")
        if not document and any(target.iterdir()) and not self._store.exists():
            raise RunDirectoryError(
                target, "is a directory with something else in it", "choose another --out"
            )

    def _has_pages(self) -> bool:
        """Returns whether the slowdowns were written at the end, and the report if it is wanted."""
        wanted = [SLOWDOWN_FILE, *[REPORT_FILE] * self._report]
        try:
            listed = (self.target / INTERFERENCE_FILE).stat().st_mtime_ns
            return all((self.target / each).stat().st_mtime_ns >= listed for each in wanted)
        except OSError:
            return False

    def _run(self, part: Part) -> str | None:
        """Returns the identity of the run of a part; None if its length is not known yet."""
        plan = self._plan_of(part)
        return None if plan is None else run_id(plan)

    def _plan_of(self, part: Part) -> Plan | None:
        if part.as_long_as is None:
            return part.plan
        job_set = self._stored(next(each for each in self.parts if each.name == part.as_long_as))
        return None if job_set is None else part.plan.lasting(job_set.document["simulated_ns"])

    def _stored(self, part: Part) -> Run | None:
        """Returns the run of a part; None if it is not there."""
        run, record = self._run(part), part.plan["record"]
        if run is not None and run not in self._known and self._store.has(run, None, record):
            self._known[run] = Run(self._store.path(run))
        return None if run is None else self._known.get(run)

    def _simulate(self, part: Part, line: ProgressLine, threads: Threads) -> dict[str, Any]:
        """Simulates a part, or waits for the process that does; returns its run.json."""
        plan = self._plan_of(part)
        assert plan is not None, "parts are in the order in which their lengths are known"

        def simulate(directory: Path) -> None:
            try:
                plan.run(directory, cast("ProgressCallback", line.update), threads)
            except (SimulationError, KeyboardInterrupt):
                self._keep(part, directory)
                raise

        return self._store.obtain(run_id(plan), None, simulate, record=plan["record"])

    def _keep(self, part: Part, partial: Path) -> None:
        """Keeps the tables of a part that ended early in a directory with the part's name."""
        if not (partial / RUN_FILE).is_file():
            return
        place = self.target / part.name
        _remove(place)
        shutil.move(partial, place)
        self._unfinished.add(part.name)

    def _there(self) -> list[dict[str, Any]]:
        """Returns the parts that are there, as `interference.json` lists them."""
        found = []
        for part in self.parts:
            stored = self._stored(part)
            if stored is not None:
                where = {"directory": self._link(part, stored.path), "run": stored.path.name}
            elif part.name in self._unfinished:
                where = {"directory": part.name}
            else:
                continue
            found.append({"part": part.name, **where, "jobs": part.jobs})
        return found + [part for part in self._others if self._store.has(part["run"], None)]

    def _link(self, part: Part, run: Path) -> str:
        """Makes the link from the name of a part to its run; returns the name.

        A file system without links has the run below ``runs`` only.
        """
        place = self.target / part.name
        run_directory = os.path.relpath(run, self.target)
        try:
            if not (place.is_symlink() and str(place.readlink()) == run_directory):
                _remove(place)
                place.symlink_to(run_directory, target_is_directory=True)
        except OSError:
            return run_directory
        return part.name

    def _write_document(self) -> None:
        there = self._there()
        runs = [run for part in self.parts if (run := self._stored(part)) is not None]
        missing = [part for part in self.parts if self._stored(part) is None]
        coarsened = runs[0].coarsened if runs else None
        document = {
            **({} if coarsened is None else {"coarsened": coarsened}),
            "pantala": core().VERSION,
            "name": self._name,
            "complete": not missing and all(run.complete for run in runs),
            "interference": self._compared,
            "plan": self._plan,
            "parts": there,
            "missing": [{"part": part.name, "jobs": part.jobs} for part in missing],
        }
        # A later time than that of the report would tell that the report is missing.
        if document != _document(self.target):
            write_json(self.target / INTERFERENCE_FILE, document)

    def _write_slowdown(self) -> None:
        runs = {part.name: run for part in self.parts if (run := self._stored(part)) is not None}
        jobs = runs[TOGETHER].job_names
        alone = {job: runs[name] for job, name in alone_runs(TOGETHER, jobs, runs).items()}
        table = slowdown_of(runs[TOGETHER], alone)
        write_table(self.target / SLOWDOWN_FILE, table, statistics=False)


def _document(target: Path) -> dict[str, Any]:
    """Returns interference.json of a directory; empty if there is none."""
    try:
        document = json.loads(read_text(target / INTERFERENCE_FILE, most=LARGE_TEXT))
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def _remove(path: Path) -> None:
    """Removes a directory or a link to one."""
    if path.is_symlink():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)
