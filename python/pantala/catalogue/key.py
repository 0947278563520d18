"""The declaration of a scenario key: its name and unit in the plan, and its effect.

Written by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

__all__ = ["UNITS", "Condition", "Key", "Unit", "split_unit"]

#: The unit of a number in the plan, which is also the suffix of its name; empty if it has none.
Unit = Literal["", "ps", "fs", "bytes", "bytes_per_s", "flits", "packets"]

#: The units that names in the plan end in, the longest first.
UNITS: tuple[str, ...] = tuple(sorted(filter(None, get_args(Unit)), key=len, reverse=True))

#: The values of another key for which this key has an effect, or a number that the value exceeds.
Condition = tuple[object, ...] | float


@dataclass(frozen=True)
class Key:
    """The declaration of one key.

    Attributes:
        plan: the name in the plan, such as ``input_latency_ps``.
        unit: the unit of the number in the plan.
        effect: the other keys, and their values, for which this key has an effect. A key that
            starts with ``/`` is a path from the root of the scenario. Any other key is in the same
            table.
        source: the paper and section of the default, or ``assumption: ...``.
        later: whether plans of earlier versions lack the key. A plan then leaves it out if it has
            its default, so that runs of these plans keep their identity.
    """

    plan: str
    unit: Unit = ""
    effect: Mapping[str, Condition] = field(default_factory=dict)
    source: str = ""
    later: bool = False


def split_unit(name: str) -> tuple[str, str]:
    """Returns a name of the plan without its unit, and the unit; the unit is empty without one."""
    for unit in UNITS:
        if name.endswith(f"_{unit}"):
            return name.removesuffix(f"_{unit}"), unit
    return name, ""
