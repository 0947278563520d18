"""Parameters of SST: ``[PARAM] part:key=value`` as keys of a scenario.

In SST, `ember` and `nic` parameters belong to one job, and `merlin` parameters to the network.
Pantala has one MPI layer and one network for all jobs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pantala.errors import nearest
from pantala.importers.ember.items import Item
from pantala.importers.place import Place

__all__ = ["KEYS", "Parameter", "common_keys", "parameter_of"]

#: The parts of SST that have parameters.
_PARTS = ("ember", "nic", "merlin")
#: Words of parameters that only print, or that ask SST for statistics.
_SILENT = ("verbose", "printConfig", "printStats", "spyplotmode", "motifLog")
_VALUE = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z][A-Za-z/]*)?")

#: The keys of the scenario and the unit of a bare number, by the parameter's name. A parameter
#: without a unit has one in its value, such as ``5ns``.
KEYS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "ember:hermesParams.ctrlMsg.shortMsgLength": (("mpi.eager_threshold",), "B"),
    "ember:hermesParams.ctrlMsg.matchDelay_ns": (("mpi.match_per_entry",), "ns"),
    "ember:hermesParams.ctrlMsg.regRegionBaseDelay_ns": (
        ("mpi.registration", "mpi.deregistration"),
        "ns",
    ),
    "ember:hermesParams.ctrlMsg.regRegionPerPageDelay_ns": (
        ("mpi.registration_per_page", "mpi.deregistration_per_page"),
        "ns",
    ),
    "ember:hermesParams.functionSM.defaultEnterLatency": (("mpi.call_overhead",), "ps"),
    "ember:hermesParams.functionSM.defaultReturnLatency": (("mpi.call_overhead",), "ps"),
    "nic:hostReadDelay_ns": (("mpi.nic_read",), "ns"),
    "nic:nic2host_lat": (("mpi.host_to_nic", "mpi.nic_to_host"), ""),
    "nic:packetSize": (("machine.packet",), ""),
    "nic:rxMatchDelay_ns": (("mpi.nic_match",), "ns"),
    "nic:txDelay_ns": (("mpi.nic_transmit",), "ns"),
    "merlin:adaptive_threshold": (("routing.threshold",), "number"),
    "merlin:flit_size": (("machine.flit",), ""),
    "merlin:input_buf_size": (("machine.router.input_buffer",), ""),
    "merlin:input_latency": (("machine.router.input_latency",), ""),
    "merlin:link_bw": (
        tuple(f"machine.links.{each}.bandwidth" for each in ("terminal", "local", "global")),
        "",
    ),
    "merlin:link_lat_global": (("machine.links.global.latency",), ""),
    "merlin:link_lat_host": (("machine.links.terminal.latency",), ""),
    "merlin:link_lat_local": (("machine.links.local.latency",), ""),
    "merlin:output_buf_size": (("machine.router.output_buffer",), ""),
    "merlin:output_latency": (("machine.router.output_latency",), ""),
    "merlin:xbar_bw": (("machine.router.crossbar_bandwidth",), ""),
}
#: Parameters with the one value that Pantala has.
_FIXED = {
    "nic:useSimpleMemoryModel": "0",
    "nic:numVNs": "1",
    "merlin:num_vns": "1",
    "merlin:xbar_arb": "merlin.xbar_arb_lru",
}


@dataclass(frozen=True)
class Parameter:
    """A parameter of SST.

    Attributes:
        name: part and key, such as ``nic:packetSize``.
        keys: the keys of the scenario; empty if the parameter changes nothing that is simulated.
        value: the value in the scenario.
        place: the line.
    """

    name: str
    keys: tuple[str, ...]
    value: str | float
    place: Place


def parameter_of(item: Item) -> Parameter:
    """Returns the parameter of a line.

    Raises:
        ScenarioError: the line is not of this form, or Pantala has no key for the parameter.
    """
    name, equals, text = (part.strip() for part in item.text.partition("="))
    part, colon, key = name.partition(":")
    if not equals or not colon or not key or not text:
        message = f"[PARAM] {item.text}: is not part:key=value"
        raise item.place.error(message, "write e.g. [PARAM] nic:packetSize=512B")
    if part not in _PARTS:
        message = f"[PARAM] {name}: there is no part {part}"
        raise item.place.error(message, f"choose one of {', '.join(_PARTS)}")
    if any(word in key for word in _SILENT):
        return Parameter(name, (), "", item.place)
    if name in _FIXED:
        if text != _FIXED[name]:
            message = f"[PARAM] {name}={text}: Pantala has only {_FIXED[name]}"
            raise item.place.error(message, "remove the line, or write this value")
        return Parameter(name, (), "", item.place)
    if name not in KEYS:
        close = nearest(name, [*KEYS, *_FIXED])
        hint = f"did you mean {close}? " if close else ""
        message = f"[PARAM] {name}: Pantala has no key for this parameter"
        raise item.place.error(
            message, f"{hint}remove the line, and set keys of the scenario with --set"
        )
    keys, unit = KEYS[name]
    return Parameter(name, keys, _value(name, text, unit, item.place), item.place)


def common_keys(jobs: Iterable[tuple[int, Iterable[Parameter]]]) -> dict[str, str | float]:
    """Returns the values of the parameters of all jobs by the scenario's keys.

    Args:
        jobs: the number and the parameters of each job that runs.

    Raises:
        ScenarioError: jobs have different values for a key.
    """
    found: dict[str, tuple[int, Parameter]] = {}
    listed = [(number, [*parameters]) for number, parameters in jobs]
    for number, parameters in listed:
        for parameter in parameters:
            for key in parameter.keys:
                _, before = found.setdefault(key, (number, parameter))
                if before.value != parameter.value:
                    message = (
                        f"[PARAM] {parameter.name} sets {key} = {parameter.value}, but"
                        f" {before.name} at line {before.place.line} sets {before.value}"
                    )
                    remedy = "give both the same value: Pantala has one for all jobs"
                    raise parameter.place.error(message, remedy)
    for key, (owner, parameter) in found.items():
        if parameter.name.startswith("merlin:"):
            continue
        for number, parameters in listed:
            if all(key not in each.keys for each in parameters):
                message = f"[PARAM] {parameter.name} is set for job {owner}, not for job {number}"
                remedy = f"repeat the line for job {number}: Pantala has one value for all jobs"
                raise parameter.place.error(message, remedy)
    return {key: parameter.value for key, (_, parameter) in found.items()}


def _value(name: str, text: str, unit: str, place: Place) -> str | float:
    match = _VALUE.fullmatch(text)
    if match and unit == "number" and not match[2]:
        return float(match[1])
    if match and bool(match[2]) != bool(unit) and unit != "number":
        return f"{match[1]} {match[2] or unit}"
    form = {"": "a number with a unit, e.g. 5ns", "number": "a number, e.g. 2.0"}.get(
        unit, f"a number in {unit}, e.g. 10"
    )
    message = f"[PARAM] {name}={text}: is not {form.partition(',')[0]}"
    raise place.error(message, f"write {form}")
