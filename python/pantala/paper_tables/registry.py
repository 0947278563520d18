"""Tables by name. A table is a module of `pantala.paper_tables` with a `TABLE`, named in `_NAMES`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pantala.errors import UsageError, nearest
from pantala.paper_tables.table import PaperTable

__all__ = ["paper_table", "paper_tables"]

_NAMES = ("kang2022", "yang2016", "wang2020", "chunduri2021")


def paper_tables() -> list[PaperTable]:
    """All tables."""
    return [paper_table(name) for name in _NAMES]


def paper_table(name: str) -> PaperTable:
    """A table by its name.

    Raises:
        UsageError: there is none of that name.
    """
    if name not in _NAMES:
        close = nearest(name, _NAMES)
        remedy = f"did you mean '{close}'?" if close else f"choose one of {', '.join(_NAMES)}"
        raise UsageError(f"table = '{name}': is not a table; {remedy}")
    module: Any = import_module(f"pantala.paper_tables.{name}")
    found: PaperTable = module.TABLE
    return found
