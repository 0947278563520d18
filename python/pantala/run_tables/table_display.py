"""Tables of runs that show their first rows in a notebook."""

from __future__ import annotations

from html import escape
from typing import Any, cast

import polars as pl

from pantala.catalogue.tables import TABLES
from pantala.errors import first_line
from pantala.files.table_errors import UNREADABLE

__all__ = ["converted", "displayed"]

#: Rows that a notebook shows.
_ROWS = 10


class _Table(pl.LazyFrame):
    """A lazy frame of a whole table. A frame that is made from it shows its plan, as usual."""

    _pantala_name: str

    def to_pandas(self) -> Any:
        """Returns the rows as a DataFrame of pandas; `collect` returns one of Polars."""
        return self.collect().to_pandas()

    def __repr__(self) -> str:
        name = self.__dict__.get("_pantala_name")
        if name is None:
            return f"<LazyFrame at 0x{id(self):X}>"  # as that of Polars
        return f"<LazyFrame: table {name}; collect() reads it>"

    def _repr_html_(self) -> str:
        name = self.__dict__.get("_pantala_name")
        if name is None:
            return super()._repr_html_()
        table = TABLES[name]
        try:
            rows = self.head(_ROWS + 1).collect()
        except (*UNREADABLE, OSError) as error:
            return f"<p><b>{escape(name)}</b>: cannot be read: {escape(first_line(error))}</p>"
        title = f"<p><b>{escape(name)}</b>: {escape(table.text)}</p>"
        if rows.is_empty():
            return f"{title}<p>It has no rows.</p>"
        more = f"<p>The first {_ROWS} rows; .collect() has all.</p>" * (rows.height > _ROWS)
        return title + rows.head(_ROWS)._repr_html_() + more


def displayed(frame: pl.LazyFrame, name: str) -> pl.LazyFrame:
    """Returns a table that shows its meaning and its first rows in a notebook.

    Args:
        frame: the whole table.
        name: its name.
    """
    shown = cast("_Table", _Table._from_pyldf(frame._ldf))
    shown._pantala_name = name
    return shown


def converted(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Returns a lazy frame with `to_pandas`, for tables that `pantala.catalogue` does not list."""
    return cast("_Table", _Table._from_pyldf(frame._ldf))
