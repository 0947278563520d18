"""What commands share: tables on the terminal, all drawn alike, and how many processes they
start.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["console", "facts", "fits", "listing", "table"]

#: Columns of a line where nobody says how many there are: in a file or a pipe nothing is cut off.
_WIDE = 200


def console() -> Console:
    """Standard output; what is no terminal is wide, unless COLUMNS says otherwise."""
    import os

    from rich.console import Console

    output = Console()
    return output if output.is_terminal or "COLUMNS" in os.environ else Console(width=_WIDE)


def table(title: str, headings: Sequence[str], caption: str, gap: int = 3) -> Table:
    """A table of numbers: the first column to the left, the others to the right, no number broken.

    Args:
        title: above it.
        headings: of the columns.
        caption: below it.
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
    """A table of things and what they are: the last column is text that wraps.

    Args:
        headings: of the columns.
        title: above it.
        caption: below it.
        right: how many columns after the first hold numbers.
    """
    drawn = _table(title, caption, 3)
    for number, heading in enumerate(headings):
        last = number == len(headings) - 1
        drawn.add_column(
            heading, no_wrap=not last, justify="right" if 0 < number <= right else "left"
        )
    return drawn


def fits(drawn: Table, output: Console, most: int = 130) -> bool:
    """Whether a table has room on the terminal without breaking a cell, and is no wider than eyes
    can follow.
    """
    from rich.measure import Measurement

    wide = output.options.update(width=10_000)
    return Measurement.get(output, wide, drawn).maximum <= min(output.width, most)


def _table(title: str | None, caption: str | None, gap: int) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    return Table(
        title=title,
        title_justify="left",
        caption=caption,
        caption_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, gap - 1, 0, 0),
        pad_edge=False,
    )


def facts(title: str | None = None) -> Table:
    """A table of two columns: what, and how much."""
    drawn = _table(title, None, 3)
    drawn.show_header = False
    drawn.add_column("what", no_wrap=True)
    drawn.add_column("how much", overflow="fold")
    return drawn
