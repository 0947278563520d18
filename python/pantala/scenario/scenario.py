"""The scenario: the complete input of a simulation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, PrivateAttr, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from pantala.core.plan import Plan
from pantala.errors import PlanError, ScenarioError, ScenarioWarning
from pantala.models.base import Model, Name, plain
from pantala.models.faults import scenario_error
from pantala.models.keys import ScenarioKeys
from pantala.models.validation import faults_below, refuse_all
from pantala.scenario.assumptions import assumptions_of
from pantala.scenario.background import Background
from pantala.scenario.changes import SHORTHANDS, changed
from pantala.scenario.detail import Detail
from pantala.scenario.equal_parts import BY_THEMSELVES, ROUTINGS, equal_parts
from pantala.scenario.interference import Interference
from pantala.scenario.job import Job
from pantala.scenario.job_checks import faults_of_jobs, too_many_copies
from pantala.scenario.job_copies import copies_of
from pantala.scenario.key_homes import key_homes
from pantala.scenario.machine import Machine
from pantala.scenario.machine_defaults import completed
from pantala.scenario.mixes import jobs_schema
from pantala.scenario.mpi import Mpi
from pantala.scenario.plan import build_plan
from pantala.scenario.plan_faults import at_written_jobs, error_of_plan, with_remedy
from pantala.scenario.record import Record, windows_beyond
from pantala.scenario.relative_paths import with_paths_beside
from pantala.scenario.routing import Routing
from pantala.scenario.routing_overlay import (
    broken_capacities,
    routings_of,
)
from pantala.scenario.skip import Skip
from pantala.scenario.snapshot import Snapshot
from pantala.scenario.stop import Stop
from pantala.scenario.toml import read_toml
from pantala.scenario.unread_scenario_keys import unread_in_scenario

__all__ = ["Scenario"]

#: Tables with keys that another table or a preset can leave without effect.
_CHECKED = ("machine", "mpi", "record", "routing")


class Scenario(ScenarioKeys):
    """The complete input of a simulation: a machine, a routing, and the jobs that share it.

    TOML files and Python objects have the same keys. Every quantity is text with a unit. In
    Python::

        scenario = pt.Scenario(
            name="pair",
            machine="kang2022",
            routing="ugal_g",
            jobs=[
                pt.Job(name="halo", ranks=8, workload=pt.Halo3d(grid=(2, 2, 2), message="16 kB",
                iterations=2)),
            ],
        )

    Raises:
        ScenarioError: a value is missing, unknown, of the wrong type or out of range. The text is
            one line with the key and the remedy.
    """

    given_elsewhere: ClassVar[tuple[str, ...]] = ("routing", "jobs")

    name: Name
    """The name of the run. The run directory is runs/NAME unless `--out` names another."""
    interference: Interference = False
    """The runs to compare (Kang et al., SC 2022, V). "together", or true: each job alone with the
    same rank-to-node map, and all jobs together. "pairs": also each pair of jobs. "leave_one_out":
    also all jobs but one, for each job. `{ targets = ["fft3d"] }`: only the targets run alone; the
    other jobs are the background."""
    machine: Machine
    """The network: the name of a preset, or a table of keys."""
    detail: Detail = Detail()
    """The detail of the simulation: "packet", or `{ coarsen = 2 }` (also 4 or 8) for a faster and
    less exact run."""
    skip: Skip | None = None
    """Skipping of time in which jobs repeat: `"1 %"`, or `{ tolerance = "1 %", minimum = 8 }`. Long
    runs take a small part of their time, at an error that the run states. Default: all time is
    simulated."""
    routing: Routing
    """The routing of all packets. The name of the algorithm alone is enough. Some machine presets
    set it: theta and cori use the default routing of Cray's MPI."""
    routing_all_to_all: Routing | None = None
    """The routing of the packets of all-to-all collectives. Its keys replace keys of `routing`.
    Default: the same as `routing`."""
    mpi: Mpi = Mpi()
    """The costs and algorithms of the MPI layer."""
    jobs: Annotated[tuple[Job, ...], Field(json_schema_extra=jobs_schema)]
    """The jobs that share the machine, or the name of a published mix of jobs. `pantala presets`
    lists the mixes. A table with `preset` is a mix with changes: keys for all its jobs, such as
    `placement`, or a table per job."""
    snapshot: Snapshot | None = None
    """The jobs of a log of SWF or Slurm that ran at a time, on their nodes, beside `jobs`. Default:
    no snapshot."""
    background: Background | None = None
    """Jobs drawn at random that fill the machine beside `jobs`. An empty table `[background]` is
    enough. Default: no background."""
    stop: Stop = Stop()
    """The end of the run."""
    record: Record = Record()
    """The optional output of the run."""

    _source: str = PrivateAttr(default="scenario")
    #: The values from which all jobs are made, and all jobs.
    _drawn: tuple[tuple[Any, ...], tuple[Job, ...]] | None = PrivateAttr(default=None)
    _given: dict[str, Any] = PrivateAttr(default_factory=dict)
    #: Adds the line of a file of another program to an error, if the scenario is made from one.
    _located: Callable[[ScenarioError], ScenarioError] | None = PrivateAttr(default=None)

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Returns the data with the mix's jobs and with the machine's routing and MPI defaults."""
        return completed(data)

    @classmethod
    def between_keys(cls, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """Yields the faults between jobs, and between the jobs and the run."""
        yield from faults_of_jobs(data)

    @classmethod
    def between_fields(cls, made: Any, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """Yields the faults of keys that nothing in the scenario reads."""
        tables = {key: plain(data[key]) for key in _CHECKED if key in data}
        yield from unread_in_scenario(made, tables)
        given = tables.get("record", {})
        if isinstance(made.record, Record) and isinstance(given, Mapping):
            yield from windows_beyond(made.record, made.stop.duration, given)
        if isinstance(made.machine, Machine):
            sizes = (int(made.machine.packet), int(made.machine.flit))
            yield from broken_capacities(routings_of(made), sizes)

    def _remember(self, values: Mapping[str, Any]) -> None:
        super()._remember(values)
        self._remember_given(plain(values))

    @model_validator(mode="after")
    def _with_background(self) -> Scenario:
        refuse_all(too_many_copies(self.jobs, self.machine.job_nodes))
        self.all_jobs  # draws the background  # noqa: B018
        return self

    @property
    def source(self) -> str:
        """The scenario's file, or another name for it in errors and warnings."""
        return self._source

    @property
    def given(self) -> Mapping[str, Any]:
        """The given keys of the scenario, without values of presets and defaults."""
        return self._given

    @classmethod
    def from_toml(cls, path: str | Path, *, changes: Mapping[str, Any] | None = None) -> Self:
        """Reads a scenario file.

        Relative paths of programs, traces and other files of jobs lead to files beside the scenario
        file, or else in the current directory.

        Args:
            path: the TOML file.
            changes: new values by path, such as ``{"routing.algorithm": "minimal"}``; see
                `replace`.

        Raises:
            ScenarioError: the file cannot be read, is not TOML, or is not a scenario.
        """
        tables = with_paths_beside(read_toml(Path(path), SHORTHANDS), Path(path).parent)
        return cls.from_dict(tables, source=str(path), changes=changes)

    @classmethod
    def from_ember(
        cls,
        path: str | Path,
        *,
        preset: str = "kang2022",
        variables: Mapping[str, str] | None = None,
        changes: Mapping[str, Any] | None = None,
    ) -> Self:
        """Reads a load file of SST's Ember.

        The scenario has the MPI layer `sst_sc22` and minimal routing, unless `changes` say
        otherwise.

        Args:
            path: the load file.
            preset: the machine.
            variables: values of variables; they replace the values of ``[VAR]`` in the file.
            changes: new values by path, such as ``{"routing.algorithm": "par"}``; see `replace`.

        Raises:
            ScenarioError: the file cannot be read, or Pantala cannot run it. The text starts with
                the file and the line.
        """
        from pantala.importers.ember import ember_scenario

        imported = ember_scenario(Path(path), preset, variables)
        try:
            scenario = cls.from_dict(imported.tables, source=str(path), changes=changes)
        except ScenarioError as error:
            raise imported.located(error) from None
        imported.check_nodes(scenario.machine.nodes, preset)
        scenario._located = imported.located
        return scenario

    @classmethod
    def from_dict(
        cls,
        data: Mapping[str, Any],
        *,
        source: str = "scenario",
        changes: Mapping[str, Any] | None = None,
    ) -> Self:
        """Makes a scenario from plain dicts, lists, text and numbers, as in TOML or JSON.

        Args:
            data: the tables of a scenario.
            source: the name for errors.
            changes: new values by path; see `replace`.

        Raises:
            ScenarioError: the data is not a scenario.
        """
        return cls._of(changed(data, {} if changes is None else changes, source), source)

    @classmethod
    def _of(cls, given: dict[str, Any], source: str, like: Scenario | None = None) -> Self:
        """Makes a scenario from its tables.

        Args:
            given: the tables.
            source: the name for errors.
            like: a scenario whose machine, jobs and other tables are taken over if the tables have
                equal ones. Most of the time to read a scenario goes into them.
        """
        tables = given if like is None else {**given, **equal_parts(like, like._given, given)}
        try:
            scenario = cls.model_validate(tables)
        except ValidationError as error:
            raise scenario_error(error, source, given, key_homes()) from None
        scenario._source = source
        scenario._remember_given(given)
        return scenario

    def _remember_given(self, given: dict[str, Any]) -> None:
        """Keeps the tables from which the scenario and its parts were made.

        The parts themselves were validated with the values of presets and of the layers below.
        """
        self._given = self._made_of = given
        jobs = given.get("jobs")
        tables: list[tuple[Any, Any]] = [(self.machine, given.get("machine"))]
        if isinstance(jobs, list) and len(jobs) == len(self.jobs):
            tables += zip(self.jobs, jobs, strict=True)
        tables += ((getattr(self, name), given.get(name, {})) for name in BY_THEMSELVES)
        for above, keys in [(self, given), *tables]:
            if isinstance(above, Scenario | Job) and isinstance(keys, Mapping):
                tables += ((getattr(above, name), keys.get(name, {})) for name in ROUTINGS)
        for made, keys in tables:
            table = {made.shorthand: keys} if isinstance(keys, str) else keys
            if isinstance(made, Model) and isinstance(table, Mapping):
                made._remember(table)

    def replace(self, changes: Mapping[str, Any]) -> Self:
        """Returns a validated copy with some values changed, for example for a parameter sweep.

        Args:
            changes: new values by path, such as ``{"routing.algorithm": "minimal",
                "jobs.fft3d.ranks": 64}``. A path names a job by name or by position.
                ``jobs[0].ranks`` and ``jobs.0.ranks`` are the ranks of the first job. A name with
                dots can stand in quotes: ``jobs["fft.2"].ranks``. Without quotes, the longest name
                with a key after it is used.

        Raises:
            ScenarioError: the result is not a scenario.
        """
        return self._of(changed(self._given, changes, self._source), self._source, self)

    def __eq__(self, other: object) -> bool:
        """Returns whether both have the same values, regardless of their origin."""
        return isinstance(other, Scenario) and self.model_dump() == other.model_dump()

    def __hash__(self) -> int:
        return hash((self.name, self.seed, self.jobs))

    @property
    def all_jobs(self) -> tuple[Job, ...]:
        """The jobs that run: `jobs` with all copies, then snapshot, then background."""
        made_of = (self.jobs, self.snapshot, self.background, self.machine, self.seed)
        if self._drawn is None or any(
            one is not other for one, other in zip(self._drawn[0], made_of, strict=True)
        ):
            jobs = [copy for job in self.jobs for copy in copies_of(job)]
            if self.snapshot is not None:
                with faults_below("snapshot"):
                    jobs += self.snapshot.jobs(self.seed, self.machine.nodes)
            if self.background is not None:
                with faults_below("background"):
                    jobs += self.background.drawn(jobs, self.machine.job_nodes, self.seed)
            self._drawn = (made_of, tuple(jobs))
        return self._drawn[1]

    def assumptions(self) -> dict[str, str]:
        """Returns the values that no paper states, as reasons by dotted key."""
        return assumptions_of(self)

    def _repr_html_(self) -> str:
        from pantala.scenario.notebook import scenario_html

        return scenario_html(self)

    def plan(self) -> dict[str, Any]:
        """Returns the plan as JSON-like data.

        Times are integers in picoseconds, sizes are bytes, and bandwidths are bytes per second.
        The core chooses the nodes of the jobs and the links that fail; `resolve` has them.

        Raises:
            ScenarioError: a file of links cannot be read.
        """
        try:
            return build_plan(self)
        except PlanError as error:
            raise self.error_of_plan(error) from None

    def resolve(self) -> dict[str, Any]:
        """Returns the resolved plan.

        It shows every default and the node of every rank. The table ``derived`` holds the values
        that follow from the plan.

        Raises:
            ScenarioError: the scenario cannot be run, for example because jobs have more ranks than
                there are nodes.

        Warns:
            ScenarioWarning: the scenario runs, but packets can wait for each other in a cycle.
                ``derived.warnings`` holds the same text.
        """
        return self.resolved_plan().document

    def resolved_plan(self) -> Plan:
        """Returns the handle on the resolved plan, which can be run as it is.

        Raises:
            ScenarioError: the scenario cannot be run.

        Warns:
            ScenarioWarning: as `resolve`.
        """
        plan = self.plan()
        try:
            resolved = Plan(plan)
        except PlanError as error:
            raise self.error_of_plan(error) from None
        for message in resolved.notices():
            warnings.warn(ScenarioWarning(self._source, message), stacklevel=2)
        return resolved

    def error_of_plan(self, error: PlanError) -> ScenarioError:
        """Returns the scenario's own error for the faults that the core found in its plan."""
        places = [
            f"jobs[{number}]" for number, job in enumerate(self.jobs) for _ in range(job.count)
        ]
        if self.snapshot is not None:
            more = [job.name.startswith("background-") for job in self.all_jobs[len(places) :]]
            places += ["snapshot.file"] * more.count(False)
            if error.key == "jobs" and self.snapshot.remedy_of_size is not None:
                error = with_remedy(error, self.snapshot.remedy_of_size)
        names = [job.name for job in self.all_jobs]
        found = error_of_plan(at_written_jobs(error, places, names), self._source, self._given)
        return found if self._located is None else self._located(found)
