"""The runs of a study in their directory, and the verdicts that follow from them.

All experiments of a study share one store of runs, so an interrupted study continues and a run that
two experiments need is simulated once. ``campaign.json`` says which study the directory holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from pantala.caveats import Absent, Caveat, caveats_of
from pantala.core.extension import core
from pantala.errors import PantalaError, RunDirectoryError, UsageError, first_line
from pantala.experiments.description import Description
from pantala.experiments.experiment import Experiment
from pantala.experiments.runner import Sweep
from pantala.experiments.session import Progress
from pantala.files.input_file import LARGE_TEXT, read_text
from pantala.files.json_file import write_json
from pantala.files.run_directory import EXPERIMENTS
from pantala.studies.asked import cases_of_claims, chosen_claims
from pantala.studies.claim import Claim
from pantala.studies.definition import StudyDefinition
from pantala.studies.earlier_runs import check_axes, earlier_runs
from pantala.studies.evidence import Evidence
from pantala.studies.figures.made import MadeFigure, MadeTable, check_figures, figures_of, tables_of
from pantala.studies.judgement import Judgement, Verdict, judge
from pantala.studies.variations import (
    Variation,
    VariedExperiment,
    check_variations,
    measured,
    variation_names,
)
from pantala.text.amounts import counted

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Campaign", "check_measures"]

#: The file that says which study a directory holds.
MARK = "campaign.json"
#: The version of the directory's form.
_FORMAT = 1
#: Caveats of an experiment that are said otherwise (`Campaign.caveats`, verdicts), or that are no
#: matter for verdicts: windows longer than a run are whole runs.
_BESIDE_THE_POINT = frozenset({"absent", "one_seed", "equal_seeds", "windows"})


class Campaign:
    """A study in a directory.

    Attributes:
        study: the study.
        root: the directory.
        quick: whether it is the small version.
        seeds: the number of seeds of every experiment; None if the study says it.
    """

    def __init__(
        self, study: StudyDefinition, root: Path, *, quick: bool, seeds: int | None = None
    ) -> None:
        """Opens a directory; writes nothing.

        Raises:
            RunDirectoryError: it holds another study, the other version of this one, or a study of
                a newer form.
        """
        self.study = study
        self.root = root
        self.quick = quick
        self.seeds = seeds
        self._check_mark()

    @cached_property
    def sweeps(self) -> dict[str, Sweep]:
        """The experiments with their lists of runs, by name.

        Raises:
            UsageError, ScenarioError: an experiment is wrong, or a measure asks for what no
                experiment has.
            RunDirectoryError: the directory holds something else.
        """
        check_measures(self.study)
        descriptions = self.study.descriptions(quick=self.quick, seeds=self.seeds)
        return {name: Sweep(each, self.root) for name, each in descriptions.items()}

    @cached_property
    def _whole(self) -> dict[str, Description]:
        """The experiments of the full study, by name."""
        return self.study.descriptions(quick=False)

    def ask_for(self, names: Collection[str]) -> list[str]:
        """Leaves out of `run_one` what some claims do not need; returns the experiments they need.

        Args:
            names: identities or kinds of claims.

        Raises:
            UsageError: the study has no such claim, or no run decides any of them.
        """
        sweeps = self.sweeps
        descriptions = self._whole
        cases = cases_of_claims(self.study, descriptions, chosen_claims(self.study, names))
        # The quick version leaves out experiments and values of axes.
        there = [name for name in cases if name in sweeps]
        for name in there:
            sweeps[name].only = cases[name]
        return [name for name in there if sweeps[name].asked.count]

    def run_one(
        self,
        name: str,
        *,
        workers: int | None = None,
        executor: Executor | None = None,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        """Simulates the missing runs of an experiment.

        Args:
            name: the experiment.
            workers: the number of processes; as many as cores and memory allow if not given.
            executor: an executor in place of local processes.
            on_progress: called after each run.

        Raises:
            RunDirectoryError: the directory cannot be written. Finished runs are kept.
            KeyboardInterrupt: Ctrl-C. Finished runs are kept.
        """
        sweep = self.sweeps[name]
        sweep.store.begin()
        self._write_mark()
        sweep.run(workers=workers, executor=executor, on_progress=on_progress)

    def adopt(
        self, name: str, runs: Collection[str], write: Callable[[str, Path], object]
    ) -> tuple[set[str], set[str]]:
        """Takes runs from elsewhere that an experiment asks for and the directory lacks.

        Args:
            name: the experiment.
            runs: the identities of the runs that there are.
            write: writes run.json and the tables of a run into an empty directory.

        Returns:
            The runs taken, and those that were there already.

        Raises:
            RunDirectoryError: the directory cannot be written.
        """
        sweep = self.sweeps[name]
        sweep.store.begin()
        self._write_mark()
        return sweep.adopt(runs, write)

    @property
    def failed(self) -> int:
        """The number of runs that failed."""
        return sum(len(each.failed) for each in self.sweeps.values())

    @property
    def experiments(self) -> dict[str, Experiment]:
        """The experiments that have been begun, by name."""
        return {
            name: Experiment(self.root, name)
            for name in self.study.file.experiments
            if (self.root / EXPERIMENTS / name).is_dir()
        }

    @property
    def caveats(self) -> list[Caveat]:
        """What limits the verdicts: quick version, absent and earlier runs, what the runs lack.

        Seeds do not count here: each verdict says how many it has.
        """
        found = [Caveat("quick", self.study.file.quick, "quick")] if self.quick else []
        if self.study.file.one_seed:
            found.append(Caveat("one_seed", self.study.file.one_seed, "one seed"))
        beside = set(_BESIDE_THE_POINT)
        if self.study.file.overlap:
            found.append(Caveat("overlap", self.study.file.overlap, "overlap"))
            beside.add("overlap")
        there = self.experiments
        names: dict[Caveat, list[str]] = {}
        for name, sweep in self.sweeps.items():
            absent = Absent(len(sweep.failed), len(sweep.missing), runs=sweep.listing.count)
            own = caveats_of({}, absent=absent, ask_for_seeds=False)
            if name in there:
                own += _earlier(there[name], sweep)
            if name in there and not self.study.file.experiments[name].varies:
                own += [each for each in there[name].caveats if each.kind not in beside]
            for caveat in own:
                names.setdefault(caveat, []).append(name)
        for each, of in names.items():
            where = f"{', '.join(of)}: "
            short = each.short and where + each.short
            found.append(Caveat(each.kind, where + each.text, short))
        return found

    def judgements(self) -> list[Judgement]:
        """Returns the verdict on each claim, from the runs that are there.

        Raises:
            UsageError: a measure asks for what no experiment has, or an experiment has other axes
                than its runs.
        """
        return [
            replace(each, verdict=Verdict.NO_VALUE)
            if each.verdict is Verdict.NOT_RUN and self._has_runs_of(each.claim)
            else each
            for each in _judged(self.study, self._evidence(), self._whole)
        ]

    def _has_runs_of(self, claim: Claim) -> bool:
        """Returns whether all runs that a claim reads are there; the quick version lacks some."""
        if self.quick:
            return False
        for name, cases in cases_of_claims(self.study, self._whole, [claim]).items():
            sweep = self.sweeps.get(name)
            frame = None if sweep is None else sweep.listing.where(cases).frame
            if sweep is None or frame is None or frame.is_empty():
                return False
            entries = [sweep.entries.get(run or "") for run in frame["run"]]
            if any(entry is None or entry["state"] != "done" for entry in entries):
                return False
        return True

    def variations(self) -> list[Variation]:
        """Returns what became of the claims in each variation of an experiment, if it has runs.

        Raises:
            UsageError: a measure asks for what no experiment has.
        """
        descriptions = self._whole
        of_variation: dict[tuple[str, str], list[Experiment]] = {}
        for name, experiment in self.experiments.items():
            if base := self.study.file.experiments[name].varies:
                for value in variation_names(descriptions[name]):
                    of_variation.setdefault((base, value), []).append(experiment)
        found = []
        for (base, value), experiments in of_variation.items():
            varied = VariedExperiment(experiments, value)
            done = varied.runs.filter(pl.col("state") == "done")["run"].n_unique()
            if done:
                evidence = Evidence(descriptions, {base: varied})
                judged = measured(_judged(self.study, evidence, descriptions))
                found.append(Variation(base, value, done, judged))
        return found

    def figures(self) -> Iterator[MadeFigure]:
        """Yields the figures of study.toml in order, from the runs that are there.

        Raises:
            UsageError: a figure asks for what no experiment has.
        """
        drawn = any(each.lines for each in self.study.file.tables)
        limits = self.caveats if drawn else []
        return figures_of(self.study, self._readable(), limits, quick=self.quick)

    def tables(self) -> Iterator[MadeTable]:
        """Yields the tables of study.toml in order, from the runs that are there.

        Raises:
            UsageError: a table asks for what no experiment has.
        """
        return tables_of(self.study, self._evidence())

    def _evidence(self) -> Evidence:
        varied = {name for name, part in self.study.file.experiments.items() if part.varies}
        return Evidence(self._whole, self._readable(), without_seeds=varied)

    def _readable(self) -> dict[str, Experiment]:
        """Returns the experiments that have been begun, whose axes the study still gives them."""
        found, descriptions = self.experiments, self._whole
        for name, experiment in found.items():
            check_axes(experiment, descriptions[name].columns)
        return found

    def _check_mark(self) -> None:
        path = self.root / MARK
        if not path.is_file():
            return
        try:
            found: dict[str, Any] = json.loads(read_text(path, most=LARGE_TEXT))
            name, quick, form = found["study"], found["quick"], int(found["format"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RunDirectoryError(
                self.root,
                f"{MARK} is damaged or of another version: {error!r}",
                f"remove {MARK} to go on with the runs, or choose another --out",
            ) from None
        if form > _FORMAT:
            raise RunDirectoryError(
                self.root,
                f"holds a study in a form of a newer Pantala ({found.get('pantala')})",
                "update Pantala, or choose another --out",
            )
        if (name, quick) != (self.study.name, self.quick):
            version = "the quick version" if quick else "the full version"
            raise RunDirectoryError(
                self.root, f"holds {version} of the study {name}", "choose another --out"
            )

    def _write_mark(self) -> None:
        document = {
            "study": self.study.name,
            "quick": self.quick,
            "format": _FORMAT,
            "pantala": core().VERSION,
        }
        try:
            write_json(self.root / MARK, document)
        except OSError as error:
            reason = f"cannot be written: {error.strerror or error}"
            raise RunDirectoryError(self.root, reason, "choose another --out") from None


def _earlier(stored: Experiment, sweep: Sweep) -> Iterator[Caveat]:
    """Yields a caveat if the directory lists runs of an earlier form of an experiment."""
    number, done = earlier_runs(stored, sweep.listing)
    if number:
        text = (
            f"{number:,} of {counted(done, 'run')} are of an earlier form of the experiment, or of"
            " an earlier version of Pantala, and the verdicts are of them; give pantala study run"
            " to simulate the runs of today."
        )
        yield Caveat("earlier", text, f"{number:,} runs of an earlier form")


def check_measures(study: StudyDefinition) -> None:
    """Asks all measures of a study for their values before there are runs; checks its figures.

    Raises:
        UsageError: a measure, figure or table asks for an experiment, table, column or value that
            the study does not have, or lacks a measure of the claim's rule; or the quick version is
            wrong.
    """
    study.descriptions(quick=True)
    check_figures(study)
    descriptions = study.descriptions(quick=False)
    check_variations(study, descriptions)
    _judged(study, Evidence(descriptions, {}), descriptions)


def _judged(
    study: StudyDefinition, evidence: Evidence, descriptions: Mapping[str, Description]
) -> list[Judgement]:
    functions = study.measures  # an error in the file is not the error of a claim
    found = []
    for claim in study.claims:
        where = f"study {study.name}: claim {claim.id}"
        measures: Mapping[str, np.ndarray] = {}
        repeated: list[int] = []
        try:
            if claim.holds:
                measures = functions[claim.id](evidence)
                if not isinstance(measures, Mapping):
                    raise UsageError("its function returns no dictionary; return {'NAME': array}")
                if len(evidence.seeds) > 1:
                    repeated = evidence.repeated(cases_of_claims(study, descriptions, [claim]))
            lacking = [name for name in (*claim.holds, *claim.direction) if name not in measures]
            if lacking and claim.holds:
                raise UsageError(f"its function does not return the measure '{lacking[0]}'")
            one_seed = bool(study.file.one_seed)
            found.append(judge(claim, measures, one_seed=one_seed, repeated=repeated))
        except UsageError as error:
            raise UsageError(f"{where}: {error}") from None
        except PantalaError:
            raise
        except Exception as error:  # of the user's function
            raise UsageError(f"{where}: {type(error).__name__}: {first_line(error)}") from None
    return found
