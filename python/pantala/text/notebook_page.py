"""Titles, facts and tables of what shows itself in a notebook, as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

__all__ = ["page", "table"]

_CELL = "padding:2px 10px;text-align:"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table whose first column aligns left. Colours are those of the notebook."""
    aligned = ["left", *["right"] * (len(headings) - 1)]

    def row(tag: str, cells: Sequence[str]) -> str:
        shown = (
            f'<{tag} style="{_CELL}{side}">{escape(cell)}</{tag}>'
            for cell, side in zip(cells, aligned, strict=True)
        )
        return f"<tr>{''.join(shown)}</tr>"

    body = "".join(row("td", cells) for cells in rows)
    return f"<table><thead>{row('th', headings)}</thead><tbody>{body}</tbody></table>"


def page(title: str, facts: Mapping[str, str], body: str) -> str:
    """Returns a title, a line of facts and a table."""
    line = " · ".join(f"{escape(name)}: {escape(value)}" for name, value in facts.items() if value)
    return f"<div><b>{escape(title)}</b><br><small>{line}</small>{body}</div>"
