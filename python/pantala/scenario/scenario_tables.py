"""The tables of a scenario as a type, for functions that read a scenario but do not make one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pantala.catalogue.key import Key
    from pantala.scenario.detail import Detail
    from pantala.scenario.job import Job
    from pantala.scenario.machine import Machine
    from pantala.scenario.mpi import Mpi
    from pantala.scenario.record import Record
    from pantala.scenario.routing import Routing
    from pantala.scenario.skip import Skip
    from pantala.scenario.stop import Stop

__all__ = ["ScenarioTables"]


class ScenarioTables(Protocol):
    """A validated scenario; `pantala.scenario.Scenario` is the only one."""

    @property
    def name(self) -> str:
        """The name of the run."""

    @property
    def seed(self) -> int:
        """The seed of all random numbers."""

    @property
    def machine(self) -> Machine:
        """The network."""

    @property
    def detail(self) -> Detail:
        """The detail of the simulation."""

    @property
    def skip(self) -> Skip | None:
        """The skipping of time in which jobs repeat, if there is any."""

    @property
    def routing(self) -> Routing:
        """The routing of packets."""

    @property
    def routing_all_to_all(self) -> Routing | None:
        """The routing of all-to-all collectives, if they have one of their own."""

    @property
    def mpi(self) -> Mpi:
        """The message layer."""

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The jobs that share the machine."""

    @property
    def all_jobs(self) -> tuple[Job, ...]:
        """The jobs that run, with all copies."""

    @property
    def stop(self) -> Stop:
        """The end of the run."""

    @property
    def record(self) -> Record:
        """The tables that a run writes."""

    @property
    def declared(self) -> Mapping[str, Key]:
        """The keys that the scenario shares with the core, by name."""

    @property
    def given(self) -> Mapping[str, Any]:
        """The scenario as it was given, without the values of presets and defaults."""

    def assumptions(self) -> dict[str, str]:
        """Returns the values that no paper states: dotted key to reason."""
