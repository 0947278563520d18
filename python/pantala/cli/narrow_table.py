"""A table of the terminal that shows its rows as records where its columns do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

__all__ = ["NarrowTable", "records_at"]

#: Characters that a column of text that wraps needs to be readable.
_WRAPPED = 16


class NarrowTable(Table):
    """A table whose numbers and units are never cut.

    If the columns need more characters than there are, each row becomes a record: one line per
    column with its heading and its value.
    """

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Renders the table, or its records if it is too wide."""
        if records_at(self, console, options):
            yield from self._records(console, options)
        else:
            yield from super().__rich_console__(console, options)

    def _records(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        if self.title:
            yield Text(_text(self.title), style="table.title")
        headings = [_one_line(column.header) for column in self.columns]
        side = min(max(map(len, headings), default=0), max(8, width // 2))
        for number in range(self.row_count):
            yield Text("─" * width)
            record = Table.grid(padding=(0, 2, 0, 0))
            record.add_column(width=side, overflow="fold", vertical="top")
            record.add_column(overflow="fold")
            for heading, column in zip(headings, self.columns, strict=True):
                record.add_row(Text(heading, style="table.header"), list(column.cells)[number])
            yield from console.render(record, options)
        if self.row_count:
            yield Text("─" * width)
        if self.caption:
            yield Text(_text(self.caption), style="table.caption")


def records_at(table: Table, console: Console, options: ConsoleOptions) -> bool:
    """Returns whether a table of several columns needs more characters than there are."""
    wide = options.update(width=10_000)

    def needed(column: Column) -> int:
        cells = [column.header, *column.cells] if table.show_header else list(column.cells)
        most = max((Measurement.get(console, wide, cell).maximum for cell in cells), default=0)
        return most if column.no_wrap else min(most, _WRAPPED)

    if not table.show_header or len(table.columns) < 2:
        return False
    gaps = (table.padding[1] + 1) * (len(table.columns) - 1) + 2
    return sum(map(needed, table.columns)) + gaps > options.max_width


def _text(part: RenderableType | None) -> str:
    return part.plain if isinstance(part, Text) else str(part)


def _one_line(heading: RenderableType) -> str:
    return " ".join(_text(heading).split())
