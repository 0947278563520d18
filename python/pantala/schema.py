"""The tables of a run directory: every column, its type, its unit and what it means.

This is the one place where the columns are described. The results page of the documentation is made from it, and the
tests hold real runs against it. Times are simulated nanoseconds (``_ns``) counted from the start of the simulation
unless the text says that a column is a duration; sizes are bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from polars.datatypes import DataTypeClass

__all__ = ["INSIDE_GROUPS", "NETWORK", "TABLES", "Column", "Table", "polars_schema"]

#: Classes of links inside a group: local on a one-dimensional Dragonfly, row and column on a two-dimensional one.
INSIDE_GROUPS = ("local", "row", "column")
#: Classes of links between routers.
NETWORK = (*INSIDE_GROUPS, "global")

_TYPES: Mapping[str, DataTypeClass] = MappingProxyType(
    {
        "u8": pl.UInt8,
        "u16": pl.UInt16,
        "u32": pl.UInt32,
        "u64": pl.UInt64,
        "i32": pl.Int32,
        "f64": pl.Float64,
        "bool": pl.Boolean,
        "str": pl.String,
    }
)


@dataclass(frozen=True)
class Column:
    """One column of a table: ``type`` is a short Arrow name (``u32``, ``f64``, ``str``, ``bool``)."""

    name: str
    type: str
    text: str
    nullable: bool = False

    @property
    def unit(self) -> str:
        """The unit, read off the name: ``ns`` or ``bytes``; ``1`` for a share or a ratio; empty for what has none."""
        if self.name.endswith("_ns"):
            return "ns"
        if self.name == "bytes" or self.name.endswith("_bytes"):
            return "bytes"
        if self.name in {"load", "slowdown"} or self.name.endswith("_share"):
            return "1"
        return ""

    @property
    def dtype(self) -> DataTypeClass:
        """The Polars data type."""
        return _TYPES[self.type]


@dataclass(frozen=True)
class Table:
    """One Parquet file of a run directory."""

    name: str
    text: str
    columns: tuple[Column, ...]

    @property
    def file(self) -> str:
        """The file's name in the run directory."""
        return f"{self.name}.parquet"


def polars_schema(table: str) -> dict[str, DataTypeClass]:
    """Column name to Polars type of one table; ``KeyError`` when there is no such table."""
    return {column.name: column.dtype for column in TABLES[table].columns}


def _latencies(prefix: str, subject: str) -> tuple[Column, ...]:
    words = {"mean": "Mean", "p50": "Median", "p95": "95th percentile of", "p99": "99th percentile of"}
    return tuple(
        Column(f"{prefix}_latency_{key}_ns", "f64", f"{word} {subject}.", nullable=True) for key, word in words.items()
    )


_JOB = Column("job", "u16", "Number of the job in the plan, from 0.")
_RANK = Column("rank", "u32", "Rank within the job, from 0.")
_WINDOW_START = Column("window_start_ns", "f64", "Start of the window.")
_LINK = Column(
    "link",
    "u32",
    "Number of the directed link: its router times the ports of a router, plus its port; injection links come after "
    "all others, by node. The key of every link table.",
)

_JOBS = Table(
    "jobs",
    "One row a job: how long it ran, how long its ranks communicated, how long its packets and messages took. "
    "Latencies cover every delivered packet and message of the job, whatever `record.packets` keeps; "
    "what only packets tell is null for a job that delivered none.",
    (
        _JOB,
        Column("name", "str", "The job's name in the scenario."),
        Column("ranks", "u32", "Number of ranks."),
        Column("start_ns", "f64", "Start of the job."),
        Column(
            "end_ns",
            "f64",
            "End of its last rank; null for a job that had not finished when the run stopped, as a pattern never does.",
            True,
        ),
        Column("complete", "bool", "Whether every rank finished; false for a pattern."),
        Column("communication_time_mean_ns", "f64", "Communication time, mean over ranks; null for a pattern.", True),
        Column(
            "communication_time_std_ns",
            "f64",
            "Communication time, standard deviation over ranks; null for a pattern.",
            True,
        ),
        Column("communication_time_max_ns", "f64", "Communication time of the slowest rank; null for a pattern.", True),
        Column("packets", "u64", "Packets delivered."),
        Column("bytes", "u64", "Payload delivered."),
        *_latencies("packet", "packet latency: creation at the source to the tail at the destination NIC"),
        *_latencies("network", "network latency: the head's entry into the network to the tail at the destination NIC"),
        *_latencies("message", "message latency: posted at the source to delivered; null for a job without messages"),
        Column("link_hops_mean", "f64", "Links between routers that a packet crossed, mean over packets.", True),
        Column("nonminimal_share", "f64", "Share of packets that took a non-minimal path.", True),
        Column(
            "responses",
            "u64",
            "Responses to packets of the job, back at the nodes that sent these; 0 without `machine.nic.responses`. "
            "`packets`, `bytes` and all latencies but those of pairs leave them out.",
        ),
        *_latencies(
            "pair",
            "packet-pair latency: the head's entry into the network to the delivery of the response; null without "
            "`machine.nic.responses`",
        ),
    ),
)

_RANKS = Table(
    "ranks",
    "One row a rank: where it was placed and what it spent its time on. The four columns from `send_ns` on divide its "
    "communication time by kind of call.",
    (
        _JOB,
        _RANK,
        Column("node", "u32", "Node on which the rank was placed."),
        Column("router", "u32", "Router of that node."),
        Column("group", "u32", "Group of that router."),
        Column("start_ns", "f64", "Start of the rank's program; null when it had not started.", True),
        Column("end_ns", "f64", "End of the rank's program; null when it had not finished.", True),
        Column("communication_time_ns", "f64", "Duration inside MPI calls."),
        Column("compute_time_ns", "f64", "Duration of compute phases."),
        Column("send_ns", "f64", "Duration inside blocking and non-blocking sends."),
        Column("recv_ns", "f64", "Duration inside receives."),
        Column("wait_ns", "f64", "Duration inside waits."),
        Column("collective_ns", "f64", "Duration inside collectives."),
        Column("messages_sent", "u64", "Messages sent."),
        Column("bytes_sent", "u64", "Payload sent."),
        Column(
            "peak_ingress_bytes",
            "u64",
            "The most payload that the rank posted between two waits: its receives, its waits, its sends that do not "
            "complete at once, and those of its collectives. The peak ingress volume of Kang et al. (SC 2022), IV.",
        ),
        Column("messages_received", "u64", "Messages received."),
        Column("bytes_received", "u64", "Payload received."),
    ),
)

_CALLS = Table(
    "calls",
    "One row a job and MPI call, over all ranks of the job: what profilers between a program and MPI tell (AutoPerf in "
    "Chunduri et al., IPDPS 2021, III.B).",
    (
        _JOB,
        Column("call", "str", "The call: `isend`, `waitall`, `allreduce` and so on."),
        Column("calls", "u64", "How often it was called."),
        Column(
            "bytes",
            "u64",
            "Payload that the calls name: what a rank gives to a send or collective, a receive's room; 0 for waits.",
        ),
        Column("time_ns", "f64", "Duration inside it, summed over ranks."),
    ),
)

_ITERATIONS = Table(
    "iterations",
    "One row a rank and iteration of its program (`record.iterations`).",
    (
        _JOB,
        _RANK,
        Column("iteration", "u32", "Number of the iteration, from 0."),
        Column("start_ns", "f64", "Start of the iteration on this rank."),
        Column("end_ns", "f64", "End of the iteration on this rank."),
        Column("communication_time_ns", "f64", "Duration inside MPI calls in this iteration."),
    ),
)

_MESSAGES = Table(
    "messages",
    "One row a delivered message (`record.messages`).",
    (
        _JOB,
        Column("source_rank", "u32", "Rank that sent."),
        Column("destination_rank", "u32", "Rank that received."),
        Column("tag", "i32", "MPI tag; negative for the messages of collectives."),
        Column("bytes", "u64", "Payload of the message."),
        Column("protocol", "str", "`eager` or `rendezvous`."),
        Column("posted_ns", "f64", "The send was posted."),
        Column("delivered_ns", "f64", "The last byte reached the receiver."),
        Column("latency_ns", "f64", "Duration from posted to delivered."),
    ),
)

_PACKETS = Table(
    "packets",
    "One row a delivered packet: all, one in `record.packet_sample`, or none (`record.packets`). Responses: no rows.",
    (
        _JOB,
        Column("source_node", "u32", "Node that sent."),
        Column("destination_node", "u32", "Node that received."),
        Column("bytes", "u32", "Size of the packet."),
        Column("created_ns", "f64", "Creation at the source; source queueing starts here."),
        Column("injected_ns", "f64", "The head entered the network."),
        Column("delivered_ns", "f64", "The tail reached the destination NIC."),
        Column("latency_ns", "f64", "Packet latency: duration from created to delivered."),
        Column("link_hops", "u8", "Links between routers that the packet crossed."),
        Column("nonminimal", "bool", "Whether it took a non-minimal path."),
    ),
)

_LINKS = Table(
    "links",
    "One row a directed link, terminal links included: what it is and what it carried over the whole run.",
    (
        _LINK,
        Column(
            "class",
            "str",
            "`injection`, `ejection`, `global`, and inside a group `local`, or in two dimensions `row` and `column`.",
        ),
        Column("source_router", "u32", "Router at the sending end; null for an injection link.", True),
        Column("source_port", "u32", "Port of that router; null for an injection link.", True),
        Column("source_group", "u32", "Group of that router; null for an injection link.", True),
        Column("target_router", "u32", "Router at the receiving end; null for an ejection link.", True),
        Column("target_port", "u32", "Port of that router; null for an ejection link.", True),
        Column("target_group", "u32", "Group of that router; null for an ejection link.", True),
        Column("node", "u32", "Node of an injection or ejection link; null for the others.", True),
        Column("packets", "u64", "Packets sent over the link, responses included."),
        Column("bytes", "u64", "Payload sent over the link, that of responses included."),
        Column("busy_ns", "f64", "Duration during which the link was sending; packets fill whole flits."),
        Column(
            "stall_ns",
            "f64",
            "Duration during which a flit was ready and could not advance for want of credit.",
        ),
        Column("load", "f64", "`busy_ns` over the simulated time of the run."),
    ),
)

_LINK_JOBS = Table(
    "link_jobs",
    "One row a link and job that used it.",
    (
        _LINK,
        _JOB,
        Column("bytes", "u64", "Bytes of that job over the link, those of responses to its packets included."),
    ),
)

_LINK_WINDOWS = Table(
    "link_windows",
    "One row a link between routers and time window in which it sent anything (`record.link_windows`). The length of a "
    "window is `record.window_ps` of the plan.",
    (
        _LINK,
        _WINDOW_START,
        Column("bytes", "u64", "Bytes sent in the window."),
    ),
)

_JOB_WINDOWS = Table(
    "job_windows",
    "One row a job and time window in which it sent or received anything: the job's throughput over time.",
    (
        _JOB,
        _WINDOW_START,
        Column("window_ns", "f64", "Duration of the window; the last one may be shorter."),
        Column("injected_bytes", "u64", "Bytes that entered the network."),
        Column("delivered_bytes", "u64", "Bytes that reached their destination NIC."),
        Column("packets", "u64", "Packets delivered."),
        Column(
            "latency_mean_ns",
            "f64",
            "Mean latency of the packets delivered; null when there were none.",
            True,
        ),
    ),
)

_Q_TABLES = Table(
    "q_tables",
    "One row an estimate of a router under q_adaptive when the run ended (`record.q_tables`): the tables themselves, "
    "for `routing.q_adaptive.table` of another run on the same topology. Kang et al. (HPDC 2021; SC 2022, II.B).",
    (
        Column("router", "u32", "The router that holds the estimate."),
        Column("destination_group", "u32", "For packets to this group, not the router's own."),
        Column("slot", "u32", "And from nodes in this place of their source router, from 0."),
        Column("port", "u32", "That leave by this port, which has a link to another router."),
        Column(
            "estimate_ns",
            "f64",
            "Duration: from a packet's arrival at the router to its arrival in the destination's group.",
        ),
    ),
)

_Q_LEARNING = Table(
    "q_learning",
    "One row a time window and kind of port in which any feedback of q_adaptive arrived (`record.q_learning`), over "
    "all routers: estimates against time. All times but the first are durations, means over the feedback of the "
    "window.",
    (
        Column("window_start_ns", "f64", "Start of the window; its length is `record.window_ps` of the plan."),
        Column(
            "via",
            "str",
            "The port that a packet had left by, as the router saw it: `local` to another router of the group, "
            "`direct` by a global link to the destination's group, `detour` by one to another group.",
        ),
        Column("updates", "u64", "Feedback that arrived: estimates corrected."),
        Column(
            "feedback_mean_ns", "f64", "What packets had found: time to the next router, plus the best estimate there."
        ),
        Column("estimate_mean_ns", "f64", "The estimates, once corrected."),
        Column("error_mean_ns", "f64", "How far the estimates had been off, either way."),
    ),
)

#: Every table of a run directory, by name, in the order in which they are documented.
TABLES: Mapping[str, Table] = MappingProxyType(
    {
        table.name: table
        for table in (
            _JOBS,
            _RANKS,
            _CALLS,
            _ITERATIONS,
            _MESSAGES,
            _PACKETS,
            _LINKS,
            _LINK_JOBS,
            _LINK_WINDOWS,
            _JOB_WINDOWS,
            _Q_TABLES,
            _Q_LEARNING,
        )
    }
)
