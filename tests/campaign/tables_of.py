"""A run directory as SQL: each table is a view, and the plan is JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

__all__ = ["Tables"]


class Tables:
    """The tables of one run, asked in SQL; nothing here is Pantala's own code.

    Attributes:
        document: the content of `run.json`.
        plan: its plan.
    """

    def __init__(self, directory: Path) -> None:
        self.document: dict[str, Any] = json.loads((directory / "run.json").read_text())
        self.plan: dict[str, Any] = self.document["plan"]
        self._sql = duckdb.connect()
        for file in directory.glob("*.parquet"):
            quoted = str(file).replace("'", "''")
            self._sql.execute(f"create view {file.stem} as select * from read_parquet('{quoted}')")

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Returns the rows of a query."""
        return self._sql.execute(query, values).fetchall()

    def one(self, query: str, *values: Any) -> Any:
        """Returns the only value of a query."""
        ((value,),) = self.rows(query, *values)
        return value

    def records(self, query: str, *values: Any) -> list[dict[str, Any]]:
        """Returns the rows of a query by column."""
        found = self._sql.execute(query, values)
        names: Sequence[str] = [each[0] for each in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def close(self) -> None:
        """Closes the files."""
        self._sql.close()
