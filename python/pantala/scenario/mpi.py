"""MPI: how messages are sent, and how collectives are made of messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pantala.scenario.base import (
    Model,
    PositiveBandwidth,
    PositiveSize,
    UnsignedDuration,
    UnsignedSize,
    UnsignedTimePerByte,
)
from pantala.scenario.presets import merge, mpi_preset
from pantala.units import Duration, Size, TimePerByte

__all__ = ["Collectives", "Mpi", "laid_over_machine"]

_Allgather = Literal["bruck", "recursive_doubling", "ring", "mpich"]
_Rooted = Literal["binomial_tree", "linear", "mpich"]


class Collectives(Model):
    """The algorithm of each collective operation: those of a preset, but for what is said here."""

    shorthand: ClassVar[str | None] = "preset"

    preset: Literal["sst", "mpich"] = "sst"
    """Whose algorithms: sst (trees and rings, as in Kang et al., SC 2022, and SST's firefly) or mpich (chosen by
    size and number of ranks, as in Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005). A machine preset has
    choices of its own, which a preset named here puts aside."""
    barrier: Literal["binary_tree", "binomial_tree", "linear", "recursive_doubling", "dissemination", "mpich"] = (
        "binary_tree"
    )
    """Trees: from the leaves to the root and back; linear: all to rank 0 and back; recursive_doubling: exchanges at
    doubling distances; dissemination: messages around the ring of ranks at doubling distances."""
    bcast: Literal["binary_tree", "binomial_tree", "linear", "scatter_recursive_doubling", "scatter_ring", "mpich"] = (
        "binary_tree"
    )
    """Trees: down from the root; linear: from the root to all at once; scatter_: a binomial scatter, then an
    allgather."""
    reduce: Literal["binary_tree", "binomial_tree", "linear", "rabenseifner", "mpich"] = "binary_tree"
    """Trees: from the leaves up; linear: from all to the root at once; rabenseifner: a reduce-scatter, then a
    gather."""
    allreduce: Literal["binary_tree", "binomial_tree", "recursive_doubling", "ring", "rabenseifner", "mpich"] = (
        "binary_tree"
    )
    """Trees: reduce to the root, then broadcast (binary: Kang et al., SC 2022, IV); recursive_doubling: in
    log2(ranks) rounds every rank exchanges all with a partner twice as far away; ring and rabenseifner: a
    reduce-scatter, then an allgather."""
    reduce_scatter: Literal["binomial_tree", "recursive_halving", "pairwise", "ring", "mpich"] = "binomial_tree"
    """binomial_tree: reduce to rank 0, then scatter; recursive_halving: exchanges of half as much at half the
    distance; pairwise: in round i, rank N sends what rank N + i wants; ring: partial sums along a ring."""
    allgather: _Allgather = "bruck"
    """bruck: around the ring of ranks at doubling distances; recursive_doubling: exchanges at doubling distances;
    ring: a block at a time."""
    allgatherv: _Allgather = "bruck"
    """As allgather, for blocks of different sizes."""
    gather: _Rooted = "binomial_tree"
    """binomial_tree: growing messages up a tree; linear: from all to the root at once."""
    gatherv: _Rooted = "binomial_tree"
    """As gather, for blocks of different sizes; mpich is linear."""
    scatter: _Rooted = "binomial_tree"
    """binomial_tree: shrinking messages down a tree; linear: from the root to all at once."""
    scatterv: _Rooted = "binomial_tree"
    """As scatter, for blocks of different sizes; mpich is linear."""
    alltoall: Literal["ring", "pairwise", "linear", "bruck", "mpich"] = "ring"
    """ring: in round i, rank N sends to N + i and receives from N - i (Kang et al., SC 2022, IV); pairwise: it
    exchanges with N xor i, if ranks are a power of two; linear: with 32 others at once; bruck: in log2(ranks)
    rounds of many blocks."""
    alltoallv: Literal["ring", "pairwise", "linear", "mpich"] = "ring"
    """As alltoall, for blocks of different sizes."""
    scan: Literal["linear", "recursive_doubling", "mpich"] = "linear"
    """Scan and exscan. linear: one rank after the other; recursive_doubling: exchanges at doubling distances."""

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Fills in what the preset says; the fields' own defaults are those of sst."""
        if data.get("preset") != "mpich":
            return data
        return dict.fromkeys(cls.model_fields, "mpich") | data


def laid_over_machine(machine: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What a scenario says of MPI over what its machine says; a preset of collectives puts the machine's aside.

    A preset of MPI lies between the two.
    """
    if given.get("preset") is not None:
        try:
            machine = merge(machine, mpi_preset(given["preset"]).get("mpi", {}))
        except ValueError:  # the model will say so
            return dict(given)
    collectives = given.get("collectives")
    if isinstance(collectives, Mapping) and "preset" in collectives:
        machine = {key: value for key, value in machine.items() if key != "collectives"}
    return merge(machine, given)


class Mpi(Model):
    """The message layer, the same for all jobs. Without a machine preset it takes the values of kang2022."""

    shorthand: ClassVar[str | None] = "preset"
    from_preset: ClassVar[bool] = True

    preset: Literal["sst_sc22"] | None = None
    """What messages cost their hosts, over what the machine says: sst_sc22, the host stack of SST's firefly as in the
    simulations of Kang et al. (SC 2022). Keys given here lie over it."""
    eager_threshold: UnsignedSize = Size(12_000)
    """Messages up to this size are sent at once; longer ones first ask the receiver (rendezvous). 12,000 B in SST as
    used by Kang et al. (SC 2022)."""
    control: PositiveSize = Size(64)
    """Size of a control message: request to send, get, acknowledgement. Assumed; the paper does not say."""
    eager_completion: Literal["posted", "injected"] = "posted"
    """When an eager send is complete for its sender: posted (at once) or injected (its last packet is out)."""
    send_overhead: UnsignedDuration = Duration(0)
    """How long a rank is busy with starting a message before its NIC has it: the overhead o of LogGP at the sender. Not
    paid by collectives in the background."""
    receive_overhead: UnsignedDuration = Duration(0)
    """How long a rank is busy with a message that has come before its receive or wait returns: o at the receiver."""
    gap: UnsignedDuration = Duration(0)
    """The gap g of LogGP: the least time between the starts of two messages at a node's NIC; control messages count."""
    gap_per_byte: UnsignedTimePerByte = TimePerByte(0)
    """The gap per byte G of LogGP: the bytes of a message reach the NIC one in so long, and a packet leaves when its
    last byte is there. A message of k bytes keeps the NIC's sending side for max(g, (k - 1) G)."""
    call_overhead: UnsignedDuration = Duration(0)
    """How long a rank is busy with entering a call of MPI, and again with returning from it."""
    copy_per_byte: UnsignedTimePerByte = TimePerByte(0)
    """How long a host copies a byte of a message that is sent at once: at the sender before it goes, at the receiver
    before its receive or wait returns. What goes by rendezvous is not copied."""
    registration: UnsignedDuration = Duration(0)
    """How long it takes to register the memory of a rendezvous with the NIC: at the sender before it asks, at the
    receiver before it answers."""
    registration_per_page: UnsignedDuration = Duration(0)
    """The same for each whole page of 4096 B, if the message is longer than a page."""
    match_delay: UnsignedDuration = Duration(0)
    """How long it takes to find the receive of a message, or the message of a receive."""
    host_to_nic: UnsignedDuration = Duration(0)
    """How long a message, or a control message, takes from the host to the queue of its NIC."""
    nic_to_host: UnsignedDuration = Duration(0)
    """How long it takes from the NIC to the host, once it is there."""
    memory_latency: UnsignedDuration = Duration(0)
    """How long a message between two ranks of one node takes, whatever its size: it goes through memory and never to
    the NIC. The request, the answer and the acknowledgement of a rendezvous take as long, each."""
    memory_bandwidth: PositiveBandwidth | None = None
    """The bandwidth of such a message, by itself: the messages of a node do not slow one another. Unlimited if not
    given."""
    collectives: Collectives = Collectives()
    """How collective operations are made of messages; the name of a preset alone will do."""
