"""The routing algorithms: the rule of each, and the virtual channels that prevent deadlock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pantala.catalogue.routings import ALGORITHMS

__all__ = ["ROUTINGS", "RoutingInfo"]


@dataclass(frozen=True)
class RoutingInfo:
    """A routing algorithm, or a mode of one.

    Attributes:
        name: the name in `routing.algorithm`.
        virtual_channels: the number that it needs on a one-dimensional Dragonfly.
        virtual_channels_2d: the number on a two-dimensional one; None if it cannot run there.
        rule: the rule in one or two sentences.
        source: the publication or the simulator that defines it.
        page: its page in docs/explanation/routing.
    """

    name: str
    virtual_channels: int
    virtual_channels_2d: int | None
    rule: str
    source: str
    page: str


def _listed() -> Iterator[RoutingInfo]:
    for routing in ALGORITHMS:
        channels = (
            routing.virtual_channels,
            (None if routing.max_hops_2d is None else routing.virtual_channels),
        )
        for name, rule in [
            *((mode.name, mode.rule) for mode in routing.modes),
            (routing.name, routing.rule),
        ]:
            yield RoutingInfo(name, *channels, rule, f"({routing.source})", routing.name)


#: Every routing algorithm and every mode of one. Traffic inside a group is minimal, except under
#: merlin_ugal, codes_custom_adp, and where the key `intra_group` sets another routing.
ROUTINGS = tuple(_listed())
