"""Keys without effect: a scenario can give a key only if one of its choices reads the key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from pydantic_core import PydanticCustomError

from pantala.models.validation import fault

__all__ = ["Effect", "without_effect"]


@dataclass(frozen=True)
class Effect:
    """Whether a key has an effect, and the words for a message if it has none.

    Attributes:
        holds: whether the key has an effect.
        under: the choice without effect for the key, such as ``under algorithm = 'minimal'``; it
            follows "has no effect".
        remedy: what to do, such as ``remove it, or choose one of ugal_g, par``.
    """

    holds: bool
    under: str
    remedy: str


@runtime_checkable
class Given(Protocol):
    """A model that knows the keys that it was made of."""

    def as_given(self) -> dict[str, Any]:
        """Returns the keys."""
        ...


def without_effect(
    given: Mapping[str, Any] | Given, effects: Mapping[str, Effect], *at: str | int
) -> Iterator[PydanticCustomError]:
    """Yields the faults of keys that are given and have no effect.

    Args:
        given: the keys of a table that a scenario itself gives, without values of presets and
            defaults. For a model, the keys that it was made of.
        effects: the effects by key, dotted below the table. A key of a table means all keys below
            it.
        at: the path of the table, from the model that raises the faults.
    """
    for key, effect in effects.items():
        path = () if effect.holds else _first(given, key.split("."))
        if path:
            yield fault(f"has no effect {effect.under}", effect.remedy, *at, *path)


def _first(given: object, steps: list[str]) -> list[str]:
    """Returns the path to the first value given at a key or below it; empty if there is none."""
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
    return path if not isinstance(given, Mapping | Given) else []


def _table(place: object) -> Mapping[str, Any]:
    """Returns the given keys of a table or a model."""
    if isinstance(place, Given):
        return place.as_given()
    return place if isinstance(place, Mapping) else {}
