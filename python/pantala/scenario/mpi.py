"""MPI: how messages are sent, and how collectives are made of messages."""

from __future__ import annotations

from typing import ClassVar, Literal

from pantala.scenario.base import Model, PositiveSize, UnsignedSize
from pantala.units import Size

__all__ = ["Collectives", "Mpi"]


class Collectives(Model):
    """The algorithm of each collective operation."""

    barrier: Literal["binary_tree"] = "binary_tree"
    """From the leaves to the root and back."""
    bcast: Literal["binary_tree"] = "binary_tree"
    """From the root down a binary tree."""
    reduce: Literal["binary_tree"] = "binary_tree"
    """From the leaves up a binary tree."""
    allreduce: Literal["binary_tree", "recursive_doubling"] = "binary_tree"
    """binary_tree: reduce to the root, then broadcast (Kang et al., SC 2022, IV); recursive_doubling: in log2(ranks)
    rounds every rank exchanges with a partner twice as far away."""
    alltoall: Literal["ring"] = "ring"
    """In round i, rank N sends to N + i and receives from N - i (Kang et al., SC 2022, IV)."""


class Mpi(Model):
    """The message layer, the same for all jobs. Without a machine preset it takes the values of kang2022."""

    from_preset: ClassVar[bool] = True

    eager_threshold: UnsignedSize = Size(12_000)
    """Messages up to this size are sent at once; longer ones first ask the receiver (rendezvous). 12,000 B in SST as
    used by Kang et al. (SC 2022)."""
    control: PositiveSize = Size(64)
    """Size of a control message: request to send, get, acknowledgement. Assumed; the paper does not say."""
    eager_completion: Literal["posted", "injected"] = "posted"
    """When an eager send is complete for its sender: posted (at once) or injected (its last packet is out)."""
    collectives: Collectives = Collectives()
    """How collective operations are made of messages."""
