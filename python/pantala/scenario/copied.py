"""Copies of nested tables. They are several times faster than `copy.deepcopy`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["copied"]


def copied(value: Any) -> Any:
    """Returns a copy of tables and lists, whose values can be changed."""
    if isinstance(value, Mapping):
        return {key: copied(below) for key, below in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(copied, value))
    return value
