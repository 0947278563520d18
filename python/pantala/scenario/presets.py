"""Presets: published machines, router models, host stacks and mixes of jobs, as TOML files.

A preset is a set of defaults with the source of each value. The keys of the scenario come first, at
any depth.

`pantala.scenario.preset_file` describes the file format. A value that no paper states is an
assumption. `preset_assumptions` lists the assumptions of a machine.

A preset can take numbers: ``prisacari2015(4,8,4)``. Its file names the keys of ``machine.topology``
that they set: ``parameters = ["p", "a", "h"]``. Without numbers the values of the file apply.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from pantala.errors import nearest
from pantala.models.base import fault
from pantala.models.copied import copied
from pantala.scenario.paper_folders import paper_folders
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
    """Returns the names of the machine presets, for ``machine.preset``."""
    return _names("machines")


def router_presets() -> list[str]:
    """Returns the names of the router models.

    They are values of ``machine.router.model`` and of ``pantala curve --preset``.
    """
    return _names("routers")


def mix_presets() -> list[str]:
    """Returns the names of the mixes of jobs, for ``jobs``."""
    return _names("mixes")


def machine_preset(name: object) -> dict[str, Any]:
    """Returns the tables of a machine preset.

    These are ``machine``, ``routing``, ``routing_all_to_all`` and ``mpi``.

    Args:
        name: the name, with numbers if the preset takes any: ``prisacari2015(4,8,4)``.

    Raises:
        PydanticCustomError: there is no such preset, or its numbers are wrong; the key is
            ``preset``.
    """
    base, numbers = _spelling(name)
    file = _file("machines", base, "preset")
    preset, parameters = file.tables(), file.parameters
    if numbers is not None:
        if not parameters:
            raise fault("does not take numbers", f"write '{base}'", "preset")
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
        topology.pop("g", None)  # the default is the largest number of groups
    return preset


def example(name: str) -> str:
    """Returns the spelling of a machine preset, with the numbers of its file if it takes any."""
    file = _file("machines", name, "preset")
    numbers = [str(file.entries[f"machine.topology.{key}"].value) for key in file.parameters]
    return f"{name}({','.join(numbers)})" if numbers else name


def router_preset(name: object) -> dict[str, Any]:
    """Returns the tables of a router model: ``router``, ``curve``, and ``routing`` if it has any.

    Raises:
        PydanticCustomError: there is no such model; the key is ``model``.
    """
    return _file("routers", name, "model").tables()


def mpi_presets() -> list[str]:
    """Returns the names of the presets of the MPI layer, for ``mpi.preset``."""
    return _names("mpi")


def mpi_preset(name: object) -> dict[str, Any]:
    """Returns the table ``mpi`` of a preset of the MPI layer.

    Raises:
        PydanticCustomError: there is no such preset; the key is ``preset``.
    """
    return _file("mpi", name, "preset").tables()


def mpi_preset_assumptions(name: str) -> dict[str, str]:
    """Returns the values of an MPI preset that no paper states, as reasons by dotted key."""
    return _read("mpi", name).assumptions()


def mix_preset(name: object) -> dict[str, dict[str, Any]]:
    """Returns the jobs of a mix by name, in order, each with its keys except the name.

    Raises:
        PydanticCustomError: there is no such mix; the key is ``jobs.preset``.
    """
    jobs: dict[str, dict[str, Any]] = _file("mixes", name, "jobs", "preset").tables()["jobs"]
    return jobs


def preset_text(folder: str, name: str) -> str:
    """Returns the description of a preset in one or more sentences."""
    return _read(folder, name).about


def preset_entries(folder: str, name: str) -> Mapping[str, Entry]:
    """Returns each value of a preset with its sources and its note, by dotted key.

    Args:
        folder: machines, routers, mpi or mixes.
        name: the preset, without numbers.
    """
    return _read(folder, name).entries


def preset_source_texts(folder: str, name: str) -> Mapping[str, str]:
    """Returns the description of each source that a preset names."""
    return _read(folder, name).sources


def mix_assumptions(name: str) -> dict[str, str]:
    """Returns the values of a mix that its paper does not state, as reasons by dotted key."""
    return _read("mixes", name).assumptions()


def preset_assumptions(name: object) -> dict[str, str]:
    """Returns the values of a machine preset that its paper does not state, as reasons by key.

    Raises:
        PydanticCustomError: there is no such preset; the key is ``preset``.
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
    """Returns the JSON Schema of ``machine.preset``: the names and the spellings with numbers."""
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
    """Returns a new table with `given` on top of `defaults`, table by table.

    ``global_`` becomes ``global``, because ``global=`` is not valid Python.
    """
    merged: dict[str, Any] = copied(defaults)
    for key, value in given.items():
        key = str(key).removesuffix("_")  # keys of Python's own tables can be numbers
        below = merged.get(key)
        merged[key] = (
            merge(below, value)
            if isinstance(below, Mapping) and isinstance(value, Mapping)
            else value
        )
    return merged


def _spelling(name: object) -> tuple[object, list[str] | None]:
    """Returns name and numbers of ``prisacari2015(4,8,4)``; without brackets no numbers."""
    match = _SPELLED.fullmatch(name.strip()) if isinstance(name, str) else None
    if match is None:
        return name, None
    return match["name"].strip(), [word.strip() for word in match["numbers"].split(",")]


@lru_cache
def _files(folder: str) -> Mapping[str, Traversable]:
    """Returns the preset files of a kind by name, of papers and of this folder."""
    folders = [
        files("pantala") / "presets" / folder,
        *(paper / folder for paper in paper_folders().values()),
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
    """Returns the file of a preset.

    Raises:
        PydanticCustomError: there is no such preset; the key is `at`.
    """
    known = _names(folder)
    if name not in known:
        close = nearest(str(name), known)
        remedy = f"did you mean '{close}'?" if close else f"choose one of {', '.join(known)}"
        raise fault("is not a preset", remedy, *at)
    return _read(folder, str(name))
