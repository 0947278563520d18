"""Values of axes that a user names as text, such as those of ``--where`` and ``--base``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from pantala.errors import UsageError, nearest

__all__ = ["axis_value", "listed", "with_values"]

#: The most values of an axis that a message lists.
_LISTED = 8


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


def with_values(
    cases: pl.DataFrame, axes: Sequence[str], where: Mapping[str, str], place: object
) -> pl.DataFrame:
    """Returns the cases with the values that ``--where`` names.

    Args:
        cases: rows with the axes.
        axes: the axes that may be named.
        where: the value of each axis as text.
        place: the experiment, for errors.

    Raises:
        UsageError: there is no such axis or value.
    """
    for axis, value in where.items():
        if axis not in axes:
            close = nearest(axis, axes)
            hint = f"did you mean '{close}'?" if close else f"its axes are: {', '.join(axes)}"
            raise UsageError(f"--where {axis}={value}: {place} has no such axis; {hint}")
        texts = cases[axis].cast(pl.String)
        meant = axis_value(value, texts.unique(maintain_order=True))
        if meant is None:
            raise UsageError(
                f"--where {axis}={value}: {place} has no such value; {axis} has"
                f" {listed(cases, axis)}"
            )
        cases = cases.filter(texts == meant)
    return cases


def listed(cases: pl.DataFrame, axis: str) -> str:
    """Returns the values of an axis in words, the first ones if there are many."""
    values = cases[axis].unique(maintain_order=True).cast(pl.String)
    more = f", ... ({len(values)} values)" if len(values) > _LISTED else ""
    return ", ".join(values.head(_LISTED)) + more


def _meaning(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return "".join(text.split())
