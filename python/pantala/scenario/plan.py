"""From scenario to plan: the same run in integers (picoseconds, bytes, bytes per second).

The core reads plans. The keys of a plan are the scenario's, with the unit in the name if there is
one; `pantala.scenario.plan_faults.scenario_key` leads back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from pantala.core.job_end import ends_by_itself
from pantala.scenario.job_copies import named_copies, with_copies
from pantala.text.capacity import Capacity

if TYPE_CHECKING:
    from pantala.catalogue.key import Key, Unit
    from pantala.scenario.job import Job
    from pantala.scenario.machine import Machine, Router
    from pantala.scenario.mpi import Mpi
    from pantala.scenario.routing import Routing
    from pantala.scenario.scenario_tables import ScenarioTables

__all__ = [
    "PLAN_VERSION",
    "KnownParts",
    "awaited",
    "build_plan",
    "plan_text",
]

PLAN_VERSION = 5

_WIDTH = 110
#: Types of values that have no unit of their own.
_PLAIN = frozenset({int, float, bool, str})
#: The number of parts that are kept for other plans.
_MOST_PARTS = 256


class Keyed(Protocol):
    """A part of a scenario with keys that the core declares."""

    @property
    def declared(self) -> Mapping[str, Key]:
        """The keys by their names in the scenario."""


class KnownParts:
    """The parts of plans of scenarios that share models, as the cases of an experiment do.

    A model is immutable, so an equal object has an equal part. A bounded number of them is kept.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[Any, ...], tuple[tuple[Any, ...], dict[str, Any]]] = {}

    def find(self, make: Callable[..., dict[str, Any]], *models: Any) -> dict[str, Any]:
        """Returns what `make` returns for some models: a new table, whose values are shared."""
        key = (make, *map(id, models))
        found = self._found.get(key)
        if found is None:
            if len(self._found) >= _MOST_PARTS:
                self._found.clear()
            # The models are kept as well, so that no other object gets their identity.
            found = self._found[key] = (models, make(*models))
        return dict(found[1])


def build_plan(
    scenario: ScenarioTables, *, assumptions: bool = True, known: KnownParts | None = None
) -> dict[str, Any]:
    """Returns the plan of a scenario with every default; the core chooses nodes, links and VCs.

    Args:
        scenario: the scenario.
        assumptions: whether to list the assumptions, which change no result.
        known: the parts of the plans of similar scenarios. The plan shares tables with them, so the
            caller must not change it.

    Raises:
        PlanError: a file of links cannot be read.
    """
    machine, sizes = scenario.machine, _sizes(scenario.machine)
    known = known or KnownParts()
    return {
        "plan_version": PLAN_VERSION,
        "name": scenario.name,
        **_values(scenario, sizes),
        **known.find(_machine, machine),
        **_coarse(scenario),
        "routing": _routing(scenario.routing, machine),
        "routing_all_to_all": _routing(scenario.routing_all_to_all, machine),
        "mpi": known.find(_mpi, scenario.mpi, machine),
        "jobs": [
            _seeded(known.find(_job, job, machine), job, scenario.seed) for job in scenario.all_jobs
        ],
        "stop": _stop(scenario, sizes),
        "record": named_copies(
            {**_values(scenario.record, sizes), **scenario.record.as_plan()}, scenario.jobs
        ),
        # Stored runs without it keep their identity.
        **({} if scenario.skip is None else {"skip": scenario.skip.as_plan()}),
        "assumptions": scenario.assumptions() if assumptions else {},
    }


def awaited(plan: Mapping[str, Any]) -> set[str]:
    """Returns the names of the jobs whose end a run waits for: its targets.

    Without `stop.target`, these are the jobs that end by themselves.
    """
    target = plan["stop"].get("target")
    return {
        job["name"]
        for job in plan["jobs"]
        if ends_by_itself(job) and (not target or job["name"] in target)
    }


def _stop(scenario: ScenarioTables, sizes: tuple[int, int]) -> dict[str, Any]:
    values = _values(scenario.stop, sizes)
    target = with_copies(scenario.stop.target, scenario.jobs)
    return values | {"target": target} if target else values


def _sizes(machine: Machine) -> tuple[int, int]:
    """Returns the bytes of a full packet and of a flit."""
    return int(machine.packet), int(machine.flit)


def _values(model: Keyed, sizes: tuple[int, int]) -> dict[str, Any]:
    """Returns the values that a model shares with the core, by their names in the plan."""
    return {
        key.plan: _value(getattr(model, name), key.unit, sizes)
        for name, key in model.declared.items()
        if not (key.later and _has_default(model, name))
    }


def _has_default(model: Any, name: str) -> bool:
    return bool(getattr(model, name) == type(model).model_fields[name].default)


def _value(value: Any, unit: Unit, sizes: tuple[int, int]) -> Any:
    """Returns a value in the core's unit; a missing value is 0."""
    if value is None:
        return 0
    if type(value) in _PLAIN:  # most values; checks of abstract types take longer than the rest
        return int(value) if unit else value
    if isinstance(value, Capacity):
        return value.packets(*sizes) if unit == "packets" else value.flits(*sizes)
    return int(value) if unit else value


def _machine(machine: Machine) -> dict[str, Any]:
    sizes = _sizes(machine)
    links = machine.links.classes()
    return {
        "topology": machine.topology.as_plan(),
        "service_nodes": [list(span) for span in machine.service_ranges()],
        "links": (
            dict.fromkeys(("terminal", "local", "row", "column", "global"))
            | {name: _values(link, sizes) for name, link in links.items()}
        ),
        **_values(machine, sizes),
        "router": _router(machine.router, sizes),
        "nic": _values(machine.nic, sizes),
    }


def _mpi(mpi: Mpi, machine: Machine) -> dict[str, Any]:
    sizes = _sizes(machine)
    return {**_values(mpi, sizes), "collectives": _values(mpi.collectives, sizes)}


def _router(router: Router, sizes: tuple[int, int]) -> dict[str, Any]:
    """Returns the stages of a router.

    A preset may give a delay of credits for a stage that the scenario replaces; it is left out.
    """
    values = {"model": router.model, **_values(router, sizes)}
    return values if router.credit_latency == "fixed" else values | {"credit_delay_ps": 0}


def _coarse(scenario: ScenarioTables) -> dict[str, Any]:
    """Returns the coarsening of a plan and the sizes that follow from it.

    These are the packet, and buffers counted in packets.
    """
    coarsen = scenario.detail.coarsen
    machine = scenario.machine
    nic = _values(machine.nic, _sizes(machine))
    nic["buffer_packets"] = -(-nic["buffer_packets"] // coarsen)
    return {
        "packet_bytes": int(machine.packet) * coarsen,
        "detail": _values(scenario.detail, _sizes(machine)),
        "nic": nic,
    }


def _routing(routing: Routing | None, machine: Machine) -> dict[str, Any] | None:
    if routing is None:
        return None
    return {
        "algorithm": routing.kernel,
        **_values(routing, _sizes(machine)),
        "aries": routing.aries.model_dump(mode="json"),
        "q_adaptive": routing.q_adaptive.model_dump(mode="json"),
    }


def _job(job: Job, machine: Machine) -> dict[str, Any]:
    return {
        "name": job.name,
        "application": job.application,
        **_values(job, _sizes(machine)),
        "compute_noise": job.compute_noise.model_dump(mode="json"),
        "placement": job.placement_plan(),
        "nodes": [],
        "routing": _routing(job.routing, machine),
        "routing_all_to_all": _routing(job.routing_all_to_all, machine),
        "workload": None if job.draws else _workload(job, 0),
    }


def _seeded(plan: dict[str, Any], job: Job, seed: int) -> dict[str, Any]:
    return plan | {"workload": _workload(job, seed)} if job.draws else plan


def _workload(job: Job, seed: int) -> dict[str, Any]:
    parts = job.workload_plans(seed)
    return {"kind": "sequence", "parts": parts} if isinstance(job.workload, tuple) else parts[0]


def plan_text(plan: dict[str, Any]) -> str:
    """Returns a plan as readable JSON: one key per line, lists of numbers side by side."""
    return _text(plan, 0)


def _text(value: Any, depth: int) -> str:
    plain = json.dumps(value, ensure_ascii=False)
    if len(plain) + 2 * depth <= _WIDTH and not (isinstance(value, dict) and depth == 0):
        return plain
    inner, outer = "  " * (depth + 1), "  " * depth
    if isinstance(value, dict):
        items = [
            f"{inner}{json.dumps(key)}: {_text(item, depth + 1)}" for key, item in value.items()
        ]
        return "{\n" + ",\n".join(items) + f"\n{outer}}}"
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        lines, line = [], ""
        for item in (json.dumps(item, ensure_ascii=False) for item in value):
            if line and len(inner) + len(line) + len(item) + 2 > _WIDTH:
                lines.append(f"{inner}{line}")
                line = ""
            line += f"{', ' if line else ''}{item}"
        lines.append(f"{inner}{line}")
        return "[\n" + ",\n".join(lines) + f"\n{outer}]"
    if isinstance(value, list):
        return (
            "[\n" + ",\n".join(f"{inner}{_text(item, depth + 1)}" for item in value) + f"\n{outer}]"
        )
    return plain
