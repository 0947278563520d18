"""The scenario: what to run, as a whole."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, PrivateAttr, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from pantala.errors import PlanError, ScenarioError, ScenarioWarning
from pantala.plan import build_plan, resolve_plan
from pantala.scenario.assumptions import assumptions_of
from pantala.scenario.base import Flag, Name, plain
from pantala.scenario.changes import changed
from pantala.scenario.detail import Detail
from pantala.scenario.faults import scenario_error
from pantala.scenario.job import Job
from pantala.scenario.job_checks import faults_of_jobs
from pantala.scenario.keys import RecordKeys, ScenarioKeys, StopKeys
from pantala.scenario.machine import Machine
from pantala.scenario.mixes import jobs_of, jobs_schema
from pantala.scenario.mpi import Mpi, laid_over_machine
from pantala.scenario.plan_faults import error_of_plan
from pantala.scenario.presets import machine_preset
from pantala.scenario.routing import Routing
from pantala.scenario.routing_overlay import mark_inherited, unread_routing_keys, with_full_routings
from pantala.scenario.toml import read_toml
from pantala.scenario.unread_keys import unread_in_scenario
from pantala.scenario.validation import Faults

__all__ = ["Record", "Scenario", "Stop"]


class Stop(StopKeys):
    """When a run ends. Without a duration: when every job that ends has ended."""


class Record(RecordKeys):
    """What a run writes besides the tables of jobs, ranks and links."""


class Scenario(ScenarioKeys):
    """What to run: a machine, a routing, and the jobs that share it.

    The same in TOML and in Python; every quantity is text with a unit. In Python::

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
        ScenarioError: a value is missing, unknown, of the wrong type or out of range: one line that
        names the key and
            the remedy.
    """

    given_elsewhere: ClassVar[tuple[str, ...]] = ("routing",)

    name: Name
    """The name of the run; its directory is runs/NAME unless `--out` says otherwise."""
    interference: Flag = False
    """Run each job alone with the same rank-to-node map, then all together, and compare (Kang et
    al., SC 2022, V)."""
    machine: Machine
    """The network, by the name of a preset or key by key."""
    detail: Detail = Detail()
    """How much detail the simulation keeps: "packet", or `{ coarsen = 2 }` (4, 8) for a faster and
    less exact run."""
    routing: Routing
    """How packets choose their way; the name of the algorithm alone will do. Some machine presets
    give it: theta and cori route as Cray's MPI does by default."""
    routing_all_to_all: Routing | None = None
    """How the packets of all-to-all collectives choose theirs, if not as `routing` says; its keys
    are laid over those of `routing`."""
    mpi: Mpi = Mpi()
    """How messages are sent."""
    jobs: Annotated[tuple[Job, ...], Field(json_schema_extra=jobs_schema)]
    """The jobs that share the machine, or the name of a published mix of jobs (`pantala presets`
    lists them). In a table, beside the name (`preset`), what all of its jobs have, as `placement`,
    and a table for a job whose keys are laid over its own."""
    stop: Stop = Stop()
    """When a run ends."""
    record: Record = Record()
    """What a run writes."""

    _source: str = PrivateAttr(default="scenario")
    _given: dict[str, Any] = PrivateAttr(default_factory=dict)

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """The routing and MPI defaults that were published with the machine, under what is
        given.
        """
        preset = _preset_of(data.get("machine"))
        faults: list[PydanticCustomError] = []
        settled: list[str] = []
        if "jobs" in data:
            try:
                data["jobs"] = jobs_of(data["jobs"])
            except PydanticCustomError as error:
                faults.append(error)
                settled.append("jobs")
                del data["jobs"]
        mpi = data.get("mpi", {})
        if isinstance(mpi, str):
            mpi = {Mpi.shorthand: mpi}
        if isinstance(mpi, Mapping):
            data["mpi"] = laid_over_machine(preset.get("mpi", {}), mpi)
        given = dict(data)
        data = with_full_routings(data, preset)
        faults += unread_routing_keys(given, data)
        if faults:
            raise Faults(faults, data, *settled)
        return data

    @classmethod
    def between_keys(cls, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """The faults between jobs, and between the jobs and the run."""
        yield from faults_of_jobs(data)

    @classmethod
    def between_fields(cls, made: Any, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """The faults of keys that nothing in the scenario reads."""
        yield from unread_in_scenario(made, plain(data))

    def _remember(self, values: Mapping[str, Any]) -> None:
        super()._remember(values)
        self._given = plain(values)

    @model_validator(mode="after")
    def _given_for_itself(self) -> Scenario:
        collective = self.routing_all_to_all
        layers = [(job.routing, self.routing) for job in self.jobs]
        layers += [(job.routing_all_to_all, collective or self.routing) for job in self.jobs]
        layers.append((collective, self.routing))
        preset = {
            key: value
            for key, value in _preset_of(self.machine).get("routing", {}).items()
            if key != "algorithm"
        }
        for above, below in [*layers, (self.routing, Routing.model_validate(preset))]:
            if above is not None:
                mark_inherited(above, below)
        return self

    @property
    def given(self) -> Mapping[str, Any]:
        """What the scenario was made of, without what presets and defaults add."""
        return self._given

    @classmethod
    def from_toml(cls, path: str | Path, *, changes: Mapping[str, Any] | None = None) -> Self:
        """Reads a scenario file.

        Args:
            path: the TOML file.
            changes: values to put over the file's, by path: ``{"routing.algorithm": "minimal"}``;
                see `replace`.

        Raises:
            ScenarioError: the file cannot be read, is not TOML, or is not a scenario.
        """
        return cls.from_dict(read_toml(Path(path)), source=str(path), changes=changes)

    @classmethod
    def from_dict(
        cls,
        data: Mapping[str, Any],
        *,
        source: str = "scenario",
        changes: Mapping[str, Any] | None = None,
    ) -> Self:
        """Makes a scenario of plain dicts, lists, text and numbers, as TOML or JSON have them.

        Args:
            data: the tables of a scenario.
            source: what to name in errors.
            changes: values to put over the data's, by path; see `replace`.

        Raises:
            ScenarioError: the data is not a scenario.
        """
        given = changed(data, changes or {}, source)
        try:
            scenario = cls.model_validate(given)
        except ValidationError as error:
            raise scenario_error(error, source, given) from None
        scenario._source = source
        scenario._given = given
        return scenario

    def replace(self, changes: Mapping[str, Any]) -> Self:
        """A copy with some values changed, validated anew: one line of a parameter sweep.

        Args:
            changes: new values by path: ``{"routing.algorithm": "minimal", "jobs.fft3d.ranks":
                64}``. A job is named by its name or its position: ``jobs[0].ranks`` and
                ``jobs.0.ranks`` are the first job's. A name with dots may stand in quotes:
                ``jobs["fft.2"].ranks``; else the longest name that leaves a key is meant.

        Raises:
            ScenarioError: the result is not a scenario.
        """
        given = self._given or self.model_dump(mode="json", exclude_unset=True)
        return type(self).from_dict(given, source=self._source, changes=changes)

    def __eq__(self, other: object) -> bool:
        """Whether both run the same; where they were read from does not matter."""
        return isinstance(other, Scenario) and self.model_dump() == other.model_dump()

    def __hash__(self) -> int:
        return hash((self.name, self.seed, self.jobs))

    def assumptions(self) -> dict[str, str]:
        """The values that no paper gives: dotted key to reason, as the preset or the routing states
        it.
        """
        return assumptions_of(self)

    def plan(self) -> dict[str, Any]:
        """The plan as JSON-like data: integers in picoseconds, bytes and bytes a second; nodes not
        yet chosen.
        """
        return build_plan(self)

    def resolve(self) -> dict[str, Any]:
        """The resolved plan: every default shown, every rank on its node, and under ``derived``
        what follows.

        Raises:
            ScenarioError: the scenario cannot be run: more ranks than nodes, too few virtual
            channels, ...

        Warns:
            ScenarioWarning: it runs, but packets could wait for each other in a cycle;
            ``derived.warnings`` has the
                same.
        """
        try:
            resolved = resolve_plan(self.plan())
        except PlanError as error:
            raise self.error_of_plan(error) from None
        for message in resolved["derived"].get("warnings", ()):
            warnings.warn(ScenarioWarning(self._source, message), stacklevel=2)
        return resolved

    def error_of_plan(self, error: PlanError) -> ScenarioError:
        """The scenario's own error for the faults that the core found in its plan."""
        return error_of_plan(error, self._source, self._given)


def _preset_of(machine: object) -> dict[str, Any]:
    """The tables of a machine's preset; none if it has none, or if the machine itself will say what
    is wrong.
    """
    if isinstance(machine, Mapping):
        name = machine.get("preset")
    else:
        name = machine.preset if isinstance(machine, Machine) else machine
    try:
        return machine_preset(name) if isinstance(name, str) else {}
    except ValueError:
        return {}
