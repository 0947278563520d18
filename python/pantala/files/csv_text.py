"""Tables as CSV that a spreadsheet may open."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["csv_text"]

#: A text that a spreadsheet takes for a formula, but for numbers with a sign.
_FORMULA = r"^[=+\-@\t\r]"
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


def csv_text(frame: pl.DataFrame) -> str:
    """Returns a table as CSV in which no text is a formula of a spreadsheet.

    A text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return gets an
    apostrophe before it, as the page of `pantala explore` does, unless it is a number. Scenarios
    cannot have such names: they begin with a letter or a digit. Run directories from others can.

    Args:
        frame: the table, without lists.
    """
    import polars as pl

    def safe(name: str) -> pl.Expr:
        text = pl.col(name)
        formula = text.str.contains(_FORMULA) & ~text.str.contains(_NUMBER)
        return pl.when(formula).then(pl.lit("'") + text).otherwise(text).alias(name)

    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    named = {
        name: f"'{name}" for name in frame.columns if name[:1] in ("=", "+", "-", "@", "\t", "\r")
    }
    return frame.with_columns(map(safe, texts)).rename(named).write_csv()
