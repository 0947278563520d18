"""The classes of the table descriptions in `pantala.catalogue.tables`; written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from polars.datatypes import DataTypeClass

__all__ = ["Column", "Table"]

_TYPES: Mapping[str, DataTypeClass] = MappingProxyType(
    {
        "u8": pl.UInt8,
        "u16": pl.UInt16,
        "u32": pl.UInt32,
        "u64": pl.UInt64,
        "i32": pl.Int32,
        "f64": pl.Float64,
        "bool": pl.Boolean,
        "str": pl.String,
    }
)


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes:
        name: the name.
        type: the type of the values as a short Arrow name: ``u32``, ``f64``, ``str``, ``bool``.
        text: the meaning of the values.
        unit: ``ns`` or ``bytes``; ``1`` for a ratio; empty for counts, indices and texts.
        nullable: whether values can be null.
    """

    name: str
    type: str
    text: str
    unit: str = ""
    nullable: bool = False

    @property
    def dtype(self) -> DataTypeClass:
        """The Polars data type."""
        return _TYPES[self.type]


@dataclass(frozen=True)
class Table:
    """One Parquet file of a run directory.

    Attributes:
        name: the name; the file is called ``NAME.parquet``.
        text: the meaning of a row.
        switch: the key that switches the table on, such as ``record.messages``; None if every run
            has the table.
        columns: the columns in the order of the file.
    """

    name: str
    text: str
    switch: str | None
    columns: tuple[Column, ...]

    @property
    def file(self) -> str:
        """The file's name in the run directory."""
        return f"{self.name}.parquet"

    @property
    def polars_schema(self) -> dict[str, DataTypeClass]:
        """The Polars data type of each column by name, in the order of the file."""
        return {column.name: column.dtype for column in self.columns}
