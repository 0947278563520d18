"""The assumptions of a scenario: values from presets or routings that no paper states."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from pantala.scenario.job import Job
from pantala.scenario.machine import Machine
from pantala.scenario.mixes import jobs_of, mix_of
from pantala.scenario.mpi import Mpi
from pantala.scenario.presets import (
    machine_preset,
    merge,
    mix_assumptions,
    mpi_preset,
    mpi_preset_assumptions,
    preset_assumptions,
)
from pantala.scenario.routing import Routing, routing_assumptions

if TYPE_CHECKING:
    from pantala.scenario.scenario_tables import ScenarioTables

__all__ = ["assumptions_of"]

_NOTHING = object()


def assumptions_of(scenario: ScenarioTables) -> dict[str, str]:
    """Returns the values that are assumptions, as reasons by dotted key in the preset's order.

    A value of a preset is an assumption if no source of it is a paper. It is not listed if the
    scenario replaces it by another value.
    """
    preset = scenario.machine.preset
    found = {}
    if preset is not None:
        usual = _of_preset(preset)
        for key, reason in preset_assumptions(preset).items():
            value = _at(scenario, key)
            if value is not _NOTHING and value == _at(usual, key):
                found[key] = reason
    if scenario.mpi.preset is not None:
        host = {"mpi": Mpi.model_validate(mpi_preset(scenario.mpi.preset)["mpi"])}
        for key, reason in mpi_preset_assumptions(scenario.mpi.preset).items():
            if _at(scenario, key) == _at(host, key):
                found[key] = reason
    found |= _of_jobs(scenario)
    routings = {"routing": scenario.routing, "routing_all_to_all": scenario.routing_all_to_all}
    for number, job in enumerate(scenario.jobs):
        routings |= {
            f"jobs[{number}].routing": job.routing,
            f"jobs[{number}].routing_all_to_all": job.routing_all_to_all,
        }
    for place, routing in routings.items():
        if routing is not None:
            found |= {
                f"{place}.{key}": reason for key, reason in routing_assumptions(routing).items()
            }
    return found


def _of_jobs(scenario: ScenarioTables) -> dict[str, str]:
    """Returns the assumptions of the jobs' mix; empty if the jobs are not from a mix."""
    mix = mix_of(scenario.given.get("jobs"))
    if mix is None:
        return {}
    usual, reasons = _of_mix(mix), mix_assumptions(mix)
    found = {}
    for number, job in enumerate(scenario.jobs):
        for key, reason in reasons.items():
            _, name, below = key.split(".", 2)
            value = _at(job, below) if name == job.name else _NOTHING
            if value is not _NOTHING and value == _at(usual[name], below):
                found[f"jobs[{number}].{below}"] = reason
    return found


@lru_cache
def _of_mix(name: str) -> Mapping[str, Job]:
    """Returns the unchanged jobs of a mix by name."""
    return {job["name"]: Job.model_validate(job) for job in jobs_of(name)}


@lru_cache
def _of_preset(preset: str) -> Mapping[str, BaseModel]:
    """Returns the unchanged tables of a machine preset by name."""
    tables = machine_preset(preset)
    usual: dict[str, BaseModel] = {
        "machine": Machine.of(preset),
        "mpi": Mpi.model_validate(tables.get("mpi", {})),
    }
    for name in ("routing", "routing_all_to_all"):
        usual[name] = Routing.model_validate(merge(tables.get("routing", {}), tables.get(name, {})))
    return usual


def _at(place: Any, key: str) -> Any:
    """Returns the value at a dotted key in the scenario's spelling; `_NOTHING` if there is none."""
    for step in key.split("."):
        if isinstance(place, Mapping):
            place = place[step]
            continue
        names = {} if place is None else _fields(type(place))  # type: ignore[arg-type]
        if step not in names:
            return _NOTHING
        place = getattr(place, names[step])
    return place


@cache
def _fields(model: type[BaseModel]) -> Mapping[str, str]:
    """Returns the fields of a model by their names in the scenario."""
    return {field.alias or name: name for name, field in model.model_fields.items()}
