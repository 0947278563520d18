"""Why the slowdown of a job is not known, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pantala.text.amounts import count

__all__ = ["finished_in_words", "why_unknown"]


def why_unknown(row: Mapping[str, Any]) -> str:
    """Returns why the slowdown of a job is not known; empty if it is, or if the job has none.

    A job that does not communicate has none.

    Args:
        row: the row of the slowdown table.
    """
    if row["compared"] is None:
        return "there is no run alone"
    if row["compared"] == "nothing":
        if row["compared_iterations"] is None:
            return "not every run ended, and iterations were not recorded"
        return f"no iteration finished in both runs ({finished_in_words(row)})"
    if row["compared"] == "duration" and row["packet_latency_slowdown"] is None:
        return "it delivered no packet in one of its runs"
    return ""


def finished_in_words(row: Mapping[str, Any]) -> str:
    """Returns how many iterations a job finished in each of the runs that are compared."""
    return f"{count(row['alone_iterations'])} alone, {count(row['together_iterations'])} together"
