"""python/pantala/catalogue/tables.py: the tables of a run directory."""

from __future__ import annotations

from typing import Any

from generate.core import Catalogue
from generate.python import formatted, string

_HEAD = '''\
"""The tables of a run directory.

`make generate` writes this file from crates/pantala-sim/src/output/tables; do not edit it. Times
are simulated nanoseconds (``_ns``) from the start of the simulation unless the text says that a
column is a duration. Sizes are bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pantala.catalogue.columns import Column, Table

__all__ = ["TABLES"]

'''


def text(catalogue: Catalogue) -> str:
    """Returns the module's source."""
    names = [f"_{table['name'].upper()}" for table in catalogue["tables"]]
    tables = "\n".join(
        f"{name} = {_table(table)}" for name, table in zip(names, catalogue["tables"], strict=True)
    )
    every = (
        "#: Every table by name, in the order in which a run writes them.\n"
        "TABLES: Mapping[str, Table] = MappingProxyType("
        f"{{table.name: table for table in ({', '.join(names)})}})\n"
    )
    return formatted(f"{_HEAD}{tables}\n\n{every}")


def _table(table: dict[str, Any]) -> str:
    columns = ", ".join(_column(column) for column in table["columns"])
    switch = "None" if table["switch"] is None else string(table["switch"])
    return (
        f"Table({string(table['name'])}, text={string(table['text'])}, switch={switch},"
        f" columns=({columns},),)"
    )


def _column(column: dict[str, Any]) -> str:
    fields = [string(column["name"]), string(column["type"]), string(column["text"])]
    if column["unit"]:
        fields.append(f"unit={string(column['unit'])}")
    if column["nullable"]:
        fields.append("nullable=True")
    return f"Column({', '.join(fields)})"
