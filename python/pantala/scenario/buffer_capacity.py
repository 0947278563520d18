"""Capacities of buffers as fields of a scenario: with room for something, with a bound, or both."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from pantala.capacity import Capacity
from pantala.scenario.base import fault

__all__ = ["BoundedCapacity", "FiniteCapacity", "SomeCapacity"]


def _some_room(value: Capacity) -> Capacity:
    if value.count == 0 and value.unit != "unlimited":
        raise fault("must be more than zero", "write e.g. '30 packets'")
    return value


def _bounded(value: Capacity) -> Capacity:
    if value.unit == "unlimited":
        raise fault("must have a bound: credits count the room in it", "write e.g. '30 packets'")
    return _some_room(value)


def _finite(value: Capacity) -> Capacity:
    if value.unit == "unlimited":
        raise fault("must have a bound", "write e.g. '50 flits'")
    return value


#: A buffer with room for something and with a bound.
BoundedCapacity = Annotated[Capacity, AfterValidator(_bounded)]
#: A number of flits or packets, zero allowed, with a bound.
FiniteCapacity = Annotated[Capacity, AfterValidator(_finite)]
#: A buffer with room for something, perhaps unlimited.
SomeCapacity = Annotated[Capacity, AfterValidator(_some_room)]
