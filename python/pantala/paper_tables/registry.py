"""Tables by name. A table is a module of `pantala.paper_tables` with a `TABLE`, named in
`_NAMES`.
"""

from __future__ import annotations

from pantala.by_name import member
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
    found: PaperTable = member("table", name, _NAMES, "pantala.paper_tables", "TABLE")
    return found
