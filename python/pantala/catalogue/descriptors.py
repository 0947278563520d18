"""The types of the catalogue's entries. Written by hand; `make generate` writes the entries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["RoutingDescriptor", "RoutingMode"]


@dataclass(frozen=True)
class RoutingMode:
    """A name for a routing algorithm with particular values.

    Attributes:
        name: the name in a scenario.
        rule: the rule in one or two sentences.
        fixed: the values that make the mode, by key of the plan below `routing`.
        defaults: the values of the mode that a scenario may replace.
        assumptions: the values that no source states, besides those of the algorithm: key to
            reason.
    """

    name: str
    rule: str
    fixed: Mapping[str, Any]
    defaults: Mapping[str, Any]
    assumptions: Mapping[str, str]


@dataclass(frozen=True)
class RoutingDescriptor:
    """The facts about a routing algorithm. Keys are those of the plan below `routing`.

    Attributes:
        name: the name in a scenario and in a plan.
        title: the name in words.
        rule: the rule in one or two sentences.
        source: the publication or the simulator that defines it.
        through: the intermediate of a non-minimal path, in words; empty if all paths are minimal.
        decides: the routers that decide, in words; empty if none does.
        information: the state that decisions read.
        virtual_channels: the number of virtual channels of its own map.
        maps: the number of virtual channels of each map of another simulator, by the map's name.
        max_hops: most links between routers on a one-dimensional Dragonfly.
        max_hops_2d: most links between routers on a two-dimensional one; None if it cannot run
            there.
        reads: the keys that have an effect under it, besides those that concern every routing.
        defaults: the values that its source gives to keys.
        assumptions: the values that no source states: key to reason.
        modes: names for the algorithm with particular values.
    """

    name: str
    title: str
    rule: str
    source: str
    through: str
    decides: str
    information: Literal["nothing", "queues", "group_queues", "estimates"]
    virtual_channels: int
    maps: Mapping[str, int]
    max_hops: int
    max_hops_2d: int | None
    reads: tuple[str, ...]
    defaults: Mapping[str, Any]
    assumptions: Mapping[str, str]
    modes: tuple[RoutingMode, ...]
