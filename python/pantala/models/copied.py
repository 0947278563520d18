"""Copies of nested tables, whose values are Python's own.

They are several times faster than `copy.deepcopy`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

__all__ = ["WHOLE", "copied", "python_value"]

#: Types of values that hold no others.
WHOLE = frozenset({str, int, float, bool, type(None)})


def copied(value: Any) -> Any:
    """Returns a copy of tables and lists, whose values can be changed.

    Values of other packages become Python's own; see `python_value`.
    """
    kind = type(value)
    if kind in WHOLE:  # most values; checks of abstract types take longer than the rest
        return value
    if kind is dict or isinstance(value, Mapping):
        return {key: copied(below) for key, below in value.items()}
    if isinstance(value, list | tuple):
        return kind(map(copied, value))
    return python_value(value)


def python_value(value: Any) -> Any:
    """Returns a number, an array or a column of NumPy, Polars or pandas as Python's own values.

    A path becomes text. Other values stay as they are.
    """
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    convert = getattr(value, "tolist", None) or getattr(value, "to_list", None)
    return value if convert is None else convert()
