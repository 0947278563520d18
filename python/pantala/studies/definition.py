"""A study as data: a folder with study.toml, experiments, claims and measures.

``study.toml`` names the experiments, each a file of `pantala sweep`, and what `--quick` leaves out.
``claims.toml`` has the claims; see `claim`. ``measures.py`` has a function per claim, in the
dictionary ``MEASURES``; see `evidence`. Entries ``[[figures]]`` of ``study.toml`` choose what to
draw; see `figures.entry`. ``tables.py`` has a function per entry of ``[[tables]]``, in ``TABLES``.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from pantala.errors import PantalaError, UsageError, nearest
from pantala.experiments.description import Description, describe, read_experiment
from pantala.models.base import Count, Model, plain
from pantala.models.faults import scenario_error
from pantala.scenario.toml import read_toml
from pantala.studies.claim import Claim, read_claims
from pantala.studies.figures.entry import FigureEntry, TableEntry
from pantala.system.permission import check_permitted

if TYPE_CHECKING:
    import numpy as np

    from pantala.studies.evidence import Evidence

__all__ = ["STUDY_FILE", "StudyDefinition", "read_study"]

STUDY_FILE = "study.toml"
_CLAIMS_FILE = "claims.toml"
_MEASURES_FILE = "measures.py"
_MEASURES = "MEASURES"
_TABLES_FILE = "tables.py"
_TABLES = "TABLES"


class Quick(Model):
    """What `--quick` changes in an experiment."""

    seeds: Count = 1
    """The number of seeds."""
    only: dict[str, list[Any]] = Field(default_factory=dict)
    """For each axis the values that are left."""
    set: dict[str, Any] = Field(default_factory=dict)
    """Values of the scenario by key path, such as "detail.coarsen"."""
    until_precise: dict[str, Any] = Field(default_factory=dict)
    """Values of the experiment's key `until_precise`, such as "most_packets"."""


class Part(Model):
    """An experiment of a study."""

    file: str
    """A file of `pantala sweep` in the folder of the study."""
    quick: Quick | None = None
    """What `--quick` changes; without it, `--quick` leaves the experiment out."""
    varies: str | None = None
    """The experiment that this one varies to find out why claims do not hold; see `variations`."""


class StudyFile(Model):
    """The file study.toml."""

    title: str
    """The subject, in one line."""
    source: str
    """The paper."""
    quick: str
    """How the results of `--quick` differ, in a sentence that stands in their first line."""
    one_seed: str = ""
    """Why the runs of one seed give a verdict, in a sentence; empty if they give none."""
    experiments: dict[str, Part]
    """The experiments by name."""
    overlap: str = ""
    """Why jobs that end at different times are no limit of the verdicts, such as that the paper's
    do so, too; it stands in place of the numbers of each run."""
    figures: list[FigureEntry] = Field(default_factory=list)
    """The figures, in the order of the page."""
    tables: list[TableEntry] = Field(default_factory=list)
    """The tables beside the claims, in the order of the page."""
    labels: dict[str, str] = Field(default_factory=dict)
    """Words in figures in place of values, such as names of jobs and routings."""

    @property
    def has_figures(self) -> bool:
        """Whether the study has figures of its own."""
        return bool(self.figures) or any(each.lines for each in self.tables)


@dataclass(frozen=True)
class StudyDefinition:
    """A study: experiments, and the claims that they judge.

    Attributes:
        name: the name on the command line.
        folder: the folder of its files.
        file: the content of study.toml.
    """

    name: str
    folder: Path
    file: StudyFile

    @property
    def title(self) -> str:
        """The subject, in one line."""
        return self.file.title

    @property
    def source(self) -> str:
        """The paper."""
        return self.file.source

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The claims.

        Raises:
            ScenarioError, UsageError: the file is wrong; see `read_claims`.
        """
        return read_claims(self.folder / _CLAIMS_FILE)

    @cached_property
    def measures(self) -> Mapping[str, Callable[[Evidence], Mapping[str, np.ndarray]]]:
        """The function of each claim that has a rule, by the claim's id.

        Raises:
            UsageError: measures.py cannot be run, or a claim with a rule has no function.
        """
        ruled = {claim.id for claim in self.claims if claim.holds}
        return self._functions(
            _MEASURES_FILE, _MEASURES, ruled, f"claim with a rule in {_CLAIMS_FILE}"
        )

    @cached_property
    def tables(self) -> Mapping[str, Callable[[Evidence], Any]]:
        """The function of each table, by the table's name.

        It returns a frame of rows, or a frame and a sentence for the caption.

        Raises:
            UsageError: tables.py cannot be run, or a table has no function.
        """
        names = {each.name for each in self.file.tables}
        if not names:
            return {}
        return self._functions(_TABLES_FILE, _TABLES, names, f"table in {STUDY_FILE}")

    def _functions(
        self, file: str, dictionary: str, names: Collection[str], what: str
    ) -> Mapping[str, Callable[[Evidence], Any]]:
        """Returns a dictionary of functions that a file of the study defines.

        Args:
            file: the file.
            dictionary: the name of the dictionary.
            names: the names that it must have.
            what: what they name, for errors.

        Raises:
            UsageError: the file cannot be run, or the dictionary has other names.
        """
        path = self.folder / file
        check_permitted(str(path))
        try:
            found: Any = runpy.run_path(str(path)).get(dictionary, {})
        except PantalaError:
            raise
        except Exception as error:
            raise UsageError(f"{path}: {type(error).__name__}: {error}") from None
        if not isinstance(found, Mapping) or not all(map(callable, found.values())):
            raise UsageError(
                f"{path}: {dictionary}: is not a dictionary of functions; write {dictionary} ="
                " {'NAME': function}"
            )
        kind = what.split(" ")[0]
        for missing in sorted(set(names) - found.keys()):
            raise UsageError(
                f"{path}: {dictionary}['{missing}']: is missing; add the {kind}'s function"
            )
        for unknown in sorted(found.keys() - set(names)):
            raise UsageError(
                f"{path}: {dictionary}['{unknown}']: there is no such {what}; remove it"
            )
        return found

    def descriptions(self, *, quick: bool, seeds: int | None = None) -> dict[str, Description]:
        """Returns the experiments by name, in the order of study.toml.

        Args:
            quick: whether to return the small version.
            seeds: the number of seeds of every experiment, in place of the study's; those that vary
                others keep their own.

        Raises:
            UsageError, ScenarioError: an experiment is wrong.
        """
        return {
            name: self._description(name, part, quick=quick, seeds=seeds)
            for name, part in self.file.experiments.items()
            if part.quick is not None or not quick
        }

    def _description(self, name: str, part: Part, *, quick: bool, seeds: int | None) -> Description:
        path = self.folder / part.file
        read = read_experiment(path)
        if read is None:
            raise UsageError(
                f"{self.folder / STUDY_FILE}: experiments.{name}.file = '{part.file}': is a"
                " scenario, not an experiment; write a file with scenario and axes"
            )
        small = part.quick if quick else None
        tables = {**read, "name": name}
        if small is not None and small.until_precise:
            tables["until_precise"] = {**read.get("until_precise", {}), **small.until_precise}
        made = describe(
            tables,
            seeds=(None if part.varies else seeds) or (None if small is None else small.seeds),
            changes=None if small is None else small.set,
            source=str(path),
            folder=self.folder,
        )
        return made if small is None else self._only(made, name, small.only)

    def _only(self, made: Description, name: str, only: Mapping[str, list[Any]]) -> Description:
        axes = list(made.axes)
        for column, values in only.items():
            key = f"{self.folder / STUDY_FILE}: experiments.{name}.quick.only.{column}"
            at = next((i for i, axis in enumerate(axes) if column in axis.columns), None)
            if at is None:
                close = nearest(column, made.columns)
                hint = f"did you mean '{close}'?" if close else f"choose {', '.join(made.columns)}"
                raise UsageError(f"{key}: there is no such axis; {hint}")
            left = tuple(point for point in axes[at].points if point.shown[column] in values)
            if len(left) != len(values):
                raise UsageError(f"{key} = {values}: the axis lacks one of them; correct it")
            axes[at] = replace(axes[at], points=left)
        return replace(made, axes=tuple(axes))


def read_study(name: str, folder: Path) -> StudyDefinition:
    """Returns the study of a folder.

    Raises:
        ScenarioError: study.toml cannot be read, or a key is wrong.
    """
    path = folder / STUDY_FILE
    tables = read_toml(path)
    try:
        return StudyDefinition(name, folder, StudyFile.model_validate(tables))
    except ValidationError as error:
        raise scenario_error(error, str(path), plain(tables)) from None
