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
        virtual_channels_2d: how many on a two-dimensional one; None if it cannot run there.
        rule: which path it takes.
        source: where it comes from.
        page: its page in docs/explanation/routing.
    """

    name: str
    virtual_channels: int
    virtual_channels_2d: int | None
    rule: str
    source: str
    page: str


def _info(
    name: str, channels: int, channels_2d: int | None, rule: str, source: str, page: str | None = None
) -> RoutingInfo:
    return RoutingInfo(name, channels, channels_2d, rule, source, page or name)


_CHOICE = "Chosen once, at the source router, by its own queues: minimal if that queue is at most threshold x the other"
_ARIES = "(Chunduri et al., IPDPS 2021, II.D)"


def _aries(name: str, bias: str) -> RoutingInfo:
    return _info(name, 4, 4, bias, _ARIES, "aries")


#: Every routing algorithm. Traffic inside a group is minimal, except under merlin_ugal and where the key
#: `inside_group` of valiant_group and valiant_node says otherwise.
ROUTINGS = (
    _info(
        "minimal",
        2,
        2,
        "At most one global link, and inside the two groups the shortest way.",
        "(Kim et al., ISCA 2008)",
    ),
    _info(
        "valiant_group",
        3,
        3,
        "Minimally to a random other group, from where it is entered minimally to the destination.",
        "(Kim et al., ISCA 2008)",
    ),
    _info(
        "valiant_node",
        4,
        4,
        "Minimally to a random router of another group, then minimally to the destination.",
        "(Valiant, 1982; Prisacari et al., 2015)",
    ),
    _info(
        "ugal_g",
        3,
        3,
        f"minimal or valiant_group. {_CHOICE}.",
        "(Kim et al., ISCA 2008; Kang et al., SC 2022, II.B)",
    ),
    _info(
        "ugal_n",
        4,
        4,
        f"minimal or valiant_node. {_CHOICE}.",
        "(Kim et al., ISCA 2008; Kang et al., SC 2022, II.B)",
    ),
    _info(
        "par",
        5,
        5,
        "As ugal_n, but a packet that is still minimal decides anew at every further router of its source group.",
        "(Jiang et al., ISCA 2009; Kang et al., SC 2022, II.B)",
    ),
    _info(
        "ugal_global",
        3,
        3,
        "minimal or valiant_group, by links x queue of the global links themselves, whichever router owns them: a "
        "yardstick, no router knows that.",
        "(UGAL-G of Kim et al., ISCA 2008)",
    ),
    _info(
        "q_adaptive",
        5,
        None,
        "Every router learns how long each port takes to each group, and sends packets by the fastest.",
        "(Kang et al., HPDC 2021; SC 2022, II.B)",
    ),
    _info(
        "codes_adp",
        4,
        4,
        "minimal or valiant_group, decided once at the source router, between the best of its links to either group.",
        "(CODES; Yang et al., SC 2016, 2.2; Wang et al., IPDPS 2020, IV.C)",
    ),
    _info(
        "codes_padp",
        4,
        4,
        "As codes_adp, but a packet that is still minimal decides anew at every further router of its source group.",
        "(CODES; Yang et al., SC 2016, 2.2)",
    ),
    _aries("aries_ad0", "aries with shift 0 and add 0: the lesser load. The default of Cray's MPI."),
    _aries("aries_ad1", "aries with a shift that grows with the links crossed. Cray's MPI has it for all-to-alls."),
    _aries("aries_ad2", "aries with shift 0 and add 4: a weak bias towards minimal."),
    _aries("aries_ad3", "aries with shift 2 and add 0: a strong bias towards minimal."),
    _aries(
        "aries",
        "minimal while its load is at most (the non-minimal load << shift) + add; two candidates of each kind; decided "
        "anew at every router of the source group. bias(shift,add) is short for it.",
    ),
    _info(
        "merlin_ugal",
        3,
        3,
        "minimal or valiant_group, by the output buffer of one virtual channel, 50 flits in favour of minimal.",
        "(upstream SST merlin, 2021)",
    ),
    _info(
        "booksim_ugal",
        4,
        4,
        "minimal or through the router of a random node, by whole-port queues, 30 flits in favour of minimal. Three "
        "virtual channels with channels = booksim2, which can deadlock.",
        "(BookSim2; Jiang et al., ISPASS 2013)",
    ),
)
