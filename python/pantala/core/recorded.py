"""Whether a plan asks for a table of its run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pantala.catalogue.tables import TABLES

__all__ = ["is_recorded"]


def is_recorded(record: Mapping[str, Any], table: str) -> bool:
    """Returns whether a run has recorded a table, with or without rows.

    Args:
        record: the record of its plan.
        table: the table.
    """
    switch = TABLES[table].switch
    if switch is None:
        return True
    *tables, key = switch.removeprefix("record.").split(".")
    for name in tables:
        record = record.get(name) or {}
    return record.get(key, record.get(f"{key}_ps")) not in (None, False, 0, "off")
