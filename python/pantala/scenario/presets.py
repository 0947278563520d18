"""Presets: published machines, router models, host stacks and mixes of jobs, as TOML with the
source of every value.

A preset is a set of defaults. The scenario's own keys come first, at any depth.

`pantala.scenario.preset_file` describes the form of a file. A value that no paper states is an
assumption: `preset_assumptions` lists the assumptions of a machine.

A preset can take numbers: ``prisacari2015(4,8,4)``. Its file names the keys of ``machine.topology``
that they set, ``parameters = ["p", "a", "h"]``. Without numbers the values of the file hold.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from pantala.errors import nearest
from pantala.papers.registry import papers
from pantala.scenario.base import fault
from pantala.scenario.preset_file import Entry, PresetFile

__all__ = [
    "example",
    "machine_preset",
    "machine_presets",
    "merge",
    "mix_assumptions",
    "mix_preset",
    "mix_presets",
    "mpi_preset",
    "mpi_preset_assumptions",
    "mpi_presets",
    "preset_assumptions",
    "preset_entries",
    "preset_json_schema",
    "preset_source_texts",
    "preset_text",
    "router_preset",
    "router_presets",
]

_SPELLED = re.compile(r"(?P<name>[^()]*)\((?P<numbers>[^()]*)\)")


def machine_presets() -> list[str]:
    """The names of the machine presets, for ``machine.preset``."""
    return _names("machines")


def router_presets() -> list[str]:
    """The names of the router models, for ``machine.router.model`` and ``pantala curve
    --preset``.
    """
    return _names("routers")


def mix_presets() -> list[str]:
    """The names of the mixes of jobs, for ``jobs``."""
    return _names("mixes")


def machine_preset(name: object) -> dict[str, Any]:
    """The tables of a machine preset: ``machine``, ``routing``, ``routing_all_to_all``, ``mpi``.

    Args:
        name: its name, with its numbers if it takes any: ``prisacari2015(4,8,4)``.

    Raises:
        PydanticCustomError: no such preset, or the wrong numbers, at the key ``preset``.
    """
    base, numbers = _spelling(name)
    file = _file("machines", base, "preset")
    preset, parameters = file.tables(), file.parameters
    if numbers is not None:
        if not parameters:
            raise fault("takes no numbers", f"write '{base}'", "preset")
        values = [int(word) for word in numbers if word.isdecimal() and int(word) > 0]
        if len(values) != len(parameters) or len(values) != len(numbers):
            shown = ", ".join(parameters)
            raise fault(
                f"takes {len(parameters)} numbers: {shown}",
                f"write e.g. '{example(str(base))}'",
                "preset",
            )
        topology = preset["machine"]["topology"]
        topology |= dict(zip(parameters, values, strict=True))
        topology.pop("g", None)  # all groups that fit
    return preset


def example(name: str) -> str:
    """How a machine preset is spelled: with the numbers of its file, if it takes any."""
    file = _file("machines", name, "preset")
    numbers = [str(file.entries[f"machine.topology.{key}"].value) for key in file.parameters]
    return f"{name}({','.join(numbers)})" if numbers else name


def router_preset(name: object) -> dict[str, Any]:
    """The tables of a router model: ``router``, ``curve``.

    Raises:
        PydanticCustomError: no such model, at the key ``model``.
    """
    return _file("routers", name, "model").tables()


def mpi_presets() -> list[str]:
    """The names of the presets of the message layer, for ``mpi.preset``."""
    return _names("mpi")


def mpi_preset(name: object) -> dict[str, Any]:
    """The table ``mpi`` of a preset of the message layer.

    Raises:
        PydanticCustomError: no such preset, at the key ``preset``.
    """
    return _file("mpi", name, "preset").tables()


def mpi_preset_assumptions(name: str) -> dict[str, str]:
    """Returns the values of a preset of the message layer that no paper states: dotted key to
    reason.
    """
    return _read("mpi", name).assumptions()


def mix_preset(name: object) -> dict[str, dict[str, Any]]:
    """The jobs of a mix: their names, in order, and their keys but the name.

    Raises:
        PydanticCustomError: no such mix, at the key ``jobs.preset``.
    """
    jobs: dict[str, dict[str, Any]] = _file("mixes", name, "jobs", "preset").tables()["jobs"]
    return jobs


def preset_text(folder: str, name: str) -> str:
    """Returns a description of a preset in a sentence or more."""
    return _read(folder, name).about


def preset_entries(folder: str, name: str) -> Mapping[str, Entry]:
    """Returns every value of a preset with its sources and its note, by dotted key.

    Args:
        folder: machines, routers, mpi or mixes.
        name: the preset, without numbers.
    """
    return _read(folder, name).entries


def preset_source_texts(folder: str, name: str) -> Mapping[str, str]:
    """Returns a description of each source that a preset names."""
    return _read(folder, name).sources


def mix_assumptions(name: str) -> dict[str, str]:
    """Returns the values of a mix that its paper does not state: dotted key to reason."""
    return _read("mixes", name).assumptions()


def preset_assumptions(name: object) -> dict[str, str]:
    """Returns the values of a machine preset that its paper does not state: dotted key to reason.

    Raises:
        PydanticCustomError: no such preset, at the key ``preset``.
    """
    base, numbers = _spelling(name)
    file = _file("machines", base, "preset")
    given = (
        {f"machine.topology.{key}" for key in (*file.parameters, "g")}
        if numbers is not None
        else set()
    )
    return {key: reason for key, reason in file.assumptions().items() if key not in given}


def preset_json_schema() -> dict[str, Any]:
    """The JSON Schema of ``machine.preset``: the names, and the spellings with numbers."""
    spelled = []
    for name in machine_presets():
        numbers = _read("machines", name).parameters
        if numbers:
            spelled.append(name + r"\(" + ",".join([r" *[1-9][0-9]* *"] * len(numbers)) + r"\)")
    names: dict[str, Any] = {"type": "string", "enum": machine_presets()}
    return (
        {"anyOf": [names, {"type": "string", "pattern": f"^({'|'.join(spelled)})$"}]}
        if spelled
        else names
    )


def merge(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` on top of `defaults`, table by table; neither is changed.

    Python cannot say ``global=``: its ``global_`` is the same key.
    """
    merged = deepcopy(dict(defaults))
    for key, value in given.items():
        key = key.removesuffix("_")
        below = merged.get(key)
        merged[key] = (
            merge(below, value)
            if isinstance(below, Mapping) and isinstance(value, Mapping)
            else value
        )
    return merged


def _spelling(name: object) -> tuple[object, list[str] | None]:
    """``prisacari2015(4,8,4)`` as name and numbers; None if it has no brackets."""
    match = _SPELLED.fullmatch(name.strip()) if isinstance(name, str) else None
    if match is None:
        return name, None
    return match["name"].strip(), [word.strip() for word in match["numbers"].split(",")]


@lru_cache
def _files(folder: str) -> Mapping[str, Traversable]:
    """Returns the files of a kind by name: those of papers, and those that belong to no paper."""
    folders = [
        files("pantala") / "presets" / folder,
        *(paper.presets(folder) for paper in papers()),
    ]
    entries = [entry for place in folders if place.is_dir() for entry in place.iterdir()]
    named = {
        entry.name.removesuffix(".toml"): entry for entry in entries if entry.name.endswith(".toml")
    }
    return dict(sorted(named.items()))


def _names(folder: str) -> list[str]:
    return list(_files(folder))


@lru_cache
def _read(folder: str, name: str) -> PresetFile:
    file = _files(folder)[name]
    try:
        return PresetFile.parse(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _file(folder: str, name: object, *at: str) -> PresetFile:
    """The file of a preset.

    Raises:
        PydanticCustomError: no such preset, at the key `at`.
    """
    known = _names(folder)
    if name not in known:
        close = nearest(str(name), known)
        remedy = f"did you mean '{close}'?" if close else f"choose one of {', '.join(known)}"
        raise fault("is not a preset", remedy, *at)
    return _read(folder, str(name))
