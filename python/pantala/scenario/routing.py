"""Routing: the algorithm, and the information for adaptive decisions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar

from pydantic import (
    AfterValidator,
    Field,
    GetJsonSchemaHandler,
    Strict,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from pantala.catalogue.descriptors import RoutingDescriptor
from pantala.catalogue.key import split_unit
from pantala.catalogue.routings import ALGORITHMS as DESCRIPTORS
from pantala.catalogue.routings import KEYS
from pantala.core.routings import ROUTINGS
from pantala.errors import nearest
from pantala.models.base import fault
from pantala.models.key_effect import Effect
from pantala.models.keys import AriesKeys, QAdaptiveKeys, RoutingKeys
from pantala.scenario.presets import merge
from pantala.text.capacity import Capacity
from pantala.text.units import Bandwidth, Duration, Size, TimePerByte

__all__ = [
    "ALGORITHMS",
    "Aries",
    "QAdaptive",
    "Routing",
    "defaults_of",
    "laid_over",
    "routing_assumptions",
]

#: All values of `routing.algorithm` except `bias(shift,add)`.
ALGORITHMS = tuple(routing.name for routing in ROUTINGS)

#: The descriptors of the catalogue by name, and their modes by name.
_DESCRIPTORS = {descriptor.name: descriptor for descriptor in DESCRIPTORS}
_MODES = {mode.name: (mode, descriptor) for descriptor in DESCRIPTORS for mode in descriptor.modes}

#: The values of keys with a unit, made from the numbers of the plan.
_QUANTITIES: Mapping[str, Callable[[int], object]] = {
    "ps": Duration,
    "fs": TimePerByte,
    "bytes": Size,
    "bytes_per_s": Bandwidth,
    "flits": lambda count: Capacity(count, "flit"),
    "packets": lambda count: Capacity(count, "packet"),
}

_BIAS = re.compile(r"bias\(\s*(?P<shift>[+-]?\d+)\s*,\s*(?P<add>[+-]?\d+)\s*\)")
_MAX_BIAS = 15


def _is_known(value: str) -> bool:
    match = _BIAS.fullmatch(value)
    return value in ALGORITHMS or (
        match is not None and all(0 <= int(word) <= _MAX_BIAS for word in match.groups())
    )


def _known(value: str | None) -> str | None:
    if value is None or value in ALGORITHMS:
        return value
    match = _BIAS.fullmatch(value)
    if match is None:
        close = nearest(value, ALGORITHMS)
        hint = f"did you mean '{close}'? " if close else ""
        raise fault("is not known", f"{hint}choose one of {', '.join(ALGORITHMS)}, bias(shift,add)")
    for name in ("shift", "add"):
        if not 0 <= int(match[name]) <= _MAX_BIAS:
            raise fault(f"{name} must be 0 to {_MAX_BIAS}", "write e.g. 'bias(2,0)'")
    return f"bias({int(match['shift'])},{int(match['add'])})"


_Algorithm = Annotated[
    str | None,
    AfterValidator(_known),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "enum": list(ALGORITHMS)},
                {"type": "string", "pattern": r"^bias\( *(\d|1[0-5]) *, *(\d|1[0-5]) *\)$"},
            ]
        }
    ),
]
_Bias = Annotated[int, Strict(), Field(ge=0, le=_MAX_BIAS)]


class Aries(AriesKeys):
    """The bias of Aries' adaptive routing.

    A packet routes minimally if the minimal load <= (the non-minimal load << shift) + add. The
    modes aries_ad0 to aries_ad3 and `bias(shift,add)` set shift and add.

    Source: Chunduri et al., IPDPS 2021, II.D.
    """

    shift: Annotated[tuple[_Bias, ...], Field(min_length=1)] = (0,)
    """Left shift of the non-minimal load, 0 to 15, by the number of links that the packet has
    crossed. The last value applies to all further links. aries_ad1 starts with 0, 1, 2. This is an
    assumption, because the paper says only that the shift grows."""


class QAdaptive(QAdaptiveKeys):
    """The learning parameters of q_adaptive.

    Source: Kang et al., SC 2022, II.B, and HPDC 2021. The values are from the simulator published
    with the SC 2022 paper.
    """

    table: str = ""
    """A `q_tables.parquet` with the initial Q-values, from a run on the same topology with
    `record.q_tables = "end"`. Default: untrained. It lies beside the
    scenario file, or else in the current directory."""


class Routing(RoutingKeys):
    """The routing of packets. `pantala routings` describes the algorithms.

    Many keys have an effect only under some algorithms. A given key that no routing reads is
    rejected. Without a machine preset the default values are kang2022's. An algorithm of another
    simulator sets that simulator's values.
    """

    shorthand: ClassVar[str | None] = "algorithm"

    algorithm: _Algorithm = None
    """The routing algorithm. `pantala routings` lists the names. `bias(shift,add)`, with 0 to 15
    each, is aries with these keys. `_g` and `_group` name an intermediate group, `_n` and `_node` a
    router of it (Kang et al., SC 2022, II.B). Required, unless the machine's preset sets it.
    Default in a job: the scenario's algorithm."""
    aries: Aries = Aries()
    """The bias of aries."""
    q_adaptive: QAdaptive = QAdaptive()
    """The learning parameters of q_adaptive."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Returns the JSON Schema; each key's description lists the algorithms that read it."""
        described = super().__get_pydantic_json_schema__(schema, handler)
        table = handler.resolve_ref_schema(described["anyOf"][0])
        for key in KEYS:
            field = table["properties"][spelled(key)]
            if "Has an effect under" not in field["description"]:
                first, *choices = field["description"].split("\n\n")
                first += f" Has an effect under {', '.join(readers(key))}."
                field["description"] = "\n\n".join([first, *choices])
        return described

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Returns the data with the algorithm's own values as defaults."""
        algorithm = data.get("algorithm")
        if not isinstance(algorithm, str) or not _is_known(algorithm):
            return data
        aries, bias, fixed = data.get("aries", {}), _bias_of(algorithm), _fixed_of(algorithm)
        if isinstance(aries, Mapping) and bias:
            for key, value in fixed.items():
                given = aries.get(key, value)
                if (tuple(given) if isinstance(given, list) else given) != value:
                    raise fault(
                        f"follows from algorithm = '{algorithm}'",
                        "remove it, or use 'aries'",
                        "aries",
                        key,
                    )
            data["aries"] = bias | dict(aries)
        return merge(defaults_of(algorithm), data)

    @property
    def kernel(self) -> str:
        """The name of the algorithm in the core. All modes of Aries are `aries`."""
        descriptor = descriptor_of(self.algorithm or "")
        return descriptor.name if descriptor else ""


def descriptor_of(algorithm: str) -> RoutingDescriptor | None:
    """Returns the descriptor of an algorithm or of a mode's algorithm; None if unknown.

    The descriptor of bias(shift,add) is aries.
    """
    if _BIAS.fullmatch(algorithm):
        return _DESCRIPTORS["aries"]
    return _MODES[algorithm][1] if algorithm in _MODES else _DESCRIPTORS.get(algorithm)


def _fixed_of(algorithm: str) -> dict[str, Any]:
    """Returns the keys of `aries` that a mode or a bias(shift,add) fixes."""
    match = _BIAS.fullmatch(algorithm)
    if match is not None:
        return {"shift": (int(match["shift"]),), "add": int(match["add"])}
    return _below_aries(_MODES[algorithm][0].fixed) if algorithm in _MODES else {}


def _bias_of(algorithm: str) -> dict[str, Any]:
    """Returns the keys of `aries` that a mode or a bias(shift,add) sets; empty for other names."""
    free = _below_aries(_MODES[algorithm][0].defaults) if algorithm in _MODES else {}
    return _fixed_of(algorithm) | free


def _below_aries(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key.removeprefix("aries."): value for key, value in settings.items()}


def defaults_of(algorithm: object) -> Mapping[str, Any]:
    """Returns the keys that an algorithm sets itself, with the values of its source."""
    descriptor = descriptor_of(algorithm) if isinstance(algorithm, str) else None
    return dict(map(_as_scenario, descriptor.defaults.items())) if descriptor else {}


def _as_scenario(setting: tuple[str, Any]) -> tuple[str, Any]:
    """Returns a key of the plan and its value in the scenario's form.

    ``bias_flits = 50`` becomes ``bias = 50 flits``.
    """
    key, value = setting
    _, unit = split_unit(key)
    make = _QUANTITIES.get(unit)
    return spelled(key), value if make is None else make(value)


def spelled(key: str) -> str:
    """Returns a key of the plan as a scenario spells it: without its unit."""
    return split_unit(key)[0]


def effects_under(algorithms: Sequence[str]) -> Mapping[str, Effect]:
    """Returns whether any of these algorithms reads each key; empty if one is unknown.

    Args:
        algorithms: names as in `routing.algorithm`; an error names the first.
    """
    return _effects_under(tuple(algorithms))


@lru_cache(256)
def _effects_under(algorithms: tuple[str, ...]) -> Mapping[str, Effect]:
    descriptors = [
        descriptor for descriptor in map(descriptor_of, algorithms) if descriptor is not None
    ]
    if len(descriptors) < len(algorithms):
        return {}
    read = {key for descriptor in descriptors for key in descriptor.reads}
    under = f"under algorithm = '{algorithms[0]}'"
    return {
        spelled(key): Effect(
            key in read, under, f"remove it, or choose one of {', '.join(readers(key))}"
        )
        for key in KEYS
    }


def readers(key: str) -> list[str]:
    """Returns the algorithms that read a key of a plan's routing."""
    return [descriptor.name for descriptor in DESCRIPTORS if key in descriptor.reads]


def laid_over(below: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a routing's keys with others on top; a new algorithm drops the old one's bias."""
    kept = merge({}, below)
    if given.get("algorithm", kept.get("algorithm")) != kept.get("algorithm") and isinstance(
        kept.get("aries"), dict
    ):
        kept["aries"] = {key: value for key, value in kept["aries"].items() if key == "levels"}
    return merge(kept, given)


def routing_assumptions(routing: Routing) -> dict[str, str]:
    """Returns the assumptions of a routing's algorithm, as reasons by key below `routing`.

    A value that the scenario changes is not listed.
    """
    algorithm = routing.algorithm or ""
    descriptor = descriptor_of(algorithm)
    reasons = dict(descriptor.assumptions) if descriptor else {}
    if algorithm in _MODES:
        reasons |= _MODES[algorithm][0].assumptions
    usual = Routing(algorithm=algorithm)
    return {key: text for key, text in reasons.items() if _at(routing, key) == _at(usual, key)}


def _at(routing: Routing, key: str) -> Any:
    value: Any = routing
    for step in key.split("."):
        value = getattr(value, step)
    return value
