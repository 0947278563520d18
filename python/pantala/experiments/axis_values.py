"""Values of axes that a user names as text, such as those of ``--where`` and ``--base``."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["axis_value"]


def axis_value(text: str, known: Iterable[str]) -> str | None:
    """Returns the value of an axis that a text means; None if there is none.

    Numbers are compared by their value, and other texts without their spaces: ``0`` means 0.0, and
    ``400 us`` means 400us.

    Args:
        text: the text.
        known: the values of the axis as text.
    """
    values = list(known)
    if text in values:
        return text
    return next((value for value in values if _meaning(value) == _meaning(text)), None)


def _meaning(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return "".join(text.split())
