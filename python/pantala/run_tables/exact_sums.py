"""Sums that do not depend on the order of the rows.

A sum of floating point numbers changes in its last digit with the order, and the order changes with
threads. Two links with equal traffic would then change places from one report to the next. The
times of tables are whole picoseconds, so their sums can be exact.
"""

from __future__ import annotations

import polars as pl

__all__ = ["exact_sum"]

#: Steps in a nanosecond: times are whole picoseconds.
_PICOSECONDS = 1000


def exact_sum(value: str | pl.Expr, steps: int = _PICOSECONDS) -> pl.Expr:
    """Returns the sum of a column, rounded to whole steps before: the same in every order.

    Args:
        value: the column, by default a time in ns.
        steps: the number of steps in a unit.
    """
    number = pl.col(value) if isinstance(value, str) else value
    return (number * steps).round().cast(pl.Int128).sum() / steps
