"""Keys without effect: a scenario may give a key only if some choice of the scenario reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticCustomError

from pantala.scenario.validation import fault

__all__ = ["Effect", "without_effect"]


@dataclass(frozen=True)
class Effect:
    """Whether a key has an effect, and the words if it has none.

    Attributes:
        holds: whether it has one.
        under: the choice that makes it void, to follow "has no effect": ``under algorithm =
            'minimal'``.
        remedy: the way to make it count, or to do without it: ``read by: ugal_g, par; remove it``.
    """

    holds: bool
    under: str
    remedy: str


def without_effect(
    given: Mapping[str, Any] | BaseModel, effects: Mapping[str, Effect], *at: str | int
) -> Iterator[PydanticCustomError]:
    """The faults of keys that are given and have no effect, for a validator to raise or to collect.

    Args:
        given: the keys of a table that a scenario itself gives, without those of presets and
            defaults; of a model, the fields that are set.
        effects: the conditions by key, dotted below the table. A key that is a table stands for all
            keys below it.
        at: the table, from the model that raises down.
    """
    for key, effect in effects.items():
        path = () if effect.holds else _first(given, key.split("."))
        if path:
            yield fault(f"has no effect {effect.under}", effect.remedy, *at, *path)


def _first(given: object, steps: list[str]) -> list[str]:
    """The path to the first value given at a key or below it; empty if none is."""
    path: list[str] = []
    for step in steps:
        table = _table(given)
        if step not in table:
            return []
        path.append(step)
        given = table[step]
    while table := _table(given):
        step = next(iter(table))
        path.append(step)
        given = table[step]
    return path if not isinstance(given, Mapping | BaseModel) else []


def _table(place: object) -> Mapping[str, Any]:
    """The keys that are given at a place."""
    if isinstance(place, BaseModel):
        names = {name: field.alias or name for name, field in type(place).model_fields.items()}
        return {
            names[name]: getattr(place, name) for name in names if name in place.model_fields_set
        }
    return place if isinstance(place, Mapping) else {}
