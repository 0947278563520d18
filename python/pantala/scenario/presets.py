"""Presets: published machines, router models, host stacks and mixes of jobs, as TOML with the source of every number.

A preset is a set of defaults. What the scenario says itself comes first, key by key, however deep it lies.

Behind every number stands a comment that ends in where it is from, in brackets: ``[paper III]``, ``[SST]``,
``[assumption]``. What is not from the paper is an assumption: `preset_assumptions` lists those.

A preset can take numbers: ``prisacari2015(4,8,4)``. Its file names the keys of ``machine.topology`` that they are,
``parameters = ["p", "a", "h"]``; without numbers it is what the file says.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import lru_cache
from importlib.resources import files
from itertools import takewhile
from typing import Any

from pantala.errors import nearest
from pantala.scenario.base import fault

__all__ = [
    "example",
    "machine_preset",
    "machine_presets",
    "merge",
    "mix_assumptions",
    "mix_preset",
    "mix_presets",
    "mix_sources",
    "mpi_preset",
    "mpi_preset_assumptions",
    "mpi_presets",
    "preset_assumptions",
    "preset_json_schema",
    "preset_sources",
    "preset_text",
    "router_preset",
    "router_presets",
]

_ROOT = files("pantala") / "presets"
_SPELLED = re.compile(r"(?P<name>[^()]*)\((?P<numbers>[^()]*)\)")
_TABLE = re.compile(r"\[(?P<table>[\w.]+)\]")
_ENTRY = re.compile(r"(?P<key>\w+)\s*=\s*(?P<value>[^#]*)(#\s*(?P<comment>.*))?")
_TAG = re.compile(r"\[(?P<source>[A-Za-z][\w+ ]*?)(?P<place>[ :,][^\]]*)?\]")
_LEGEND = re.compile(r"^#\s*\[(?P<source>[\w+ ]+)\]\s+(?P<text>\S.*)", re.MULTILINE)

#: What a source is called in an assumption, where the file's head does not say.
_ASSUMPTION = "assumption"


def machine_presets() -> list[str]:
    """The names of the machine presets, for ``machine.preset``."""
    return _names("machines")


def router_presets() -> list[str]:
    """The names of the router models, for ``machine.router.model`` and ``pantala curve --preset``."""
    return _names("routers")


def mix_presets() -> list[str]:
    """The names of the mixes of jobs, for ``jobs``."""
    return _names("workloads")


def machine_preset(name: object) -> dict[str, Any]:
    """The tables of a machine preset: ``machine``, ``routing``, ``routing_all_to_all``, ``mpi``.

    Args:
        name: its name, with its numbers if it takes any: ``prisacari2015(4,8,4)``.

    Raises:
        PydanticCustomError: no such preset, or the wrong numbers, at the key ``preset``.
    """
    base, numbers = _spelling(name)
    preset = _preset("machines", base, "preset")
    parameters = preset.pop("parameters", [])
    if numbers is not None:
        if not parameters:
            raise fault("takes no numbers", f"write '{base}'", "preset")
        values = [int(word) for word in numbers if word.isdecimal() and int(word) > 0]
        if len(values) != len(parameters) or len(values) != len(numbers):
            shown = ", ".join(parameters)
            raise fault(f"takes {len(parameters)} numbers: {shown}", f"write e.g. '{example(str(base))}'", "preset")
        topology = preset["machine"]["topology"]
        topology |= dict(zip(parameters, values, strict=True))
        topology.pop("g", None)  # all groups that fit
    return preset


def example(name: str) -> str:
    """How a machine preset is spelled: with the numbers of its file, if it takes any."""
    preset = _preset("machines", name, "preset")
    numbers = [str(preset["machine"]["topology"][key]) for key in preset.get("parameters", [])]
    return f"{name}({','.join(numbers)})" if numbers else name


def router_preset(name: object) -> dict[str, Any]:
    """The tables of a router model: ``router``, ``curve``.

    Raises:
        PydanticCustomError: no such model, at the key ``model``.
    """
    return _preset("routers", name, "model")


def mpi_presets() -> list[str]:
    """The names of the presets of the message layer, for ``mpi.preset``."""
    return _names("mpi")


def mpi_preset(name: object) -> dict[str, Any]:
    """The table ``mpi`` of a preset of the message layer.

    Raises:
        PydanticCustomError: no such preset, at the key ``preset``.
    """
    return _preset("mpi", name, "preset")


def mpi_preset_assumptions(name: str) -> dict[str, str]:
    """What a preset of the message layer has that no paper says: dotted key to reason."""
    return _assumed(_text("mpi", name), set())


def mix_preset(name: object) -> dict[str, dict[str, Any]]:
    """The jobs of a mix: their names, in order, and their keys but the name.

    Raises:
        PydanticCustomError: no such mix, at the key ``jobs.preset``.
    """
    jobs: dict[str, dict[str, Any]] = _preset("workloads", name, "jobs", "preset")["jobs"]
    return jobs


def preset_text(folder: str, name: str) -> str:
    """What a preset is: the first paragraph of its file, without the name."""
    lines = takewhile(lambda line: line.startswith("# "), _text(folder, name).splitlines())
    return " ".join(line.removeprefix("# ") for line in lines).removeprefix(f"{name}: ")


def preset_sources(name: str, folder: str = "machines") -> dict[str, str]:
    """Where each number of a preset is from: the comment behind it, by dotted key.

    Args:
        name: the preset, without numbers.
        folder: of machines, or of mpi.

    Returns:
        ``{"machine.packet": "[paper III]", ...}``; empty text for a key without a comment.
    """
    return dict(_comments(_text(folder, name)))


def mix_sources(name: str) -> dict[str, str]:
    """Where each number of a mix is from, by dotted key: ``{"jobs.milc.ranks": "[paper IV.B]", ...}``."""
    return dict(_comments(_text("workloads", name)))


def mix_assumptions(name: str) -> dict[str, str]:
    """What a mix has that its paper does not say: dotted key to reason."""
    return _assumed(_text("workloads", name), set())


def preset_assumptions(name: object) -> dict[str, str]:
    """What a machine preset has that its paper does not say: dotted key to reason.

    Raises:
        PydanticCustomError: no such preset, at the key ``preset``.
    """
    base, numbers = _spelling(name)
    parameters = _preset("machines", base, "preset").get("parameters", [])
    given = {"machine.topology." + key for key in [*parameters, "g"]} if numbers is not None else set()
    return _assumed(_text("machines", base), given)


def _assumed(text: str, given: set[str]) -> dict[str, str]:
    """The keys of a preset's file whose comment names no paper, but for those given elsewhere, with the reasons."""
    legend = {match["source"]: match["text"] for match in _LEGEND.finditer(text)}
    reasons = {}
    for key, comment in _comments(text):
        tags = list(_TAG.finditer(comment))
        sources = [tag["source"] for tag in tags]
        if key in given or "paper" in sources or not sources:
            continue
        words = " ".join(_TAG.sub(_place, comment).split()).strip(" ;,")
        if sources != [_ASSUMPTION]:
            known = next((legend[source] for source in sources if source in legend), "")
            words = "; ".join(part for part in (words, known) if part)
        reasons[key] = words or legend.get(_ASSUMPTION, "")
    return reasons


def preset_json_schema() -> dict[str, Any]:
    """The JSON Schema of ``machine.preset``: the names, and the spellings with numbers."""
    spelled = []
    for name in machine_presets():
        numbers = _preset("machines", name, "preset").get("parameters", [])
        if numbers:
            spelled.append(name + r"\(" + ",".join([r" *[1-9][0-9]* *"] * len(numbers)) + r"\)")
    names: dict[str, Any] = {"type": "string", "enum": machine_presets()}
    return {"anyOf": [names, {"type": "string", "pattern": f"^({'|'.join(spelled)})$"}]} if spelled else names


def merge(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` on top of `defaults`, table by table; neither is changed.

    Python cannot say ``global=``: its ``global_`` is the same key.
    """
    merged = deepcopy(dict(defaults))
    for key, value in given.items():
        key = key.removesuffix("_")
        below = merged.get(key)
        merged[key] = merge(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def _spelling(name: object) -> tuple[object, list[str] | None]:
    """``prisacari2015(4,8,4)`` as name and numbers; None if it has no brackets."""
    match = _SPELLED.fullmatch(name.strip()) if isinstance(name, str) else None
    if match is None:
        return name, None
    return match["name"].strip(), [word.strip() for word in match["numbers"].split(",")]


def _comments(text: str) -> Iterator[tuple[str, str]]:
    """Every key of a preset's file with the comment behind it.

    The keys of an inline table share theirs, unless it has parts for them: ``bandwidth [paper]; latency [assumption]``.
    """
    table = ""
    for line in text.splitlines():
        heading = _TABLE.fullmatch(line.partition("#")[0].strip())
        if heading is not None:
            table = heading["table"] + "."
        entry = _ENTRY.fullmatch(line.strip())
        if entry is None or not table:
            continue
        parts = (entry["comment"] or "").split("; ")
        for key in _leaves(table + entry["key"], tomllib.loads(f"x = {entry['value']}")["x"]):
            own = [match[1] for part in parts if (match := re.match(rf"{key.rpartition('.')[2]}\b:? *(.*)", part))]
            yield key, (own[0] if own and len(parts) > 1 else entry["comment"] or "")


def _leaves(key: str, value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, below in value.items():
            yield from _leaves(f"{key}.{name}", below)
    else:
        yield key


def _place(tag: re.Match[str]) -> str:
    """What a tag itself says beside the source: ``[assumption: as on Aries]``."""
    place = tag["place"] or ""
    return place[1:] if place.startswith(":") else ""


@lru_cache
def _names(folder: str) -> list[str]:
    return sorted(entry.name.removesuffix(".toml") for entry in (_ROOT / folder).iterdir() if ".toml" in entry.name)


@lru_cache
def _text(folder: str, name: str) -> str:
    return (_ROOT / folder / f"{name}.toml").read_text(encoding="utf-8")


@lru_cache
def _read(folder: str, name: str) -> dict[str, Any]:
    return tomllib.loads(_text(folder, name))


def _preset(folder: str, name: object, *at: str) -> dict[str, Any]:
    known = _names(folder)
    if name not in known:
        close = nearest(str(name), known)
        remedy = f"did you mean '{close}'?" if close else f"choose one of {', '.join(known)}"
        raise fault("is not a preset", remedy, *at)
    return deepcopy(_read(folder, str(name)))
