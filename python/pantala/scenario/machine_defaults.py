"""What the preset and the router model of a scenario's machine give it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import PydanticCustomError

from pantala.models.validation import Faults
from pantala.scenario.machine import Machine
from pantala.scenario.mixes import jobs_of
from pantala.scenario.mpi import Mpi, laid_over_machine
from pantala.scenario.presets import machine_preset, router_preset
from pantala.scenario.routing_overlay import unread_routing_keys, with_full_routings

__all__ = ["completed"]


def completed(data: dict[str, Any]) -> dict[str, Any]:
    """Returns the keys of a scenario with the mix's jobs and the machine's routing and MPI layer.

    Raises:
        Faults: the mix is wrong, or a key of a routing has no effect.
    """
    preset = _preset_of(data.get("machine"))
    if data.get("background") is not None or data.get("snapshot") is not None:
        data.setdefault("jobs", [])
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
    data = with_full_routings(data, preset, _routing_of_model(data.get("machine"), preset))
    faults += unread_routing_keys(given, data)
    if faults:
        raise Faults(faults, data, *settled)
    return data


def _routing_of_model(machine: object, preset: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keys of routing that a machine's router model gives; empty if it is invalid.

    Args:
        machine: the machine as given.
        preset: the tables of its preset.
    """
    given: object = machine.get("router") if isinstance(machine, Mapping) else None
    if isinstance(machine, Machine):
        given = machine.router
    model = given.get("model") if isinstance(given, Mapping) else getattr(given, "model", given)
    if model is None:
        model = preset.get("machine", {}).get("router", {}).get("model")
    try:
        found: dict[str, Any] = router_preset(model).get("routing", {}) if model else {}
    except ValueError:
        return {}
    return found


def _preset_of(machine: object) -> dict[str, Any]:
    """Returns the tables of a machine's preset; empty if it has none or the machine is invalid."""
    if isinstance(machine, Mapping):
        name = machine.get("preset")
    else:
        name = machine.preset if isinstance(machine, Machine) else machine
    try:
        return machine_preset(name) if isinstance(name, str) else {}
    except ValueError:
        return {}
