"""Fields for buffer capacities: nonzero, bounded, or both."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from pantala.models.base import fault
from pantala.text.capacity import Capacity

__all__ = ["BoundedCapacity", "FiniteCapacity", "SomeCapacity"]


def _some_room(value: Capacity) -> Capacity:
    if value.count == 0 and value.unit != "unlimited":
        raise fault("must be more than zero", "write e.g. '30 packets'")
    return value


def _bounded(value: Capacity) -> Capacity:
    if value.unit == "unlimited":
        raise fault("must be bounded, because credits count its space", "write e.g. '30 packets'")
    return _some_room(value)


def _finite(value: Capacity) -> Capacity:
    if value.unit == "unlimited":
        raise fault("must be bounded", "write e.g. '50 flits'")
    return value


#: The capacity of a bounded, nonempty buffer.
BoundedCapacity = Annotated[Capacity, AfterValidator(_bounded)]
#: A bounded number of flits or packets, zero allowed.
FiniteCapacity = Annotated[Capacity, AfterValidator(_finite)]
#: The capacity of a nonempty buffer, which can be unlimited.
SomeCapacity = Annotated[Capacity, AfterValidator(_some_room)]
