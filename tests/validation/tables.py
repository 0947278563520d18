"""Tables in Markdown, and the values in their cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["bar", "line", "pair", "percent", "table"]

_SPACE = "\N{NO-BREAK SPACE}"


def line(cells: Sequence[str]) -> str:
    """Returns a line of a table."""
    return "| " + " | ".join(cells) + " |"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], words: int) -> str:
    """Returns a table whose first `words` columns are words and whose other columns are numbers."""
    rule = ["---" if number < words else "---:" for number in range(len(headings))]
    return "\n".join(line(row) for row in [headings, rule, *rows])


def pair(theirs: float, ours: float, decimals: int) -> str:
    """Returns two values side by side: the other simulator's, then Pantala's."""
    return f"{theirs:,.{decimals}f}{_SPACE}/{_SPACE}{ours:,.{decimals}f}"


def percent(error: float, *, relative: bool = True) -> str:
    """Returns an error in percent, or, if it is a difference of shares, in points."""
    return f"{100 * error:+.1f}{_SPACE}{'%' if relative else 'points'}"


def bar(limit: float) -> str:
    """Returns the largest allowed error in percent."""
    return f"{100 * limit:g}{_SPACE}%"
