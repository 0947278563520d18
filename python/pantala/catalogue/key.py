"""A key of a scenario that goes into the plan: its name there, its unit, and when it has an effect.
Written by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Condition", "Key", "Unit"]

#: The unit of a plan's number, as the suffix of its name says; empty for what has none.
Unit = Literal["", "ps", "fs", "bytes", "bytes_per_s", "flits", "packets"]

#: Values under which a key has an effect, or the number that a value must exceed.
Condition = tuple[object, ...] | float


@dataclass(frozen=True)
class Key:
    """One key.

    Attributes:
        plan: the name in the plan: ``input_latency_ps``.
        unit: the unit of the plan's number.
        effect: the keys on whose values it depends whether this one has an effect, and those
            values. A key that starts with ``/`` counts from the scenario; any other is a neighbour
            in the same table.
        source: the paper and section, or ``assumption: ...``, of the default.
    """

    plan: str
    unit: Unit = ""
    effect: Mapping[str, Condition] = field(default_factory=dict)
    source: str = ""
