"""Recorded windows that are joined to longer ones."""

from __future__ import annotations

import polars as pl

__all__ = ["joined_window"]

#: The share of a window by which rounding can move the start of one before it.
_ROUNDING = 1e-6


def joined_window(start: pl.Expr, length: float) -> pl.Expr:
    """Returns the number of the longer window that has a recorded one, from 0.

    Args:
        start: the start of the recorded window. It may start a longer one, too.
        length: the length of a longer window, in the same unit.
    """
    return (start / length + _ROUNDING).floor()
