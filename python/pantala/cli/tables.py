"""What commands share: tables on the terminal, all drawn alike, and how many processes they start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["console", "cores", "facts", "table"]

#: Columns of a line where nobody says how many there are: in a file or a pipe nothing is cut off.
_WIDE = 200


def console() -> Console:
    """Standard output; what is no terminal is wide, unless COLUMNS says otherwise."""
    import os

    from rich.console import Console

    output = Console()
    return output if output.is_terminal or "COLUMNS" in os.environ else Console(width=_WIDE)


def table(title: str, headings: Sequence[str], caption: str, gap: int = 3) -> Table:
    """A table of numbers: the first column to the left, the others to the right, no cell broken.

    Args:
        title: above it.
        headings: of the columns.
        caption: below it.
        gap: characters between columns, at least 1.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    drawn = Table(title=title, caption=caption, box=SIMPLE_HEAD, padding=(0, gap - 1, 0, 0), pad_edge=False)
    for number, heading in enumerate(headings):
        drawn.add_column(heading, justify="right" if number else "left", no_wrap=True, vertical="bottom")
    return drawn


def facts(title: str | None = None) -> Table:
    """A table of two columns: what, and how much."""
    from rich.table import Table

    drawn = Table(title=title, show_header=False)
    drawn.add_column("what")
    drawn.add_column("how much", justify="right")
    return drawn


def cores() -> int:
    """The cores that this process may use."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
