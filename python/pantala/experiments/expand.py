"""The cases of an experiment and the plans of their runs.

A case is one combination of points of all axes. The last axis varies fastest. The jobs of a case
are placed before the axis ``jobs`` leaves some of them out, so that a job has the same nodes in
every selection of jobs.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import prod
from typing import Any

from pantala import native
from pantala.errors import PlanError, ScenarioError, UsageError, nearest, show
from pantala.experiments.axes import JOBS
from pantala.experiments.description import Description
from pantala.experiments.identity import run_id
from pantala.experiments.parts import Part, parts_of
from pantala.plan import only_jobs
from pantala.scenario import Scenario
from pantala.scenario.presets import mix_presets

__all__ = ["Expansion"]

#: The value in a plan that switches off the record of a table that is not kept.
_OFF: Mapping[str, tuple[str, Any]] = {
    "packets": ("packets", "off"),
    "messages": ("messages", False),
    "iterations": ("iterations", False),
    "link_windows": ("link_windows", False),
}
_EVERY = "jobs.*."


class Expansion:
    """The cases of a description, by number from 0."""

    def __init__(self, description: Description) -> None:
        self.description = description
        #: The warnings of the plans made so far, each once.
        self.warnings: dict[str, None] = {}

    def __len__(self) -> int:
        return prod(len(axis.points) for axis in self.description.axes)

    def shown(self, number: int) -> dict[str, Any]:
        """Returns the values of a case by column."""
        values: dict[str, Any] = {}
        for point in self._points(number):
            values |= point.shown
        return values

    def parts(self, number: int) -> list[Part]:
        """Returns the runs of a case, with the record of the tables that are kept.

        Raises:
            ScenarioError: the case cannot be run; the text names the case.
        """
        changes, present = self._changes(number)
        try:
            scenario = self.description.base.replace(changes)
            resolved = _resolved(scenario)
        except ScenarioError as error:
            where = self.description.source
            if values := self._told(number):
                where += f": case {values}"
            raise error.respelled(where, lambda key: key) from None
        self.warnings |= dict.fromkeys(resolved["derived"].get("warnings", ()))
        if present is not None:
            resolved = only_jobs(resolved, present, "+".join(present))
        record = dict(resolved["record"])
        for table, (key, off) in _OFF.items():
            if table not in self.description.keep:
                record[key] = off
        return parts_of(scenario, {**resolved, "record": record})

    def run_ids(self, number: int) -> list[tuple[str, str | None]]:
        """Returns the name and the identity of each run of a case.

        The identity is None if the run lasts as long as another run, which is not known yet.
        """
        return [
            (part.name, None if part.as_long_as_together else run_id(part.plan))
            for part in self.parts(number)
        ]

    def _points(self, number: int) -> list[Any]:
        points = []
        for axis in reversed(self.description.axes):
            number, at = divmod(number, len(axis.points))
            points.append(axis.points[at])
        return points[::-1]

    def _changes(self, number: int) -> tuple[dict[str, Any], list[str] | None]:
        """Returns the changes of a case, and the jobs that are present if an axis chooses them."""
        changes: dict[str, Any] = {}
        present = None
        for point in self._points(number):
            for key, value in point.changes.items():
                if key == JOBS and (chosen := self._chosen(value)) is not None:
                    present = chosen
                elif key.startswith(_EVERY):
                    rest = key.removeprefix(_EVERY)
                    changes |= {f'jobs["{name}"].{rest}': value for name in self._job_names}
                else:
                    changes[key] = value
        return changes, present

    def _chosen(self, value: Any) -> list[str] | None:
        """Returns the jobs that a value of the axis ``jobs`` names; None if it replaces the jobs.

        A list of tables and the name of a mix replace the jobs of the scenario.
        """
        if isinstance(value, str):
            if value.partition("(")[0].strip() in mix_presets():
                return None
            value = [name.strip() for name in value.split("+")]
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            return None
        for name in value:
            if name not in self._job_names:
                close = nearest(name, self._job_names)
                hint = (
                    f"did you mean '{close}'?" if close else f"choose {', '.join(self._job_names)}"
                )
                raise UsageError(
                    f"{self.description.source}: axis jobs = '{name}': there is no such job; {hint}"
                )
        if not value:
            raise UsageError(f"{self.description.source}: axis jobs = []: names no job; name one")
        return [name for name in self._job_names if name in value]

    @cached_property
    def _job_names(self) -> list[str]:
        return [job.name for job in self.description.base.jobs]

    def _told(self, number: int) -> str:
        return ", ".join(f"{key}={show(value, 30)}" for key, value in self.shown(number).items())


def _resolved(scenario: Scenario) -> dict[str, Any]:
    """Returns the resolved plan without Python's warnings, which would repeat for every case."""
    try:
        return native.resolve(scenario.plan())
    except PlanError as error:
        raise scenario.error_of_plan(error) from None
