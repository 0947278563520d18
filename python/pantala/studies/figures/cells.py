"""The cells of a figure's rows: a panel, a group and a series, and the seeds of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from pantala.errors import UsageError

if TYPE_CHECKING:
    from pantala.studies.figures.rows import FigureRows

__all__ = ["cells_of", "check_one", "seeds_of"]


def cells_of(
    figure: FigureRows, rows: pl.DataFrame
) -> Iterator[tuple[dict[str, Any], pl.DataFrame]]:
    """Yields each combination of panel, group and series, with its rows."""
    keys = figure.entry.keys
    if rows.is_empty():
        return
    if not keys:
        yield {}, rows
        return
    for cell, own in rows.group_by(keys, maintain_order=True):
        yield dict(zip(keys, cell, strict=True)), own


def seeds_of(rows: pl.DataFrame) -> list[pl.DataFrame]:
    """Returns the rows of each seed."""
    if "seed" not in rows.columns:
        return [rows]
    return rows.partition_by("seed", maintain_order=True)


def check_one(cell: Mapping[str, Any], found: int, wanted: int) -> None:
    """Checks that a bar, box or line is of one run and job.

    Raises:
        UsageError: it is of several.
    """
    if found > wanted:
        shown = ", ".join(f"{name} = {value}" for name, value in cell.items()) or "the figure"
        raise UsageError(
            f"{shown}: has several rows per seed; choose with where and jobs, or name the column"
            " that tells them apart in panels, groups or series"
        )
