"""Tables on the terminal, in one style for all commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from pantala.caveats import Caveat

__all__ = ["console", "facts", "fits", "listing", "say_caveats", "say_line", "table"]

#: Columns of a line in a file or a pipe, where the width is unknown: wide enough to cut nothing.
_WIDE = 200


def console() -> Console:
    """Returns standard output; it is wide if it is no terminal and COLUMNS is not set."""
    import os

    from pantala.text.plain_console import PlainConsole

    output = PlainConsole()
    wide = not output.is_terminal and "COLUMNS" not in os.environ
    return PlainConsole(width=_WIDE) if wide else output


def say_caveats(caveats: Sequence[Caveat], *, aside: bool = False) -> None:
    """Prints caveats, one per line, before the results that they are of.

    Args:
        caveats: the caveats.
        aside: whether to print them on standard error, because standard output is JSON.
    """
    from pantala.text.plain_console import PlainConsole

    output = PlainConsole(stderr=True) if aside else console()
    for caveat in caveats:
        output.print(
            caveat.text, highlight=False, markup=False, soft_wrap=aside or not output.is_terminal
        )


def table(title: str, headings: Sequence[str], caption: str, gap: int = 3) -> Table:
    """Returns a table of numbers: first column left, others right, no number broken.

    Args:
        title: the text above the table.
        headings: the headings of the columns.
        caption: the text below the table.
        gap: characters between columns, at least 1.
    """
    drawn = _table(title, caption, gap)
    for number, heading in enumerate(headings):
        if number:
            drawn.add_column(heading, justify="right", no_wrap=True, vertical="bottom")
        else:
            drawn.add_column(heading, overflow="fold", vertical="bottom")
    return drawn


def listing(
    headings: Sequence[str], *, title: str | None = None, caption: str | None = None, right: int = 0
) -> Table:
    """Returns a table of items with descriptions; the last column is text that wraps.

    Args:
        headings: the headings of the columns.
        title: the text above the table.
        caption: the text below the table.
        right: the number of columns with numbers after the first column.
    """
    drawn = _table(title, caption, 3)
    for number, heading in enumerate(headings):
        last = number == len(headings) - 1
        drawn.add_column(
            heading,
            no_wrap=not last,
            overflow="fold" if last else "ellipsis",
            justify="right" if 0 < number <= right else "left",
        )
    return drawn


def fits(drawn: Table, output: Console, most: int = 130) -> bool:
    """Returns whether a table fits on the terminal without broken cells, and is easy to follow."""
    from rich.measure import Measurement

    wide = output.options.update(width=10_000)
    return Measurement.get(output, wide, drawn).maximum <= min(output.width, most)


def _table(title: str | None, caption: str | None, gap: int) -> Table:
    from rich.box import SIMPLE_HEAD

    from pantala.cli.narrow_table import NarrowTable

    return NarrowTable(
        title=title,
        title_justify="left",
        caption=caption,
        caption_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, gap - 1, 0, 0),
        pad_edge=False,
    )


def facts(title: str | None = None) -> Table:
    """Returns a table of two columns: names and values."""
    drawn = _table(title, None, 3)
    drawn.show_header = False
    drawn.add_column("what", no_wrap=True)
    drawn.add_column("how much", overflow="fold")
    return drawn


def say_line(text: str) -> None:
    """Prints a line as it is, however long."""
    console().print(text, highlight=False, markup=False, soft_wrap=True)
