"""Values of tables that no run writes, such as a time without an end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from pantala.errors import show

__all__ = ["odd_value"]

#: Columns by table whose values are never null.
_NEVER_NULL = {"jobs": ("job", "name"), "epochs": ("start_ns", "end_ns", "skipped")}
_CLASSES = ("injection", "ejection", "local", "row", "column", "global")


def odd_value(table: str, frame: pl.LazyFrame, document: Mapping[str, Any]) -> str:
    """Returns what no run writes into the table of jobs, of epochs or of links; empty if nothing.

    It is for tables that another program has written anew: others have what their run wrote.

    Args:
        table: the name of the table.
        frame: its rows.
        document: run.json of the run.

    Raises:
        PolarsError: the table cannot be read.
    """
    if table not in ("jobs", "epochs", "links"):
        return ""
    schema = frame.collect_schema()
    if table == "links":
        return _odd_class(frame) if schema.get("class") == pl.String else ""
    rows = frame.collect()
    jobs = len(document["plan"].get("jobs") or ())
    if table == "jobs" and jobs and not rows.height:
        return "it has no rows"
    for name, kind in schema.items():
        column = rows[name]
        if name in _NEVER_NULL[table] and column.null_count():
            return f"column '{name}' has null"
        if kind.is_float() and not column.drop_nulls().is_finite().all():
            return f"column '{name}' has a value that is no finite number"
        if kind.is_numeric() and name.endswith("_ns") and (column.drop_nulls() < 0).any():
            return f"column '{name}' has a negative time"
    if "job" in schema and schema["job"].is_integer():
        numbers = rows["job"]
        if jobs and ((numbers < 0) | (numbers >= jobs)).any():
            return f"column 'job' has {show(numbers.max())}, and the run has {jobs} jobs"
        if table == "jobs" and numbers.is_duplicated().any():
            return "column 'job' has a job twice"
    return ""


def _odd_class(links: pl.LazyFrame) -> str:
    odd = links.filter(~pl.col("class").is_in(_CLASSES) | pl.col("class").is_null())
    found = odd.select("class").head(1).collect()
    if found.is_empty():
        return ""
    return f"column 'class' has {show(found.item())}, which is no link class"
