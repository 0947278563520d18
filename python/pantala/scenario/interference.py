"""The key `interference`: the runs of an interference experiment."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator

from pantala.errors import nearest
from pantala.models.base import fault

__all__ = ["MODES", "Interference", "Mode", "mode_of"]

Mode = Literal["together", "pairs", "leave_one_out"]
#: The ways to compare jobs. ``true`` is another word for the first.
MODES: tuple[Mode, ...] = ("together", "pairs", "leave_one_out")


def mode_of(value: object) -> Mode | None:
    """Returns the mode that a value of the key chooses; None for a single run."""
    if value is True:
        return "together"
    return next((mode for mode in MODES if mode == value), None)


def _checked(value: object) -> object:
    if isinstance(value, bool) or mode_of(value):
        return value
    close = nearest(value, MODES) if isinstance(value, str) else None
    hint = f"did you mean '{close}'? " if close else ""
    raise fault("is not known", f"{hint}choose one of true, false, {', '.join(MODES)}")


#: A mode, ``true`` or ``false``.
Interference = Annotated[bool | Mode, BeforeValidator(_checked, json_schema_input_type=bool | Mode)]
