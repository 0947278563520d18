"""Checks of the declared effects of keys: a given key without effect is a fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticCustomError

from pantala.catalogue.key import Condition, Key
from pantala.errors import show
from pantala.models.key_effect import Effect, without_effect

if TYPE_CHECKING:
    from pantala.models.base import Model

__all__ = ["conditional_keys", "effect_of", "unread_here", "with_unread"]


def unread_here(table: Model, given: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
    """Yields the faults of keys that have no effect because of other keys in the same table.

    Args:
        table: the validated table.
        given: the keys of the table as given.
    """
    effects = {
        name: effect_of(key, {other: [getattr(table, other)] for other in key.effect})
        for name, key in conditional_keys(table)
        if not any(other.startswith("/") for other in key.effect)
    }
    yield from without_effect(given, effects)


def conditional_keys(table: Model) -> Iterator[tuple[str, Key]]:
    """Yields the keys that depend on others.

    A key at its default value is always allowed.
    """
    for name, key, default in _conditions(type(table)):
        if getattr(table, name) != default:
            yield name, key


@cache
def _conditions(model: type[Model]) -> tuple[tuple[str, Key, Any], ...]:
    """Returns the keys of a model that depend on others, with their defaults."""
    fields = model.model_fields
    return tuple(
        (name, key, fields[name].default) for name, key in model.declared.items() if key.effect
    )


def with_unread(
    model: type[Model], data: Mapping[str, Any], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns the data of a table with values for keys that it lacks and that have no effect.

    A table must give a key without a default exactly if it may give it.

    Args:
        model: the table's class.
        data: the table, with the values of presets.
        values: the values by key. Each key depends on others in the same table only.
    """
    table = dict(data)
    for name, value in values.items():
        key = model.declared[name]
        others = {other: [_given(model, data, other)] for other in key.effect}
        if name not in data and not effect_of(key, others).holds:
            table[name] = value
    return table


def _given(model: type[Model], data: Mapping[str, Any], name: str) -> Any:
    return data.get(name, model.model_fields[name].default)


def effect_of(key: Key, values: Mapping[str, list[Any]]) -> Effect:
    """Returns the effect of a key.

    Args:
        key: a key that depends on others.
        values: the values of these others, by their paths in `key.effect`.
    """
    for other, condition in key.effect.items():
        if not any(_holds(value, condition) for value in values[other]):
            name = other.removeprefix("/").replace("jobs.*.", "a job's ")
            listed = ", ".join(dict.fromkeys(show(value) for value in values[other]))
            return Effect(
                False,
                f"under {name} = {listed}",
                f"remove it, or set {name} to {_wanted(condition)}",
            )
    return Effect(True, "", "")


def _holds(value: object, condition: Condition) -> bool:
    if isinstance(condition, tuple):
        return value in condition
    return isinstance(value, int | float) and value > condition


def _wanted(condition: Condition) -> str:
    if isinstance(condition, tuple):
        return " or ".join(show(value) for value in condition)
    return f"more than {condition:g}"
