"""The types of the catalogue's entries; written by hand. `make generate` writes the entries."""

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
        fixed: the values that define the mode, by key of the plan below `routing`.
        defaults: the values of the mode that a scenario can replace.
        assumptions: reason by key, for each value that no source states; the algorithm's own
            assumptions are not repeated.
    """

    name: str
    rule: str
    fixed: Mapping[str, Any]
    defaults: Mapping[str, Any]
    assumptions: Mapping[str, str]


@dataclass(frozen=True)
class RoutingDescriptor:
    """The facts about a routing algorithm. Keys are keys of the plan below `routing`.

    Attributes:
        name: the name in a scenario and in a plan.
        title: the name in words.
        rule: the rule in one or two sentences.
        source: the publication or the simulator that defines the algorithm.
        through: the intermediate of a non-minimal path, in words; empty if all paths are minimal.
        decides: the routers that decide, in words; empty if none does.
        information: the state that decisions read.
        virtual_channels: the number of virtual channels of the algorithm's own VC map.
        maps: the number of virtual channels of each VC map of another simulator, by the map's name.
        max_hops: the largest number of links between routers on a one-dimensional Dragonfly.
        max_hops_2d: the same on a two-dimensional Dragonfly; None if the algorithm cannot run
            there.
        reads: the keys that the algorithm reads, besides the keys that every routing reads.
        defaults: the values of keys that the algorithm's source sets.
        assumptions: reason by key, for each value that no source states.
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
