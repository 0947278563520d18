"""What is explored: the runs of a directory, with what the page says of them in words."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pantala.analysis.hottest_links import link_name
from pantala.analysis.link_load import link_loads
from pantala.analysis.uncompared import why_unknown
from pantala.catalogue.tables import TABLES
from pantala.caveats import caveats_of
from pantala.core.extension import core
from pantala.core.recorded import is_recorded
from pantala.errors import PantalaError, RunDirectoryError, UsageError, first_line
from pantala.experiments.experiment import Experiment
from pantala.explorer.answers import FROM_CUBE, Answer, answer, side_by_side
from pantala.explorer.cube import Cube, cube_of, stamp_of
from pantala.explorer.grid import grid_of
from pantala.explorer.presence import calls_table
from pantala.explorer.sql import queries_of
from pantala.files.atomic_file import write_text
from pantala.files.run_directory import EXPLORER_FOLDER, TABLES_FILE
from pantala.files.table_errors import UNREADABLE
from pantala.report.reported_run import ReportedRun
from pantala.report.run_report import render_report
from pantala.report.sentences import Sentence, cause_sentences, opening
from pantala.report.warnings import warnings
from pantala.results.run import Run
from pantala.run_tables.run_like import job_names, table
from pantala.run_tables.skipped_time import skipped_spans
from pantala.runs.parts import TOGETHER
from pantala.text.amounts import PLAIN

__all__ = ["OPTIONAL", "Subject", "subject_of"]

#: The tables that a run may lack, and the key of the scenario that records each.
OPTIONAL: Mapping[str, str] = {
    "link_windows": "record.link_windows = true",
    "link_jobs": "every run",
    "job_windows": "every run",
    "iterations": "record.iterations = true",
    "blame": "[record.blame]",
    "packets": 'record.packets = "all" or "sampled"',
    "packet_hops": "record.packet_paths = true",
    "blame_groups": "record.blame.groups = true",
    "blame_links": "record.blame.links = 100",
    "call_windows": 'record.call_windows = "10 us"',
    "latency_windows": 'record.latency_windows = "10 us"',
    "routing_windows": 'record.routing_windows = "10 us"',
    "port_windows": '[record.ports] with split = ["vc"]',
}
#: The tables that the preset of records for the explorer adds.
_EXPLORED = frozenset(
    {
        *("blame", "blame_groups", "blame_links", "call_windows", "latency_windows"),
        *("packet_hops", "routing_windows"),
    }
)
#: The file of sentences in the folder of the cube.
_WORDS, _WORDS_FORM = "words.json", 6
#: Links of the list of hottest links.
_HOTTEST = 12


@dataclass
class Subject:
    """The runs that the page shows.

    Attributes:
        name: the name of the experiment or of the run.
        path: the directory that the user named.
        runs: the runs by title, the first opened first.
        experiment: the interference experiment with one case, for its slowdowns; None without one.
        grid: the cases of a sweep; None without one.
        lacks: the sentence on the runs that an experiment lacks: those that failed, that are not
            simulated, or that an interruption left out; empty if it has all.
    """

    name: str
    path: Path
    runs: Mapping[str, Run]
    experiment: Experiment | None = None
    grid: dict[str, Any] | None = None
    lacks: str = ""
    _cubes: dict[int, Cube] = field(default_factory=dict)
    _facts: dict[int, tuple[list[tuple[str, int]], dict[str, Any]]] = field(default_factory=dict)
    _reports: dict[int, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _words: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def titles(self) -> list[str]:
        """The titles of the runs, by their number on the page."""
        return list(self.runs)

    def run(self, number: int) -> Run:
        """Returns a run by its number.

        Raises:
            UsageError: there is no such run.
        """
        if not 0 <= number < len(self.titles):
            raise UsageError(f"there is no run {number}; {self.path} has {len(self.titles)}")
        return self.runs[self.titles[number]]

    def cube(self, number: int) -> Cube:
        """Returns the cube of a run, made once. A cube in the making delays no other."""
        if (known := self._cubes.get(number)) is not None:
            return known
        with self._lock:
            if number not in self._cubes:
                self._cubes[number] = cube_of(self.run(number))
            return self._cubes[number]

    def stamp(self, number: int) -> dict[str, Any]:
        """Returns what the cube of a run depends on; see `pantala.explorer.cube.stamp_of`."""
        return stamp_of(self.run(number))

    def answer(self, number: int, name: str, argument: int | None = None) -> Answer:
        """Returns a table of the page; see `pantala.explorer.answers.answer`."""
        if name == "beside" and argument is not None:
            run, other = self.run(number), self.run(argument)
            return side_by_side(run, self.cube(number), other, self.cube(argument))
        cube = self.cube(number) if name in FROM_CUBE else None
        frame, facts = answer(self.run(number), cube, name, argument)
        if frame.is_empty() and "needs" in facts:
            facts = facts | {"remedy": _remedy(self.run(number), facts["needs"])}
        return frame, facts

    def document(self) -> dict[str, Any]:
        """Returns what the page knows of the subject before it asks for a table, as JSON."""
        return {
            "version": core().VERSION,
            "name": self.name,
            "path": str(self.path),
            "runs": self.titles,
            "grid": self.grid,
            "queries": queries_of(self.run(0)),
            "report": "report/",
        }

    def facts(self, number: int) -> dict[str, Any]:
        """Returns what the page knows of a run at once: jobs, machine, windows, what is missing.

        A damaged table counts as missing; `faults` says so. The facts are kept until a file of the
        run changes.
        """
        with os.scandir(self.run(number).path) as files:
            state = sorted((each.name, each.stat().st_mtime_ns) for each in files)
        kept = self._facts.get(number)
        if kept is None or kept[0] != state:
            self._facts[number] = kept = (state, self._facts_of(number))
        return kept[1]

    def _facts_of(self, number: int) -> dict[str, Any]:
        run, faults = self.run(number), [self.lacks] if self.lacks else []
        cube: Cube | None = None
        try:
            cube = self.cube(number)
        except PantalaError as error:
            faults.append(str(error))
        missing, calls = {}, None
        with contextlib.suppress(PantalaError, *UNREADABLE):
            calls = calls_table(run)
        for name in OPTIONAL:
            try:
                recorded = table(run, calls or name if name == "call_windows" else name) is not None
            except (PantalaError, *UNREADABLE) as error:
                recorded = False
                faults.append(str(error))
            if not recorded:
                missing[name] = _remedy(run, name)
        plan = run.plan
        return {
            "title": self.titles[number],
            "name": run.name,
            "dir": str(run.path),
            "packed": (run.path / TABLES_FILE).is_file(),
            "version": run.document.get("pantala"),
            "complete": run.complete,
            "jobs": run.job_names,
            "simulated_ns": float(run.document["simulated_ns"]),
            "topology": {key: plan["topology"].get(key) for key in ("p", "a", "h", "g")},
            "routing": (plan.get("routing") or {}).get("algorithm"),
            "seed": plan.get("seed"),
            "record_window_ns": float(plan["record"]["window_ps"]) / 1000,
            "window_ns": None if cube is None else cube.window_ns,
            "windows": 0 if cube is None else cube.windows,
            "joined": 1 if cube is None else cube.joined,
            "skipped": skipped_spans(run),
            "missing": missing,
            "calls": calls,
            "faults": list(dict.fromkeys(faults)),
        }

    def report(self, number: int) -> str:
        """Returns the report on a run as HTML, whose sentences link to the page of the explorer.

        Its address is in a folder beside the page, as `ExplorerServer` has it.
        """
        run = self.run(number)
        subject = self.experiment if number == 0 and self.experiment is not None else run
        with self._words:
            if number not in self._reports:
                self._reports[number] = render_report(subject, f"../#run={number}&")
            return self._reports[number]

    def words(self, number: int) -> dict[str, Any]:
        """Returns the sentences and slowdowns of the report on a run, kept beside its cube.

        A sentence whose table is damaged is left out, with the fault in `faults`.
        """
        run = self.run(number)
        experiment = self.experiment if number == 0 else None
        runs = self.runs.values() if experiment else [run]
        stamp = [_WORDS_FORM, *(stamp_of(each) for each in runs)]
        file = run.path.resolve() / EXPLORER_FOLDER / _WORDS
        with self._words, contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            if kept["stamp"] == stamp:
                return kept
        with self._words:
            found = {"stamp": stamp, **_words(run, experiment)}
            with contextlib.suppress(OSError):
                if file.parent.is_dir() and not found["faults"]:
                    write_text(file, json.dumps(found) + "\n")
        return found


def _remedy(run: Run, name: str) -> str:
    """Returns the sentence on a table that a run lacks."""
    if (run.path / TABLES_FILE).is_file():
        return (
            f"The sweep did not keep the table {name}; add {name} to keep (--keep) and give the"
            " sweep again."
        )
    # Runs of earlier versions may lack a table that every run has now.
    known = TABLES[name].switch or run.document["tables"].get(name) == 0
    if known and is_recorded(run.plan["record"], name):
        return f"The run recorded the table {name}, but it has no rows."
    either = ' or record = "explore"' if name in _EXPLORED else ""
    return f"The run did not record this; {OPTIONAL[name]}{either} records it."


def _words(run: Run, experiment: Experiment | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    faults: list[str] = []
    reported = ReportedRun.of(run if experiment is None else experiment)
    slowdown = [] if reported.slowdown is None else reported.slowdown.to_dicts()
    slowdown = [row | {"unknown": why_unknown(row)} for row in slowdown]
    parts: dict[str, Callable[[], Any]] = {
        "finding": lambda: _sentences(opening(reported)),
        "caveats": lambda: [*_skipped(run), *(each.text for each in reported.caveats)],
        "warnings": lambda: warnings(reported),
        "hottest": lambda: _hottest(reported),
        "hottest_span": lambda: _hottest_span(run),
        "hottest_when": lambda: (
            ("While all jobs ran" if len(job_names(run)) > 1 else "While the job ran")
            if link_loads(run).shared
            else "Over the whole run"
        ),
        "slowdown": lambda: slowdown,
        "causes": lambda: _sentences(cause_sentences(reported)),
    }
    for name, part in parts.items():
        try:
            found[name] = part()
        except (PantalaError, *UNREADABLE, OSError) as error:
            found[name] = []
            faults.append(first_line(error))
    return found | {"faults": list(dict.fromkeys(faults))}


def _skipped(run: Run) -> list[str]:
    """Returns a sentence on the skipped time of a run, which rates of intervals leave out."""
    spans = [
        f"{PLAIN.duration(start)} to {PLAIN.duration(end)}" for start, end in skipped_spans(run)
    ]
    if not spans:
        return []
    return [
        f"The time from {', from '.join(spans)} was skipped. It has no windows, and rates of an"
        " interval are of the rest of its time."
    ]


def _hottest(reported: ReportedRun) -> list[dict[str, Any]]:
    """Returns the report's list of hottest links, with their names."""
    rows = reported.hottest.head(_HOTTEST).to_dicts()
    kept = ("link", "class", "utilization", "peak_utilization", "peak_start_ns", "stall_share")
    return [{key: row.get(key) for key in kept} | {"name": link_name(row)} for row in rows]


def _hottest_span(run: Run) -> list[float | None]:
    """Returns start, end, time of windows and window of the list of hottest links in ns.

    The time is None if skipped time counts, which has no windows.
    """
    loads = link_loads(run)
    start, end = loads.start_ns, loads.end_ns
    return [start, end, None if loads.sampled else end - start, loads.window_ns]


def _sentences(sentences: list[Sentence]) -> list[dict[str, str]]:
    return [{"text": each.text, "place": each.place} for each in sentences]


def subject_of(found: Run | Experiment) -> Subject:
    """Returns what the page shows of a run or an experiment, as `pantala.load` opens it.

    Raises:
        UsageError: the experiment has no finished run.
    """
    if isinstance(found, Run):
        return Subject(found.name, found.path, {found.name: found})
    if not found.single:
        grid, runs = grid_of(found)
        if not runs:
            raise UsageError(f"{found.path}: has no finished run; pantala status shows its state")
        absent = caveats_of({}, absent=found.absent)
        lacks = " ".join(each.text for each in absent)
        return Subject(found.name, found.path, runs, grid=grid, lacks=lacks)
    try:
        together = found.together
    except RunDirectoryError as error:
        if not found.parts:
            raise
        return Subject(found.name, found.path, found.parts, lacks=str(error))
    title = TOGETHER if TOGETHER in found.parts else next(iter(found.parts))
    runs = {title: together} | {f"{name} alone": run for name, run in found.alone.items()}
    runs |= {name: run for name, run in found.parts.items() if run not in list(runs.values())}
    return Subject(found.name, found.path, runs, found)
