"""The routing algorithms: what each does, and how many virtual channels keep it free of deadlock."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ROUTINGS", "RoutingInfo"]


@dataclass(frozen=True)
class RoutingInfo:
    """A routing algorithm in a line.

    Attributes:
        name: as `routing.algorithm` has it.
        virtual_channels: how many it needs on a one-dimensional Dragonfly.
        rule: which path it takes.
        source: where it comes from.
    """

    name: str
    virtual_channels: int
    rule: str
    source: str


_CHOICE = "Chosen once, at the source router, by its own queues: minimal if that queue is at most threshold x the other"

#: Every routing algorithm. Traffic inside a group is minimal under all of them.
ROUTINGS = (
    RoutingInfo(
        "minimal",
        2,
        "At most one local, one global and one local link: the shortest way.",
        "(Kim et al., ISCA 2008)",
    ),
    RoutingInfo(
        "valiant_group",
        3,
        "Minimally to a random other group, from where it is entered minimally to the destination.",
        "(Kim et al., ISCA 2008)",
    ),
    RoutingInfo(
        "valiant_node",
        4,
        "Minimally to a random router of another group, then minimally to the destination.",
        "(Valiant, 1982; Prisacari et al., 2015)",
    ),
    RoutingInfo(
        "ugal_g",
        3,
        f"minimal or valiant_group. {_CHOICE}.",
        "(Kim et al., ISCA 2008; Kang et al., SC 2022, II.B)",
    ),
    RoutingInfo(
        "ugal_n",
        4,
        f"minimal or valiant_node. {_CHOICE}.",
        "(Kim et al., ISCA 2008; Kang et al., SC 2022, II.B)",
    ),
)
