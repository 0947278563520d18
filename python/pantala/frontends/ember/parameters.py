"""Parameters of SST: ``[PARAM] part:key=value`` as keys of a scenario."""

from __future__ import annotations

from dataclasses import dataclass

from pantala.frontends.ember.items import Item
from pantala.frontends.ember.place import Place

__all__ = ["Parameter", "parameter_of"]

#: The parts of SST that have parameters.
_PARTS = ("ember", "nic", "merlin")
#: Words of parameters that only print, or that ask SST for statistics.
_SILENT = ("verbose", "printConfig", "printStats", "spyplotmode", "motifLog")


@dataclass(frozen=True)
class Parameter:
    """A parameter of SST.

    Attributes:
        name: part and key, such as ``nic:packetSize``.
        key: the scenario's key; empty if the parameter changes nothing that is simulated.
        value: the value in the scenario.
        place: the line.
    """

    name: str
    key: str
    value: object
    place: Place


def parameter_of(item: Item) -> Parameter:
    """Returns the parameter of a line.

    Raises:
        ScenarioError: the line is not of this form, or Pantala has no key for the parameter.
    """
    name, equals, _ = item.text.partition("=")
    part, colon, key = name.strip().partition(":")
    if not equals or not colon or not key:
        message = f"[PARAM] {item.text}: is not part:key=value"
        raise item.place.error(message, "write e.g. [PARAM] nic:packetSize=512B")
    if part not in _PARTS:
        message = f"[PARAM] {name}: there is no part {part}"
        raise item.place.error(message, f"choose one of {', '.join(_PARTS)}")
    if any(word in key for word in _SILENT):
        return Parameter(name, "", None, item.place)
    message = f"[PARAM] {name}: Pantala has no key for this parameter"
    raise item.place.error(message, "remove the line, or set keys with --set; see `pantala schema`")
