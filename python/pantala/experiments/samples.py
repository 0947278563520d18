"""Checks of questions to an experiment: columns, and samples with one value per run."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from pantala.errors import UsageError, nearest

__all__ = ["check_column", "check_numeric", "check_single"]


def check_column(column: str, known: Sequence[str], where: str) -> None:
    """Checks that a column is known.

    Raises:
        UsageError: it is not; the text has the nearest one.
    """
    if column not in known:
        close = nearest(column, known)
        every = f"choose one of {', '.join(dict.fromkeys(known))}" if known else "there are none"
        hint = f"did you mean '{close}'?" if close else every
        raise UsageError(f"{where}: there is no column '{column}'; {hint}")


def check_numeric(column: str, kind: pl.DataType, where: str) -> None:
    """Checks that a column has numbers.

    Raises:
        UsageError: it has not.
    """
    if not (kind.is_numeric() or kind == pl.Boolean):
        raise UsageError(f"{where}: column '{column}' has no numbers; choose a numeric one")


def check_single(groups: pl.DataFrame, rows: pl.Series, where: str) -> None:
    """Checks that a sample has one value per case: rows of one run are no independent values.

    Args:
        groups: one row per sample, with its number of ``cases``.
        rows: the number of values of each sample.
        where: the directory and the table, for the error.

    Raises:
        UsageError: a sample has several values of a case.
    """
    if (rows > groups["cases"]).any():
        raise UsageError(
            f"{where}: has several rows per run, and statistics over seeds need one; choose the"
            " table jobs, or reduce each run with Experiment.table first"
        )
