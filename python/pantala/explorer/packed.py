"""Tables as bytes that a browser reads without parsing: columns of typed arrays."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

__all__ = ["as_json", "packed", "unpacked"]

#: The types of columns: Polars, and the arrays of JavaScript that read them.
_TYPES: dict[Any, str] = {
    pl.UInt8: "u1",
    pl.UInt16: "u2",
    pl.UInt32: "u4",
    pl.Int32: "i4",
    pl.Float32: "f4",
    pl.Float64: "f8",
}


def as_json(value: Any) -> str:
    """Returns a value as JSON; what is no number becomes null, which a browser can read."""
    return json.dumps(_finite(value), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return value


def packed(frame: pl.DataFrame, **facts: Any) -> bytes:
    """Returns a table as bytes.

    They are the length of the head (4 bytes, little-endian), the head (JSON: `rows`, `facts`,
    `columns`), and the columns, each from a multiple of 8 bytes. A column of texts is in the head.
    Null is NaN in a column of fractions.

    Args:
        frame: the table. Integers of 64 bits become fractions of 64 bits.
        facts: what the page must know besides, as JSON.
    """
    columns: list[dict[str, Any]] = []
    data: list[bytes] = []
    at = 0
    for series in frame.get_columns():
        if series.dtype == pl.String:
            columns.append({"name": series.name, "texts": series.to_list()})
            continue
        if series.dtype not in _TYPES or series.null_count():
            series = series.cast(pl.Float64).fill_null(float("nan"))
        form = _TYPES[type(series.dtype) if not isinstance(series.dtype, type) else series.dtype]
        raw = series.to_numpy().astype(f"<{form}", copy=False).tobytes()
        columns.append({"name": series.name, "type": form, "at": at})
        padding = -len(raw) % 8
        data += [raw, b"\0" * padding]
        at += len(raw) + padding
    head = as_json({"rows": frame.height, "facts": facts, "columns": columns}).encode()
    head += b" " * (-(len(head) + 4) % 8)
    return len(head).to_bytes(4, "little") + head + b"".join(data)


def unpacked(data: bytes) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Returns the table and the facts of `packed`."""
    length = int.from_bytes(data[:4], "little")
    head = json.loads(data[4 : 4 + length])
    body = data[4 + length :]
    columns: dict[str, Any] = {}
    for column in head["columns"]:
        if "texts" in column:
            columns[column["name"]] = column["texts"]
        else:
            columns[column["name"]] = np.frombuffer(
                body, f"<{column['type']}", head["rows"], column["at"]
            )
    return pl.DataFrame(columns), head["facts"]
