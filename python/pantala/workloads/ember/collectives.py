"""Motifs that call one collective in a loop."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import override

from pantala.models.base import Count, Flag, Index, fault
from pantala.workloads.ember.motif import (
    DOUBLE,
    INT,
    LONG,
    EmberMotif,
    Nanoseconds,
    StartedMotif,
    ps,
)

__all__ = [
    "EmberAllgather",
    "EmberAllgatherv",
    "EmberAllreduce",
    "EmberAlltoall",
    "EmberAlltoallv",
    "EmberBarrier",
    "EmberBcast",
    "EmberReduce",
    "EmberScatter",
    "EmberScatterv",
    "EmberStop",
]

#: Ember's Reduce computes for this time before each call, in ns.
_REDUCE_COMPUTE = 11_000


def _loop(iterations: int, compute: int, **call: Any) -> dict[str, Any]:
    return {
        "kind": "collective_loop",
        "call": call,
        "iterations": iterations,
        "compute_ps": ps(compute),
    }


def _check_root(root: int, ranks: int) -> None:
    if root >= ranks:
        message = f"is not a rank of the job, which has {ranks} ranks"
        raise fault(message, f"write a rank from 0 to {ranks - 1}", "root")


class EmberBarrier(EmberMotif):
    """Barrier: compute, then a barrier of all ranks."""

    kind: Literal["ember.Barrier"] = "ember.Barrier"
    """A loop of barriers."""
    iterations: Count = 1
    """Iterations per rank."""
    compute: Nanoseconds = 0
    """Computing before each barrier, in ns."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return _loop(self.iterations, self.compute, collective="barrier")


class EmberStop(EmberBarrier):
    """Stop: as Barrier; then Ember ends the whole simulation.

    Pantala lets the other jobs run to their ends.
    """

    kind: Literal["ember.Stop"] = "ember.Stop"  # type: ignore[assignment]
    """Barriers at the end of a simulation."""


class EmberBcast(EmberMotif):
    """Bcast: compute, then a broadcast."""

    kind: Literal["ember.Bcast"] = "ember.Bcast"
    """A loop of broadcasts."""
    iterations: Count = 1
    """Iterations per rank."""
    count: Index = 1
    """Elements of 8 B."""
    root: Index = 0
    """The root."""
    compute: Nanoseconds = 0
    """Computing before each broadcast, in ns."""

    def check(self, ranks: int) -> None:
        """Checks that the root is a rank."""
        _check_root(self.root, ranks)

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        call = {"collective": "bcast", "root": self.root, "bytes": DOUBLE * self.count}
        return _loop(self.iterations, self.compute, **call)


class EmberReduce(EmberMotif):
    """Reduce: compute for 11 us, then a reduction."""

    kind: Literal["ember.Reduce"] = "ember.Reduce"
    """A loop of reductions."""
    iterations: Count = 1
    """Iterations per rank."""
    count: Index = 1
    """Elements of 8 B."""
    root: Index = 0
    """The root."""

    def check(self, ranks: int) -> None:
        """Checks that the root is a rank."""
        _check_root(self.root, ranks)

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        call = {"collective": "reduce", "root": self.root, "bytes": DOUBLE * self.count}
        return _loop(self.iterations, _REDUCE_COMPUTE, **call)


class EmberAllreduce(StartedMotif):
    """Allreduce: compute, then an allreduce, and a barrier if wanted.

    The start delay and the barrier are in the fork of Kang et al.
    """

    kind: Literal["ember.Allreduce"] = "ember.Allreduce"
    """A loop of allreduces."""
    iterations: Count = 1
    """Iterations per rank."""
    compute: Nanoseconds = 0
    """Computing before each allreduce, in ns."""
    count: Count = 1
    """Elements of 8 B."""
    dobarrier: Flag = False
    """Whether a barrier follows each allreduce."""
    doUserFunc: Flag = False
    """Whether Ember calls a function of its own. It costs no simulated time."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return self.delay() | {
            "kind": "allreduce_loop",
            "message_bytes": DOUBLE * self.count,
            "iterations": self.iterations,
            "compute_ps": ps(self.compute),
            "barrier": self.dobarrier,
        }


class EmberAlltoall(EmberMotif):
    """Alltoall: compute, then an all-to-all exchange."""

    kind: Literal["ember.Alltoall"] = "ember.Alltoall"
    """A loop of all-to-all exchanges."""
    iterations: Count = 1
    """Iterations per rank."""
    bytes: Index = 1
    """Bytes per pair of ranks."""
    compute: Nanoseconds = 0
    """Computing before each exchange, in ns."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return _loop(self.iterations, self.compute, collective="alltoall", bytes=self.bytes)


class EmberAlltoallv(StartedMotif):
    """Alltoallv: compute, then an all-to-all exchange with equal blocks.

    The computing and the start delay are in the fork of Kang et al. SST's own motif has neither:
    `computetime = 0` and `wait2start = 0` give it.
    """

    kind: Literal["ember.Alltoallv"] = "ember.Alltoallv"
    """A loop of all-to-all exchanges with blocks."""
    iterations: Count = 1
    """Iterations per rank."""
    count: Index = 1
    """Elements of 8 B per pair of ranks."""
    computetime: Nanoseconds = 1000
    """Computing before each exchange, in ns."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        call = {"collective": "alltoallv", "bytes": DOUBLE * self.count}
        return self.delay() | _loop(self.iterations, self.computetime, **call)


class EmberAllgather(EmberMotif):
    """Allgather: compute, then an allgather."""

    kind: Literal["ember.Allgather"] = "ember.Allgather"
    """A loop of allgathers."""
    iterations: Count = 1
    """Iterations per rank."""
    count: Index = 1
    """Elements of 4 B per rank."""
    compute: Nanoseconds = 0
    """Computing before each allgather, in ns."""
    verify: Flag = True
    """Whether Ember compares the data. It costs no simulated time."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        call = {"collective": "allgather", "bytes": INT * self.count}
        return _loop(self.iterations, self.compute, **call)


class EmberAllgatherv(EmberMotif):
    """Allgatherv: an allgather with equal blocks."""

    kind: Literal["ember.Allgatherv"] = "ember.Allgatherv"
    """A loop of allgathers with blocks."""
    iterations: Count = 1
    """Iterations per rank."""
    count: Index = 1
    """Elements of 4 B per rank."""
    compute: Nanoseconds = 0
    """Computing before each allgather, in ns."""
    verify: Flag = True
    """Whether Ember compares the data. It costs no simulated time."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        call = {"collective": "allgatherv", "bytes": INT * self.count}
        return _loop(self.iterations, self.compute, **call)


class EmberScatter(EmberMotif):
    """Scatter: compute, then a scatter."""

    kind: Literal["ember.Scatter"] = "ember.Scatter"
    """A loop of scatters."""
    iterations: Count = 1
    """Iterations per rank."""
    count: Index = 1
    """Elements of 4 B per rank."""
    root: Index = 0
    """The root."""
    compute: Nanoseconds = 0
    """Computing before each scatter, in ns."""

    def check(self, ranks: int) -> None:
        """Checks that the root is a rank."""
        _check_root(self.root, ranks)

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        call = {"collective": "scatter", "root": self.root, "bytes": INT * self.count}
        return _loop(self.iterations, self.compute, **call)


class EmberScatterv(EmberMotif):
    """Scatterv: compute, then a scatter with equal blocks."""

    kind: Literal["ember.Scatterv"] = "ember.Scatterv"
    """A loop of scatters with blocks."""
    iterations: Count = 1
    """Iterations per rank."""
    count: Index = 1
    """Elements of 8 B per rank."""
    root: Index = 0
    """The root."""
    compute: Nanoseconds = 0
    """Computing before each scatter, in ns."""

    def check(self, ranks: int) -> None:
        """Checks that the root is a rank."""
        _check_root(self.root, ranks)

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        call = {"collective": "scatterv", "root": self.root, "bytes": LONG * self.count}
        return _loop(self.iterations, self.compute, **call)
