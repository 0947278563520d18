"""The modes of an interference experiment: which jobs run with which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

__all__ = ["MODES", "Mode", "has_targets", "mode_of", "names_targets"]

Mode = Literal["together", "pairs", "leave_one_out"]
#: The ways to compare jobs. ``true`` is another word for the first.
MODES: tuple[Mode, ...] = ("together", "pairs", "leave_one_out")


def mode_of(value: object) -> Mode | None:
    """Returns the mode that a value of the key `interference` chooses; None for a single run."""
    if value is True or names_targets(value):
        return "together"
    return next((mode for mode in MODES if mode == value), None)


def has_targets(value: object) -> bool:
    """Returns whether a value of the key names targets: a table, or what a column shows of it."""
    return names_targets(value) or (isinstance(value, str) and "targets" in value)


def names_targets(value: object) -> bool:
    """Returns whether a value of the key is a table of targets, as read or as a model."""
    return isinstance(value, Mapping) or hasattr(value, "targets")
