"""Routing: which path a packet takes, and what an adaptive choice looks at."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from pantala.capacity import Capacity
from pantala.scenario.base import Count, Index, Model, fault

__all__ = ["Algorithm", "Routing"]

Algorithm = Literal[
    "minimal",
    "valiant_group",
    "valiant_node",
    "ugal_g",
    "ugal_n",
    "par",
    "ugal_global",
    "q_adaptive",
    "codes_adp",
    "codes_padp",
    "aries",
    "merlin_ugal",
    "booksim_ugal",
]


def _finite(value: Capacity) -> Capacity:
    if value.unit == "unlimited":
        raise fault("must have a bound", "write e.g. '50 flits'")
    return value


class Routing(Model):
    """How packets choose their way. `pantala routings` tells the algorithms apart.

    The keys from `threshold` on concern the adaptive algorithms (ugal_g, ugal_n). Without a machine preset they take
    the values of kang2022.
    """

    shorthand: ClassVar[str | None] = "algorithm"

    algorithm: Algorithm
    """minimal, valiant_group, valiant_node, ugal_g or ugal_n; `_g` and `_group` name an intermediate group, `_n` and
    `_node` a router of it (Kang et al., SC 2022, II.B; Kim et al., ISCA 2008)."""
    virtual_channels: Index = 0
    """Virtual channels a port; 0 means as many as the algorithm needs to be free of deadlock."""
    threshold: Annotated[float, Field(strict=True, ge=0.0, allow_inf_nan=False)] = 2.0
    """Non-minimal when the minimal queue exceeds the non-minimal one times this (Kang et al., SC 2022, II.B)."""
    bias: Annotated[Capacity, AfterValidator(_finite)] = Capacity(0, "flit")
    """What the minimal queue must exceed on top, e.g. "50 flits"; zero in Kang et al. (SC 2022, III)."""
    candidates_minimal: Count = 1
    """Minimal paths drawn and compared; 1 in SST, 2 in the text of Kang et al. (SC 2022, II.B)."""
    candidates_nonminimal: Count = 1
    """Non-minimal paths drawn and compared; 1 in SST, 2 in the text of Kang et al. (SC 2022, II.B)."""
    queue: Literal["output_and_credits", "output", "credits"] = "output_and_credits"
    """What a port's queue is: flits in its output buffer, flits sent and not yet credited, or both (SST)."""
    queue_scope: Literal["port", "vc"] = "port"
    """Whether a queue is that of the whole port, or of the virtual channel that the packet would take."""
