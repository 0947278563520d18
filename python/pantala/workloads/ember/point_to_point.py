"""Motifs that send messages between pairs of ranks, around a ring, or to a few targets."""

from __future__ import annotations

import re
from typing import Any, Literal

from typing_extensions import override

from pantala.models.base import Count, Flag, Index, fault
from pantala.workloads.ember.motif import EmberMotif, Nanoseconds, ps

__all__ = [
    "EmberAllPingPong",
    "EmberBiPingPong",
    "EmberIncast",
    "EmberMsgRate",
    "EmberNtoM",
    "EmberPingPong",
    "EmberRing",
]


def _even(ranks: int, name: str) -> None:
    if ranks % 2:
        message = f"{name} needs an even number of ranks, but the job has {ranks}"
        raise fault(message, "add or remove a node")


def _rank(key: str, rank: int, ranks: int, least: int = 0) -> None:
    if not least <= rank < ranks:
        message = f"is not another rank of the job, which has {ranks} ranks"
        remedy = f"write a rank from {least} to {ranks - 1}" if ranks > least else "add a node"
        raise fault(message if least else message.replace("another", "a"), remedy, key)


class EmberPingPong(EmberMotif):
    """PingPong: rank 0 and one other rank send a message back and forth."""

    kind: Literal["ember.PingPong"] = "ember.PingPong"
    """Rank 0 and another rank in turn."""
    messageSize: Index = 1024
    """Bytes of a message."""
    iterations: Count = 1
    """Iterations per rank."""
    rank2: Index = 1
    """The other rank."""
    blockingSend: Flag = True
    """Send with a blocking call. Otherwise a non-blocking call and a wait follow each other."""
    blockingRecv: Flag = True
    """Receive with a blocking call. Otherwise a non-blocking call and a wait follow each other."""
    waitall: Flag = False
    """Wait with MPI_Waitall instead of MPI_Wait."""

    def check(self, ranks: int) -> None:
        """Checks that the other rank is a rank."""
        _rank("rank2", self.rank2, ranks, 1)

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        waiting = "waitall" if self.waitall else "wait"
        return {
            "kind": "ping_pong",
            "partner": self.rank2,
            "message_bytes": self.messageSize,
            "iterations": self.iterations,
            "send": "blocking" if self.blockingSend else waiting,
            "receive": "blocking" if self.blockingRecv else waiting,
        }


class EmberBiPingPong(EmberMotif):
    """BiPingPong: rank r and rank r + ranks / 2 send to each other at once."""

    kind: Literal["ember.BiPingPong"] = "ember.BiPingPong"
    """Pairs of ranks, both at once."""
    messageSize: Index = 1024
    """Bytes of a message."""
    iterations: Count = 1
    """Iterations per rank."""

    def check(self, ranks: int) -> None:
        """Checks that the ranks have two halves."""
        _even(ranks, "BiPingPong")

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return {
            "kind": "ping_pong",
            "message_bytes": self.messageSize,
            "iterations": self.iterations,
            "both_at_once": True,
        }


class EmberAllPingPong(EmberMotif):
    """AllPingPong: rank r and rank r + ranks / 2 send a message back and forth."""

    kind: Literal["ember.AllPingPong"] = "ember.AllPingPong"
    """Pairs of ranks in turn."""
    messageSize: Index = 128
    """Bytes of a message."""
    iterations: Count = 1
    """Iterations per rank."""
    computetime: Nanoseconds = 1000
    """Computing per iteration, in ns."""

    def check(self, ranks: int) -> None:
        """Checks that the ranks have two halves; Ember never ends otherwise."""
        _even(ranks, "AllPingPong")

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return {
            "kind": "ping_pong",
            "message_bytes": self.messageSize,
            "iterations": self.iterations,
            "compute_ps": ps(self.computetime),
        }


class EmberRing(EmberMotif):
    """Ring: a message goes from rank to rank, once around per iteration."""

    kind: Literal["ember.Ring"] = "ember.Ring"
    """A token ring."""
    messagesize: Index = 1024
    """Bytes of the message."""
    iterations: Count = 1
    """Iterations per rank."""

    def check(self, ranks: int) -> None:
        """Checks that the ring has two ranks."""
        if ranks < 2:
            raise fault("Ring needs at least 2 ranks", "add a node")

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return {
            "kind": "token_ring",
            "message_bytes": self.messagesize,
            "iterations": self.iterations,
        }


class EmberIncast(EmberMotif):
    """Incast: all ranks send to one."""

    kind: Literal["ember.Incast"] = "ember.Incast"
    """All ranks to one."""
    messageSize: Index = 1024
    """Bytes of a message."""
    incasttarget: Index = 0
    """The rank that receives."""
    iterations: Count = 1
    """Iterations per rank."""

    def check(self, ranks: int) -> None:
        """Checks that the target is a rank."""
        _rank("incasttarget", self.incasttarget, ranks)

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return {
            "kind": "incast",
            "target": self.incasttarget,
            "message_bytes": self.messageSize,
            "iterations": self.iterations,
        }


class EmberNtoM(EmberMotif):
    """NtoM: all other ranks send to a few targets, which receive from any source."""

    kind: Literal["ember.NtoM"] = "ember.NtoM"
    """All other ranks to a few."""
    messageSize: Index = 1024
    """Bytes of a message."""
    iterations: Count = 1
    """Messages from each source to each target."""
    numRecvBufs: Count = 1
    """Receives that a target has started at a time."""
    targetRankList: str | Index = "0"
    """The targets: ranks and ranges with commas between them, such as `"0,4-7"`."""

    def targets(self) -> list[int]:
        """Returns the target ranks in the order of the list.

        Raises:
            PydanticCustomError: the list is not valid.
        """
        found: list[int] = []
        for part in str(self.targetRankList).split(","):
            match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", part.strip())
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
            if last < first or last - first > 2**20:
                message = f"has '{part}', which is neither a rank nor a range"
                raise fault(message, "write e.g. 0,4-7", "targetRankList")
            found += range(first, last + 1)
        return found

    def check(self, ranks: int) -> None:
        """Checks that the targets are ranks, and that another rank is left."""
        targets = self.targets()
        if len(set(targets)) < len(targets):
            raise fault("names a rank twice", "list each target once", "targetRankList")
        _rank("targetRankList", max(targets), ranks)
        if len(targets) == ranks:
            raise fault("leaves no rank that sends", "list fewer targets", "targetRankList")

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return {
            "kind": "many_to_many",
            "targets": self.targets(),
            "receives": self.numRecvBufs,
            "message_bytes": self.messageSize,
            "iterations": self.iterations,
        }


class EmberMsgRate(EmberMotif):
    """MsgRate: rank 0 sends many messages to rank 1 at once."""

    kind: Literal["ember.MsgRate"] = "ember.MsgRate"
    """Many messages at once, on two ranks."""
    msgSize: Index = 0
    """Bytes of a message."""
    numMsgs: Count = 1
    """Messages per iteration."""
    iterations: Count = 1
    """Iterations per rank."""

    def check(self, ranks: int) -> None:
        """Checks that there are two ranks."""
        if ranks != 2:
            message = f"MsgRate runs on 2 ranks, but the job has {ranks}"
            raise fault(message, "give the job 2 nodes, or 1 node with 2 cores")

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return {
            "kind": "message_rate",
            "messages": self.numMsgs,
            "message_bytes": self.msgSize,
            "iterations": self.iterations,
        }
