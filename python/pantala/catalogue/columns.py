"""The classes of the table descriptions in `pantala.catalogue.tables`; written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polars.datatypes import DataTypeClass

__all__ = ["Column", "Table"]

#: The data types of Polars by their short names.
_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "u8": "UInt8",
        "u16": "UInt16",
        "u32": "UInt32",
        "u64": "UInt64",
        "i32": "Int32",
        "f64": "Float64",
        "bool": "Boolean",
        "str": "String",
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
        import polars as pl  # not needed to know which tables there are

        found: DataTypeClass = getattr(pl, _TYPES[self.type])
        return found


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
