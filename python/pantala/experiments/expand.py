"""The cases of an experiment and the plans of their runs.

A case is one combination of points of all axes. The last axis varies fastest. The jobs of a case
are placed before the axis ``jobs`` leaves some of them out, so that a job has the same nodes in
every selection of jobs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

from pantala.catalogue.interference_modes import mode_of
from pantala.core.plan import Plan, Resolver
from pantala.errors import PlanError, ProgramError, ScenarioError, UsageError, nearest, show
from pantala.experiments.axes import JOBS, Point
from pantala.experiments.description import Description
from pantala.experiments.seeded import NodesBySeed, SeededRuns
from pantala.planning.record_size import large_bytes
from pantala.planning.run_cost import KnownTraffic
from pantala.runs.parts import Part, parts_of
from pantala.scenario import Scenario
from pantala.scenario.job_copies import with_copies
from pantala.scenario.plan import KnownParts, awaited, build_plan
from pantala.scenario.presets import mix_presets
from pantala.store.identity import SWITCHES, run_id

__all__ = ["Expansion", "ListedRun"]


#: Added to an error about the nodes of all jobs in a case that has some of them only.
_PLACED_FIRST = (
    "as all jobs are placed before the axis jobs leaves some out; or keep one job in their place"
    " and set its workload in named cases of an axis"
)


class ListedRun(NamedTuple):
    """One run of a case, as the list of runs holds it.

    Attributes:
        part: its name.
        run: its identity; None if it lasts as long as another run, which is not known yet.
        table_bytes: the expected bytes of its tables; None if no table can be large.
    """

    part: str
    run: str | None
    table_bytes: float | None


class Expansion:
    """The cases of a description, by number from 0.

    Cases that differ in their seed only share one scenario and one plan.
    """

    def __init__(self, description: Description, *, share: bool = True) -> None:
        """Prepares the cases.

        Args:
            description: the experiment.
            share: whether cases that differ in their seed may share a plan. The results are equal.
        """
        self.description = description
        #: The warnings of the plans made so far, each once.
        self.warnings: dict[str, None] = {}
        # The identities that seeds share know nothing of runs that continue.
        share = share and description.until_precise is None
        self._seed_axis = _shared_axis(description) if share else None
        self._resolve = Resolver()
        self._nodes = NodesBySeed(self._resolve)
        self._known = KnownParts()
        self._traffic = KnownTraffic()
        self._last: tuple[int, _Shared | None] | None = None

    def __len__(self) -> int:
        return prod(len(axis.points) for axis in self.description.axes)

    def shown(self, number: int) -> dict[str, Any]:
        """Returns the values of a case by column."""
        values: dict[str, Any] = {}
        for point in self._points(number):
            values |= point.shown
        return values

    def point_numbers(self, number: int) -> list[int]:
        """Returns the number of the case's point on each axis."""
        numbers = []
        for axis in reversed(self.description.axes):
            number, at = divmod(number, len(axis.points))
            numbers.append(at)
        return numbers[::-1]

    def without_seed(self, number: int) -> tuple[int, ...]:
        """Returns the numbers of the case's points on the axes other than the seed."""
        numbers = self.point_numbers(number)
        return tuple(at for axis, at in enumerate(numbers) if axis != self.description.seed_axis)

    def by_seeds(self) -> Iterator[int]:
        """Yields the numbers of all cases; those that differ in their seed follow one another."""
        if self._seed_axis is None:
            yield from range(len(self))
            return
        sizes = [len(axis.points) for axis in self.description.axes]
        step = prod(sizes[self._seed_axis + 1 :])
        seeds = sizes[self._seed_axis]
        for first in range(len(self)):
            if first // step % seeds == 0:
                yield from range(first, first + seeds * step, step)

    def parts(self, number: int) -> list[Part]:
        """Returns the runs of a case, with the record of the tables that are kept.

        Raises:
            ScenarioError: the case cannot be run; the text names the case.
        """
        scenario, resolved = self._found(number)
        return self._parts_of(scenario, resolved, number)

    def listed(self, number: int) -> list[ListedRun]:
        """Returns the name, the identity and the size of each run of a case.

        Raises:
            ScenarioError: the case cannot be run; the text names the case.
        """
        shared = self._shared(number)
        if shared is not None and shared.runs is not None:
            try:
                found = shared.runs.run_ids(self._seed(number))
                sizes = shared.table_bytes
                return [ListedRun(*run, size) for run, size in zip(found, sizes, strict=True)]
            except PlanError:
                pass
        scenario, resolved = self._found(number, assumptions=False)
        return [
            ListedRun(part.name, None if part.as_long_as else self._run_id(part), self._size(part))
            for part in self._parts_of(scenario, resolved, number)
        ]

    def _found(self, number: int, *, assumptions: bool = True) -> tuple[Scenario, Plan]:
        """Returns the scenario of a case, perhaps with another seed, and its resolved plan."""
        shared = self._shared(number)
        if shared is not None:
            try:
                resolved = shared.resolved(
                    self._seed(number), self._resolve, assumptions=assumptions
                )
                return shared.scenario, self._noted(resolved)
            except PlanError:
                pass  # the case by itself says it in the words of the scenario
        scenario = self._scenario(number)
        try:
            plan = build_plan(scenario, assumptions=assumptions, known=self._known)
            resolved = self._resolve(plan)
        except PlanError as error:
            found = scenario.error_of_plan(error)
            if found.key == JOBS and self._changes(number)[1] is not None:
                found = found.extended(_PLACED_FIRST)
            raise self._told_of(found, number) from None
        except ProgramError as error:
            raise ProgramError(f"{self.place(number)}: {error}") from None
        return scenario, self._noted(resolved)

    def _shared(self, number: int) -> _Shared | None:
        """Returns what the seeds of a case share; None if they share no plan."""
        if self._seed_axis is None:
            return None
        at = self.point_numbers(number)[self._seed_axis]
        sizes = [len(axis.points) for axis in self.description.axes]
        step = prod(sizes[self._seed_axis + 1 :])
        first = number - at * step
        if self._last is None or self._last[0] != first:
            last = first + (sizes[self._seed_axis] - 1) * step
            self._last = (first, self._made_shared(first, last))
        return self._last[1]

    def _made_shared(self, first: int, last: int) -> _Shared | None:
        try:
            scenario, other = self._scenario(first), self._scenario(last)
            plan, of_other = build_plan(scenario), build_plan(other)
            # A scenario could draw something from its seed while it is read, ...
            if of_other != build_plan(_with_seed(scenario, other.seed)):
                return None
            # ... or while its plan is made. Resolving replaces hybrid placements by others, and the
            # messages that decide can be random.
            hybrid = any(job.placement.kind == "hybrid" for job in scenario.all_jobs)
            if hybrid or {**of_other, "seed": scenario.seed} != plan:
                return _Shared(scenario)
            resolved = self._noted(self._resolve(plan))
        except (ScenarioError, PlanError, ProgramError):
            return None  # a case by itself says it in the words of the scenario
        parts = self._parts_of(scenario, resolved, first)
        runs = SeededRuns(plan, parts, self._nodes)
        return _Shared(scenario, plan, runs, tuple(map(self._size, parts)))

    def _size(self, part: Part) -> float | None:
        """Returns the expected bytes of the tables of a run.

        A run that lasts as long as another one has a part of its jobs, so its tables are smaller.
        """
        return None if part.as_long_as else large_bytes(part.plan, self._traffic)

    def _seed(self, number: int) -> int:
        assert self._seed_axis is not None
        at = self.point_numbers(number)[self._seed_axis]
        (seed,) = self.description.axes[self._seed_axis].points[at].changes.values()
        return int(seed)

    def _scenario(self, number: int) -> Scenario:
        changes, _ = self._changes(number)
        try:
            return self.description.base.replace(changes)
        except ScenarioError as error:
            raise self._told_of(error, number) from None

    def _noted(self, resolved: Plan) -> Plan:
        """Notes the warnings of a resolved plan. Python's warnings would repeat for every case."""
        self.warnings |= dict.fromkeys(resolved.notices())
        return resolved

    def _parts_of(self, scenario: Scenario, resolved: Plan, number: int) -> list[Part]:
        _, present = self._changes(number)
        if present is not None:
            there = set(resolved.job_names)
            if missing := [name for name in present if name not in there]:
                raise ScenarioError(
                    self.place(number),
                    JOBS,
                    "",
                    f"this case has no job '{missing[0]}'",
                    "choose jobs that every case has, or write named cases that choose both",
                )
            resolved = resolved.subset(present, "+".join(present))
        record = dict(resolved["record"])
        for table, (key, off) in SWITCHES.items():
            if table not in self.description.keep:
                record[key] = off
        if record["packets"] == "off" and "packet_hops" not in self.description.keep:
            # Choices of packets have no effect without packets.
            record["packet_paths"] = False
            for key in ("packet_jobs", "packet_routers"):
                record.pop(key, None)
        resolved = resolved.with_(record=record)
        until = self.description.until_precise
        if until is not None:
            self._check_endless(scenario, resolved, number)
            resolved = until.prepared(resolved)
        return parts_of(scenario, resolved)

    def _run_id(self, part: Part) -> str:
        until = self.description.until_precise
        return run_id(part.plan) if until is None else until.run_id(part.plan)

    def _check_endless(self, scenario: Scenario, resolved: Plan, number: int) -> None:
        """Checks that a run can continue until it is precise."""
        place, why = self.place(number), "until_precise continues runs of endless traffic"
        if mode_of(scenario.interference) is not None:
            raise ScenarioError(
                place, "interference", "", f"{why}, not jobs alone and together", "remove one"
            )
        for name in sorted(awaited(resolved)):
            raise ScenarioError(
                place, "jobs", name, f"the job ends by itself, and {why}", "choose patterns"
            )
        if not resolved["stop"].get("duration_ps"):
            raise ScenarioError(
                place,
                "stop.duration",
                "",
                f"is missing, and {why}",
                "give the time of the first look",
            )

    def _told_of(self, error: ScenarioError, number: int) -> ScenarioError:
        """Returns an error that names the case."""
        return error.respelled(self.place(number), lambda key: key)

    def named(self, number: int, part: str) -> str:
        """Returns the words for a run in an error: the experiment, the case, and the part."""
        several = self.description.base.interference
        return self.place(number) + (f", part {part}" if several else "")

    def place(self, number: int) -> str:
        """Returns the words for a case in an error: the experiment, and the values of the axes."""
        values = self.named_values(number)
        return self.description.source + (f": case {values}" if values else "")

    def _points(self, number: int) -> list[Point]:
        numbers = self.point_numbers(number)
        axes = self.description.axes
        return [axis.points[at] for axis, at in zip(axes, numbers, strict=True)]

    def _changes(self, number: int) -> tuple[dict[str, Any], list[str] | None]:
        """Returns the changes of a case, and the jobs that are present if an axis chooses them."""
        changes: dict[str, Any] = {}
        present = None
        for point in self._points(number):
            for key, value in point.changes.items():
                if key == JOBS and (chosen := self._chosen(value)) is not None:
                    present = chosen
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
        value = with_copies(value, self.description.base.jobs)
        for name in value:
            if name not in self._job_names:
                known = dict.fromkeys(
                    [*(job.name for job in self.description.base.jobs), *self._job_names]
                )
                close = nearest(name, known)
                hint = f"did you mean '{close}'?" if close else f"choose {', '.join(known)}"
                raise UsageError(
                    f"{self.description.source}: axis jobs = '{name}': there is no such job; {hint}"
                )
        if not value:
            raise UsageError(f"{self.description.source}: axis jobs = []: names no job; name one")
        return [name for name in self._job_names if name in value]

    @cached_property
    def _job_names(self) -> list[str]:
        return [job.name for job in self.description.base.all_jobs]

    def named_values(self, number: int) -> str:
        """Returns the values of a case in words."""
        return ", ".join(f"{key}={show(value, 30)}" for key, value in self.shown(number).items())


@dataclass(frozen=True)
class _Shared:
    """What cases that differ in their seed share.

    Attributes:
        scenario: the scenario of the first of them.
        plan: its plan, not resolved; None if more than the seed of the plan follows from the seed.
        runs: the identities of the runs of all of them; None without a plan.
        table_bytes: the expected bytes of the tables of each run, which no seed changes.
    """

    scenario: Scenario
    plan: dict[str, Any] | None = None
    runs: SeededRuns | None = None
    table_bytes: tuple[float | None, ...] = ()

    def resolved(self, seed: int, resolve: Resolver, *, assumptions: bool = True) -> Plan:
        """Returns the plan of a seed, which `resolve` resolves.

        Raises:
            PlanError: it cannot be run.
        """
        if self.plan is not None:
            return resolve({**self.plan, "seed": seed})
        return resolve(build_plan(_with_seed(self.scenario, seed), assumptions=assumptions))


def _with_seed(scenario: Scenario, seed: int) -> Scenario:
    """Returns a scenario with another seed, which is valid, without reading it again."""
    return scenario.model_copy(update={"seed": seed})


def _shared_axis(description: Description) -> int | None:
    """Returns the number of the axis of seeds if its cases can share a plan."""
    number = description.seed_axis
    if number is None or description.seeds < 2:
        return None
    values = [point.changes["seed"] for point in description.axes[number].points]
    # Other values are the scenario's to refuse.
    return number if all(type(each) is int and 0 <= each < 2**63 for each in values) else None
