"""Matrices of victims and aggressors on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pantala.cli.tables import table

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

__all__ = ["matrices"]


def matrices(effects: pl.DataFrame, value: str) -> list[Table]:
    """Returns a table of victims and aggressors per measure.

    Args:
        effects: effects of one method; see `pantala.analysis.attribution`.
        value: the column of text in the cells.
    """
    from pantala.analysis.attribution import MEASURES, METHODS, matrix_of, shown_measures

    drawn = []
    for method in effects["method"].unique(maintain_order=True):
        measures = shown_measures(effects)
        for measure in measures:
            matrix = matrix_of(effects, measure, method, value)
            place = matrix.columns.index("victim")
            jobs = [f"by {job}" for job in matrix.columns[place + 1 :]]
            headings = [*matrix.columns[:place], MEASURES[measure], *jobs]
            caption = f"cells: {METHODS[method]}" if measure == measures[-1] else ""
            shown = table("Slowdown by another job", headings, caption)
            for row in matrix.iter_rows():
                shown.add_row(*("" if cell is None else str(cell) for cell in row))
            drawn.append(shown)
    return drawn
