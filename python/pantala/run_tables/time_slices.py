"""A table of windows of time in parts, so that its size does not decide how much memory is used."""

from __future__ import annotations

import polars as pl

__all__ = ["PART_ROWS", "edges_of", "in_parts", "parts_at"]

#: Rows of a part. A sum over a part takes about 100 MB; a run writes groups of as many rows.
PART_ROWS = 1 << 18

#: The column with the start of the window.
_START = "window_start_ns"


def in_parts(table: pl.LazyFrame) -> list[pl.LazyFrame]:
    """Returns a table of windows as parts of about `PART_ROWS` rows, in the order of time.

    All rows of a window are in one part. Runs write windows in the order of time, with the least
    and the greatest start of each group of rows, so that a part reads its own rows only.

    Args:
        table: the table; it has `window_start_ns`.
    """
    return parts_at(table, edges_of(table))


def edges_of(table: pl.LazyFrame) -> list[float]:
    """Returns the starts of windows in ns at which `in_parts` cuts a table."""
    rows = table.select(pl.len()).collect().item()
    if rows <= PART_ROWS:
        return []
    starts = pl.collect_all(
        [table.slice(at, 1).select(_START) for at in range(PART_ROWS, rows, PART_ROWS)]
    )
    return sorted({float(start.item()) for start in starts})


def parts_at(table: pl.LazyFrame, edges: list[float]) -> list[pl.LazyFrame]:
    """Returns a table of windows as parts, cut at starts of windows from `edges_of`."""
    start = pl.col(_START)
    if not edges:
        return [table]
    return [
        table.filter(
            *[start >= after for after in edges[max(0, at - 1) : at]],
            *[start < before for before in edges[at : at + 1]],
        )
        for at in range(len(edges) + 1)
    ]
