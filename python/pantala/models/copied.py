"""Copies of nested tables. They are several times faster than `copy.deepcopy`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["WHOLE", "copied"]

#: Types of values that hold no others.
WHOLE = frozenset({str, int, float, bool, type(None)})


def copied(value: Any) -> Any:
    """Returns a copy of tables and lists, whose values can be changed."""
    kind = type(value)
    if kind in WHOLE:  # most values; checks of abstract types take longer than the rest
        return value
    if kind is dict or isinstance(value, Mapping):
        return {key: copied(below) for key, below in value.items()}
    if isinstance(value, list | tuple):
        return kind(map(copied, value))
    return value
