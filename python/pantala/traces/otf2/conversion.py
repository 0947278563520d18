"""What the conversion of a trace has made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Conversion"]


@dataclass(frozen=True)
class Conversion:
    """A converted trace.

    Attributes:
        file: the operation file.
        ranks: the number of ranks.
        operations: the number of operations of all ranks, computing included.
        unfinished: non-blocking receives and collectives that the trace never completes. They are
            left out.
        notes: what the conversion leaves out.
        summary: calls, bytes and times of the trace, in the form of `pantala trace info --json`.
    """

    file: Path
    ranks: int
    operations: int
    unfinished: int
    notes: tuple[str, ...]
    summary: dict[str, Any]
