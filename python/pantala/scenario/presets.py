"""Presets: published machines and router models by name, kept as TOML with the source of every number.

A preset is a set of defaults. What the scenario says itself comes first, key by key, however deep it lies.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from copy import deepcopy
from functools import lru_cache
from importlib.resources import files
from typing import Any

from pantala.errors import nearest
from pantala.scenario.base import fault

__all__ = ["machine_preset", "machine_presets", "merge", "router_preset", "router_presets"]

_ROOT = files("pantala") / "presets"


def machine_presets() -> list[str]:
    """The names of the machine presets, for ``machine.preset``."""
    return _names("machines")


def router_presets() -> list[str]:
    """The names of the router models, for ``machine.router.model`` and ``pantala curve --preset``."""
    return _names("routers")


def machine_preset(name: object) -> dict[str, Any]:
    """The tables of a machine preset: ``machine``, ``routing``, ``mpi``.

    Raises:
        PydanticCustomError: no such preset, at the key ``preset``.
    """
    return _preset("machines", name, "preset")


def router_preset(name: object) -> dict[str, Any]:
    """The tables of a router model: ``router``, ``curve``.

    Raises:
        PydanticCustomError: no such model, at the key ``model``.
    """
    return _preset("routers", name, "model")


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


@lru_cache
def _names(folder: str) -> list[str]:
    return sorted(entry.name.removesuffix(".toml") for entry in (_ROOT / folder).iterdir() if ".toml" in entry.name)


@lru_cache
def _read(folder: str, name: str) -> dict[str, Any]:
    return tomllib.loads((_ROOT / folder / f"{name}.toml").read_text(encoding="utf-8"))


def _preset(folder: str, name: object, key: str) -> dict[str, Any]:
    known = _names(folder)
    if name not in known:
        close = nearest(str(name), known)
        remedy = f"did you mean '{close}'?" if close else f"choose one of {', '.join(known)}"
        raise fault("is not a preset", remedy, key)
    return deepcopy(_read(folder, str(name)))
