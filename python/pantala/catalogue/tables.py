"""The tables of a run directory.

`make generate` writes this file from crates/pantala-sim/src/output/tables; do not edit it. Times
are simulated nanoseconds (``_ns``) from the start of the simulation unless the text says that a
column is a duration. Sizes are bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pantala.catalogue.columns import Column, Table

__all__ = ["TABLES"]

_JOBS = Table(
    "jobs",
    text=(
        "One row per job: its run time, the communication time of its ranks, the latency of its packets and "
        "messages. Latencies include every delivered packet and message of the job; `record.packets` does "
        "not matter. Columns about packets are null if the job delivered none."
    ),
    switch=None,
    columns=(
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column("name", "str", "The job's name in the scenario."),
        Column("ranks", "u32", "Number of ranks."),
        Column("start_ns", "f64", "Start of the job.", unit="ns"),
        Column(
            "end_ns",
            "f64",
            "End of the job's last rank; null for a pattern and for a job that did not finish.",
            unit="ns",
            nullable=True,
        ),
        Column("complete", "bool", "Whether every rank finished; false for a pattern."),
        Column(
            "communication_time_mean_ns",
            "f64",
            (
                "Communication time, mean over ranks; null for a pattern. It is the time inside the application's "
                "MPI calls: `MPI_Init` and `MPI_Finalize` do not count."
            ),
            unit="ns",
            nullable=True,
        ),
        Column(
            "communication_time_std_ns",
            "f64",
            "Communication time, standard deviation over ranks; null for a pattern.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "communication_time_max_ns",
            "f64",
            "Communication time of the slowest rank; null for a pattern.",
            unit="ns",
            nullable=True,
        ),
        Column("packets", "u64", "Packets delivered."),
        Column(
            "mpi_bytes",
            "u64",
            (
                "MPI payload: bytes of all messages that the job's ranks sent, including messages inside a node and "
                "messages of collectives. Control messages of rendezvous and messages of a rank to itself do not "
                "count. Null for a pattern."
            ),
            unit="bytes",
            nullable=True,
        ),
        Column(
            "injected_bytes",
            "u64",
            (
                "Bytes of the job's packets that entered the network over injection links: messages between nodes "
                "and the control messages of rendezvous. Messages inside a node and responses do not count."
            ),
            unit="bytes",
        ),
        Column(
            "delivered_bytes",
            "u64",
            "The part of `injected_bytes` that reached the destination NIC.",
            unit="bytes",
        ),
        Column(
            "packet_latency_mean_ns",
            "f64",
            (
                "Mean packet latency: from the packet's creation at the source to its tail at the destination NIC, "
                "unless `machine.nic.latency_from` says otherwise."
            ),
            unit="ns",
            nullable=True,
        ),
        Column("packet_latency_p50_ns", "f64", "Median packet latency.", unit="ns", nullable=True),
        Column(
            "packet_latency_p95_ns",
            "f64",
            "95th percentile of packet latency.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "packet_latency_p99_ns",
            "f64",
            "99th percentile of packet latency.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "network_latency_mean_ns",
            "f64",
            "Mean network latency: from the head's entry into the network to the tail at the destination NIC.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "network_latency_p50_ns", "f64", "Median network latency.", unit="ns", nullable=True
        ),
        Column(
            "network_latency_p95_ns",
            "f64",
            "95th percentile of network latency.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "network_latency_p99_ns",
            "f64",
            "99th percentile of network latency.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "message_latency_mean_ns",
            "f64",
            (
                "Mean message latency: from the posted send to the delivery of the last byte; null for a job "
                "without messages."
            ),
            unit="ns",
            nullable=True,
        ),
        Column(
            "message_latency_p50_ns", "f64", "Median message latency.", unit="ns", nullable=True
        ),
        Column(
            "message_latency_p95_ns",
            "f64",
            "95th percentile of message latency.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "message_latency_p99_ns",
            "f64",
            "99th percentile of message latency.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "link_hops_mean",
            "f64",
            "Number of links between routers that a packet crossed, mean over packets.",
            nullable=True,
        ),
        Column(
            "nonminimal_share",
            "f64",
            "Fraction of packets that took a non-minimal path.",
            unit="1",
            nullable=True,
        ),
        Column(
            "responses",
            "u64",
            (
                "Number of responses that reached the sender of their request packet; 0 without "
                "`machine.nic.responses`. `packets`, `injected_bytes`, `delivered_bytes` and all latencies except "
                "request-response latency exclude responses."
            ),
        ),
        Column(
            "request_response_latency_mean_ns",
            "f64",
            (
                "Mean request-response latency: from the head's entry into the network to the delivery of the "
                "response; null without `machine.nic.responses`."
            ),
            unit="ns",
            nullable=True,
        ),
        Column(
            "request_response_latency_p50_ns",
            "f64",
            "Median request-response latency.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "request_response_latency_p95_ns",
            "f64",
            "95th percentile of request-response latency.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "request_response_latency_p99_ns",
            "f64",
            "99th percentile of request-response latency.",
            unit="ns",
            nullable=True,
        ),
    ),
)
_RANKS = Table(
    "ranks",
    text=(
        "One row per rank: its placement and its account of time. The four columns from `send_ns` to "
        "`collective_ns` divide the communication time by kind of call. A rank's run time is the sum of its "
        "communication time, its compute time, `init_ns` and `finalize_ns`. In a run that skipped time, the "
        "sum is only close to the run time."
    ),
    switch=None,
    columns=(
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column("rank", "u32", "Rank within the job, from 0."),
        Column("node", "u32", "Node on which the rank was placed."),
        Column("router", "u32", "Router of that node."),
        Column("group", "u32", "Group of that router."),
        Column(
            "start_ns",
            "f64",
            "Start of the rank's program; null if it had not started.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "end_ns",
            "f64",
            "End of the rank's program; null if it had not finished.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "communication_time_ns",
            "f64",
            "Duration inside the application's MPI calls: all but `MPI_Init` and `MPI_Finalize`.",
            unit="ns",
        ),
        Column("compute_time_ns", "f64", "Duration of compute phases.", unit="ns"),
        Column("send_ns", "f64", "Duration inside blocking and non-blocking sends.", unit="ns"),
        Column("recv_ns", "f64", "Duration inside receives.", unit="ns"),
        Column("wait_ns", "f64", "Duration inside waits.", unit="ns"),
        Column("collective_ns", "f64", "Duration inside collectives.", unit="ns"),
        Column(
            "init_ns",
            "f64",
            (
                "Duration inside `MPI_Init` and the calls of size and rank that follow it (`mpi.initialization`). "
                "It is no communication time."
            ),
            unit="ns",
        ),
        Column(
            "finalize_ns",
            "f64",
            (
                "Duration inside `MPI_Finalize` (`mpi.finalize`), where a rank waits for the others. It is no "
                "communication time."
            ),
            unit="ns",
        ),
        Column("messages_sent", "u64", "Messages sent."),
        Column("bytes_sent", "u64", "Payload sent.", unit="bytes"),
        Column(
            "peak_ingress_bytes",
            "u64",
            (
                "Largest payload of a run of sends with neither a receive nor a wait between them, blocking or not, "
                "in the program and inside collectives. This is the peak ingress volume of Kang et al. (SC 2022), "
                "IV."
            ),
            unit="bytes",
        ),
        Column("messages_received", "u64", "Messages received."),
        Column("bytes_received", "u64", "Payload received.", unit="bytes"),
    ),
)
_CALLS = Table(
    "calls",
    text=(
        "One row per job and MPI call, summed over all ranks of the job, as a profiler between the program "
        "and MPI reports them (AutoPerf in Chunduri et al., IPDPS 2021, III.B). `init` and `finalize` have "
        "rows if they take time; their time is no communication time."
    ),
    switch=None,
    columns=(
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column("call", "str", "The call: `isend`, `waitall`, `allreduce` and so on."),
        Column("calls", "u64", "Number of calls."),
        Column(
            "bytes",
            "u64",
            (
                "Payload in the arguments of the calls: the data of a send or collective, the buffer of a receive; "
                "0 for waits."
            ),
            unit="bytes",
        ),
        Column("time_ns", "f64", "Duration inside the calls, summed over ranks.", unit="ns"),
    ),
)
_ITERATIONS = Table(
    "iterations",
    text=(
        "One row per rank and iteration of its program that ended. Motifs that report by phase have one row "
        "per phase of an iteration. Rows are ordered by the window of `end_ns` (of length "
        "`record.window_ps`), and in a window by `job`, `motif`, `iteration`, `rank`, `start_ns`, `end_ns` "
        "and `phase`."
    ),
    switch="record.iterations",
    columns=(
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column("rank", "u32", "Rank within the job, from 0."),
        Column("motif", "u16", "Number of the motif in the job's sequence of motifs, from 0."),
        Column("iteration", "u32", "Number of the iteration of the motif, from 0."),
        Column(
            "phase",
            "str",
            "Name of the phase of the iteration; null if the motif does not report by phase.",
            nullable=True,
        ),
        Column("start_ns", "f64", "Start of the iteration on this rank.", unit="ns"),
        Column("end_ns", "f64", "End of the iteration on this rank.", unit="ns"),
        Column(
            "communication_time_ns",
            "f64",
            "Duration inside MPI calls in this iteration: its duration without the compute phases.",
            unit="ns",
        ),
        Column(
            "compute_time_ns",
            "f64",
            "Duration of computing in this iteration; null without `record.rank_calls`.",
            unit="ns",
            nullable=True,
        ),
    ),
)
_MESSAGES = Table(
    "messages",
    text=(
        "One row per delivered message. Rows are ordered by the window of `delivered_ns` (of length "
        "`record.window_ps`), and in a window by `job`, `posted_ns`, `source_rank`, `destination_rank`, "
        "`tag`, `delivered_ns`, `bytes` and `message`."
    ),
    switch="record.messages",
    columns=(
        Column(
            "message",
            "u64",
            (
                "Number of the message in its job: a hash of source, destination, communicator and order. All "
                "packets of the message have it in the packets table."
            ),
        ),
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column("source_rank", "u32", "Rank that sent the message."),
        Column("destination_rank", "u32", "Rank that received the message."),
        Column("tag", "i32", "MPI tag; negative for the messages of collectives."),
        Column("bytes", "u64", "Payload of the message.", unit="bytes"),
        Column("protocol", "str", "Protocol: `eager` or `rendezvous`."),
        Column("posted_ns", "f64", "Time at which the send was posted.", unit="ns"),
        Column(
            "delivered_ns", "f64", "Time at which the last byte reached the receiver.", unit="ns"
        ),
        Column(
            "latency_ns",
            "f64",
            "Message latency: duration from `posted_ns` to `delivered_ns`.",
            unit="ns",
        ),
        Column(
            "unexpected",
            "bool",
            (
                "Whether no posted receive accepted the message when it arrived: the payload of an eager message, "
                "the request to send of a rendezvous; null without `record.unexpected`."
            ),
            nullable=True,
        ),
    ),
)
_PACKETS = Table(
    "packets",
    text=(
        "One row per delivered packet. `record.packets` chooses all packets, one in `record.packet_sample`, "
        "or none; `record.packet_jobs`, `packet_routers`, `packet_from` and `packet_until` choose among "
        "these. Responses have no rows. Rows are ordered by `delivered_ns`, then by `source_node`, "
        "`created_ns` and `injected_ns`."
    ),
    switch="record.packets",
    columns=(
        Column(
            "packet",
            "u64",
            (
                "Number of the packet: `source_node` * 2^32 plus the number of host packets that the node sent "
                "before. A job's packet has the same number alone and together with other jobs."
            ),
        ),
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column("rank", "u32", "Rank that sent the packet."),
        Column("destination_rank", "u32", "Rank that received the packet."),
        Column(
            "message",
            "u64",
            "Number of the packet's message, as in the messages table; null for synthetic traffic.",
            nullable=True,
        ),
        Column("source_node", "u32", "Node that sent the packet."),
        Column("destination_node", "u32", "Node that received the packet."),
        Column("bytes", "u32", "Payload of the packet.", unit="bytes"),
        Column(
            "created_ns",
            "f64",
            "Creation of the packet at the source. Source queueing starts here.",
            unit="ns",
        ),
        Column("injected_ns", "f64", "Time at which the head entered the network.", unit="ns"),
        Column(
            "delivered_ns", "f64", "Time at which the tail reached the destination NIC.", unit="ns"
        ),
        Column(
            "latency_ns",
            "f64",
            "Packet latency, from creation to delivery unless `machine.nic.latency_from` says otherwise.",
            unit="ns",
        ),
        Column("link_hops", "u8", "Number of links between routers that the packet crossed."),
        Column("nonminimal", "bool", "Whether the packet took a non-minimal path."),
        Column(
            "diverted_after",
            "u8",
            (
                "Number of links between routers that the packet had crossed when a router chose the non-minimal "
                "path: 0 at the source router; null for a minimal path."
            ),
            nullable=True,
        ),
    ),
)
_LINKS = Table(
    "links",
    text=(
        "One row per directed link, including injection and ejection links: its ends and its traffic over "
        "the whole run."
    ),
    switch=None,
    columns=(
        Column(
            "link",
            "u32",
            (
                "Number of the directed link: the sending router times the ports per router, plus the port. "
                "Injection links have the numbers after all others, by node. All link tables use this number."
            ),
        ),
        Column(
            "class",
            "str",
            (
                "Link class: `injection`, `ejection`, `global`, and inside a group `local`, or `row` and `column` "
                "in two dimensions."
            ),
        ),
        Column(
            "source_router",
            "u32",
            "Router at the sending end; null for an injection link.",
            nullable=True,
        ),
        Column(
            "source_port", "u32", "Port of that router; null for an injection link.", nullable=True
        ),
        Column(
            "source_group",
            "u32",
            "Group of that router; null for an injection link.",
            nullable=True,
        ),
        Column(
            "target_router",
            "u32",
            "Router at the receiving end; null for an ejection link.",
            nullable=True,
        ),
        Column(
            "target_port", "u32", "Port of that router; null for an ejection link.", nullable=True
        ),
        Column(
            "target_group", "u32", "Group of that router; null for an ejection link.", nullable=True
        ),
        Column(
            "parallel_index",
            "u32",
            (
                "Number of the link among the parallel links between the same routers (or groups, for a global "
                "link), from 0; null for an injection or ejection link."
            ),
            nullable=True,
        ),
        Column(
            "node",
            "u32",
            "Node of an injection or ejection link; null for the others.",
            nullable=True,
        ),
        Column("packets", "u64", "Packets sent over the link, including responses."),
        Column(
            "bytes",
            "u64",
            "Payload sent over the link, including the payload of responses.",
            unit="bytes",
        ),
        Column("busy_ns", "f64", "Duration of sending. A packet occupies whole flits.", unit="ns"),
        Column(
            "stall_ns",
            "f64",
            "Stall: duration in which a packet was ready, the link idle, and no packet had credit.",
            unit="ns",
        ),
        Column(
            "sst_stall_ns",
            "f64",
            (
                "Stall as SST counts it (`output_port_stalls` of merlin): each stall from the last packet on that "
                "came into the output buffer meanwhile. Equal to `stall_ns` if packets wait in virtual output "
                "queues. Null for an injection link, and without `record.sst_stalls`."
            ),
            unit="ns",
            nullable=True,
        ),
        Column(
            "utilization",
            "f64",
            "Utilization: `busy_ns` divided by the simulated time of the run.",
            unit="1",
        ),
    ),
)
_LINK_JOBS = Table(
    "link_jobs",
    text="One row per link and job that used it or waited for it.",
    switch=None,
    columns=(
        Column("link", "u32", "Number of the directed link, as in `links`."),
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column(
            "bytes",
            "u64",
            "Payload of the job over the link, including responses to its packets.",
            unit="bytes",
        ),
        Column(
            "stall_ns",
            "f64",
            (
                "Stall: duration in which a packet was ready, the link idle, and no packet had credit. A stall "
                "belongs to the job of the packet that the link would send first."
            ),
            unit="ns",
        ),
    ),
)
_LINK_WINDOWS = Table(
    "link_windows",
    text=(
        "One row per link, time window and job, if the link sent a packet of the job in the window or "
        "stalled for one. Injection and ejection links are included. The length of a window is "
        "`record.link_window_ps` of the plan. Rows are ordered by `window_start_ns`, `link` and `job`."
    ),
    switch="record.link_windows",
    columns=(
        Column("link", "u32", "Number of the directed link, as in `links`."),
        Column("window_start_ns", "f64", "Start of the window.", unit="ns"),
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column(
            "bytes",
            "u64",
            "Payload of the job sent in the window, including responses to its packets.",
            unit="bytes",
        ),
        Column("stall_ns", "f64", "Stall in the window, as in `link_jobs`.", unit="ns"),
    ),
)
_PORT_WINDOWS = Table(
    "port_windows",
    text=(
        "One row per link and window with traffic, a stall, or flits beyond the link; and per VC, job and "
        "kind of packet, if `record.ports` of the plan splits by them. Saturation and occupancy belong to a "
        "link or a VC. If rows are split, they have rows of their own without traffic: one per link, and "
        "with a split by VC one per VC, with null in the other columns of the split. So sums of traffic "
        "over all rows are right. Windows of several lengths are told apart by `window_ns`. Rows are "
        "ordered by the end of their window, then by the columns from `window_ns` to `kind`."
    ),
    switch="record.ports",
    columns=(
        Column(
            "window_ns",
            "f64",
            (
                "Length of the windows of this row's kind. The last window may be shorter. Without windows: the "
                "simulated time of the run, without what it skipped."
            ),
            unit="ns",
        ),
        Column("window_start_ns", "f64", "Start of the window.", unit="ns"),
        Column("link", "u32", "Number of the directed link, as in `links`."),
        Column("vc", "u8", "Virtual channel; null for all.", nullable=True),
        Column("job", "u16", "Number of the job in the plan; null for all.", nullable=True),
        Column(
            "kind", "str", "Kind of packet: `request` or `response`; null for both.", nullable=True
        ),
        Column("packets", "u64", "Packets whose head has started on the link in the window."),
        Column("bytes", "u64", "Payload of these packets.", unit="bytes"),
        Column("flits", "u64", "Flits that have started on the link in the window."),
        Column(
            "busy_ns",
            "f64",
            (
                "Duration of sending in the window. If the end of the run cuts the last window short, packets that "
                "are on the link at the end of the run count whole."
            ),
            unit="ns",
        ),
        Column(
            "stall_ns",
            "f64",
            (
                "Stall in the window: a packet was ready, the link idle, and no packet had credit. It belongs to "
                "the VC, the job and the kind of the packet that the link would send first."
            ),
            unit="ns",
        ),
        Column(
            "saturated_ns",
            "f64",
            (
                "Duration in which the buffer behind the link, of any of the VCs of the row, lacked room for a "
                "packet of maximum size, as far as the sender knows by its credits. Null in rows of traffic if rows "
                "are split, and for links to nodes that take every packet at once."
            ),
            unit="ns",
            nullable=True,
        ),
        Column(
            "occupancy_mean_flits",
            "f64",
            "Mean number of flits beyond the link: sent and not yet credited. Null as for `saturated_ns`.",
            nullable=True,
        ),
        Column(
            "occupancy_max_flits",
            "u32",
            "Maximum of these flits. Null as for `saturated_ns`.",
            nullable=True,
        ),
    ),
)
_SYSTEM_WINDOWS = Table(
    "system_windows",
    text=(
        "One row per link class and window with traffic, a stall or saturation, and per job if "
        "`record.system` of the plan tells jobs apart: sums over all links of the class. Rows are ordered "
        "by the end of their window, then by `window_ns`, start, class and job."
    ),
    switch="record.system",
    columns=(
        Column(
            "window_ns",
            "f64",
            (
                "Length of the windows of this row's kind. The last window may be shorter. Without windows: the "
                "simulated time of the run, without what it skipped."
            ),
            unit="ns",
        ),
        Column("window_start_ns", "f64", "Start of the window.", unit="ns"),
        Column("class", "str", "Link class, as in `links`."),
        Column("job", "u16", "Number of the job in the plan; null for all.", nullable=True),
        Column("links", "u32", "Number of links of the class."),
        Column(
            "packets", "u64", "Packets whose head has started on a link of the class in the window."
        ),
        Column("bytes", "u64", "Payload of these packets.", unit="bytes"),
        Column("flits", "u64", "Flits that have started on the links in the window."),
        Column(
            "busy_ns",
            "f64",
            "Duration of sending (`busy_ns` of `port_windows`), summed over links.",
            unit="ns",
        ),
        Column("stall_ns", "f64", "Stalls, summed over links.", unit="ns"),
        Column(
            "saturated_ns",
            "f64",
            (
                "Duration in which a link was saturated (`saturated_ns` of `port_windows`), summed over links; null "
                "for a job."
            ),
            unit="ns",
            nullable=True,
        ),
    ),
)
_ROUTER_WINDOWS = Table(
    "router_windows",
    text=(
        "One row per router, job and window in which the router sent a packet of the job to another router "
        "or to a node. The counter of Wang et al. (IPDPS 2020, section IV.D). Rows are ordered by the end "
        "of their window, then by `window_ns`, start, router and job."
    ),
    switch="record.routers",
    columns=(
        Column(
            "window_ns",
            "f64",
            (
                "Length of the windows of this row's kind. The last window may be shorter. Without windows: the "
                "simulated time of the run, without what it skipped."
            ),
            unit="ns",
        ),
        Column("window_start_ns", "f64", "Start of the window.", unit="ns"),
        Column("router", "u32", "Number of the router."),
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column("packets", "u64", "Packets of the job that the router has sent."),
        Column("bytes", "u64", "Payload of these packets.", unit="bytes"),
    ),
)
_JOB_WINDOWS = Table(
    "job_windows",
    text=(
        "One row per job and time window in which a packet of the job entered the network or arrived: the "
        "job's throughput over time. The length of a window is `record.window_ps` of the plan."
    ),
    switch=None,
    columns=(
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column("window_start_ns", "f64", "Start of the window.", unit="ns"),
        Column(
            "window_ns", "f64", "Duration of the window. The last window may be shorter.", unit="ns"
        ),
        Column(
            "injected_bytes",
            "u64",
            "Bytes that entered the network, those of control messages included.",
            unit="bytes",
        ),
        Column(
            "delivered_bytes",
            "u64",
            "Bytes that reached their destination NIC, those of control messages included.",
            unit="bytes",
        ),
        Column("packets", "u64", "Packets delivered."),
        Column(
            "latency_mean_ns",
            "f64",
            "Mean latency of the packets delivered; null if there were none.",
            unit="ns",
            nullable=True,
        ),
    ),
)
_Q_TABLES = Table(
    "q_tables",
    text=(
        "One row per estimate of a router under q_adaptive at the end of the run. Another run on the same "
        "topology can start from the file (`routing.q_adaptive.table`). Kang et al. (HPDC 2021; SC 2022, "
        "II.B)."
    ),
    switch="record.q_tables",
    columns=(
        Column("router", "u32", "The router that holds the estimate."),
        Column(
            "destination_group",
            "u32",
            "Destination group of the packets; never the router's own group.",
        ),
        Column("slot", "u32", "Place of the packets' source node at its router, from 0."),
        Column("port", "u32", "Output port of the packets; it has a link to another router."),
        Column(
            "estimate_ns",
            "f64",
            "Estimated duration from a packet's arrival at the router to its arrival in the destination's group.",
            unit="ns",
        ),
    ),
)
_Q_LEARNING = Table(
    "q_learning",
    text=(
        "One row per time window and kind of port for which feedback of q_adaptive arrived, over all "
        "routers. The columns that end in `_mean_ns` are durations: means over the feedback of the window."
    ),
    switch="record.q_learning",
    columns=(
        Column(
            "window_start_ns",
            "f64",
            "Start of the window; its length is `record.window_ps` of the plan.",
            unit="ns",
        ),
        Column(
            "via",
            "str",
            (
                "Kind of port by which the packet left the router: `local` to another router of the group, `direct` "
                "to the destination's group, `detour` to any other group."
            ),
        ),
        Column("updates", "u64", "Number of estimates corrected by feedback."),
        Column(
            "feedback_mean_ns",
            "f64",
            "Measured value: the packet's time to the next router plus the best estimate of that router.",
            unit="ns",
        ),
        Column("estimate_mean_ns", "f64", "Estimate after the correction.", unit="ns"),
        Column(
            "error_mean_ns",
            "f64",
            "Absolute difference between the measured value and the estimate before the correction.",
            unit="ns",
        ),
    ),
)
_PROGRAM_LOGS = Table(
    "program_logs",
    text=(
        "One row per value that a coNCePTuaL program logs and per line that it prints, by job and rank, "
        "then in the order of the program: first the lines, then the tables by column."
    ),
    switch=None,
    columns=(
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column("rank", "u32", "Rank that logs."),
        Column(
            "table",
            "u32",
            "Number of the table in the rank's log, from 0. Null for a line of OUTPUTS.",
            nullable=True,
        ),
        Column(
            "column",
            "u32",
            "Number of the column in the table, from 0. Null for a line of OUTPUTS.",
            nullable=True,
        ),
        Column(
            "description",
            "str",
            "Title of the column that the program gives. Empty for a line of OUTPUTS.",
        ),
        Column(
            "aggregate",
            "str",
            (
                "Aggregate of the column: `all data`, `only value`, `mean`, `median` and so on; `output` for a line "
                "of OUTPUTS."
            ),
        ),
        Column("row", "u32", "Number of the value in the column, or of the line, from 0."),
        Column("value", "f64", "Value. Null for a line of OUTPUTS.", nullable=True),
        Column("text", "str", "Line of OUTPUTS. Empty for a value."),
    ),
)
_BLAME = Table(
    "blame",
    text=(
        "One row per time window, link class, waiting job and causing job: the time that packets of the one "
        "have waited because of the other. The waiting times of a job sum to its total waiting time. The "
        "length of a window is `record.blame.window_ps` of the plan."
    ),
    switch="record.blame",
    columns=(
        Column("window_start_ns", "f64", "Start of the window in which the waits end.", unit="ns"),
        Column("class", "str", "Class of the link that the packets wait for, as in `links`."),
        Column("victim", "u16", "Number of the job whose packets wait."),
        Column(
            "aggressor",
            "u16",
            "Number of the job that causes the wait. It may be the waiting job itself.",
        ),
        Column("wait_ns", "f64", "Waiting time, summed over packets.", unit="ns"),
    ),
)
_PACKET_HOPS = Table(
    "packet_hops",
    text=(
        "One row per router on the path of each packet of the packets table. Rows are ordered by the "
        "packet's delivery, then by `packet` and `hop`. `departed_ns` - `arrived_ns` is the time that an "
        "idle router needs plus `wait_ns`."
    ),
    switch="record.packet_paths",
    columns=(
        Column("packet", "u64", "Number of the packet, as in the packets table."),
        Column("hop", "u8", "Place of the router on the path, from 0."),
        Column("router", "u32", "Number of the router."),
        Column("port_in", "u16", "Port by which the packet came."),
        Column("vc_in", "u8", "Virtual channel on which it came."),
        Column("port_out", "u16", "Port by which it left."),
        Column("vc_out", "u8", "Virtual channel on which it left."),
        Column(
            "arrived_ns",
            "f64",
            "Time at which the head had passed the input stage and could be routed.",
            unit="ns",
        ),
        Column(
            "departed_ns", "f64", "Time at which the head started on the output link.", unit="ns"
        ),
        Column(
            "wait_ns",
            "f64",
            (
                "Waiting time in the router: behind other packets of its input buffer, for the crossbar, for room, "
                "for credits and for the link."
            ),
            unit="ns",
        ),
    ),
)
_ROUTING_WINDOWS = Table(
    "routing_windows",
    text=(
        "One row per job and time window in which packets of the job arrived: the paths that they took. "
        "`minimal`, `nonminimal_at_source` and `rerouted` sum to `packets`. The length of a window is "
        "`record.routing_windows_ps` of the plan."
    ),
    switch="record.routing_windows",
    columns=(
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column(
            "window_start_ns", "f64", "Start of the window in which the packets arrived.", unit="ns"
        ),
        Column("packets", "u64", "Packets delivered."),
        Column("minimal", "u64", "Packets on a minimal path."),
        Column("nonminimal", "u64", "Packets on a non-minimal path."),
        Column(
            "nonminimal_at_source", "u64", "Packets whose source router chose the non-minimal path."
        ),
        Column(
            "rerouted",
            "u64",
            "Packets that a later router diverted from their minimal path, as progressive routings do.",
        ),
        Column(
            "link_hops",
            "u64",
            "Links between routers that the packets crossed, summed over packets.",
        ),
        Column("link_hops_mean", "f64", "Mean of the links between routers over packets."),
    ),
)
_LATENCY_WINDOWS = Table(
    "latency_windows",
    text=(
        "One row per job, kind of latency and time window in which such a latency of the job ended. The "
        "length of a window is `record.latency_windows_ps` of the plan. The percentiles of up to 4,096 "
        "latencies are exact. Those of more come from an HDR histogram with three significant digits: they "
        "are between the exact value and 0.1 % above it. A percentile is the least latency that this share "
        "of the latencies does not exceed. Number, mean and maximum are always exact. Rows are ordered by "
        "window, job and kind."
    ),
    switch="record.latency_windows",
    columns=(
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column(
            "kind",
            "str",
            (
                "`packet`, `message` or `request_response`. The sums of `count` are `packets` and `responses` of "
                "the jobs table, and the number of messages."
            ),
        ),
        Column(
            "window_start_ns", "f64", "Start of the window in which the latencies ended.", unit="ns"
        ),
        Column("count", "u64", "Number of latencies."),
        Column("exact", "bool", "Whether the percentiles are exact."),
        Column("mean_ns", "f64", "Mean.", unit="ns"),
        Column("p5_ns", "f64", "5th percentile.", unit="ns"),
        Column("p25_ns", "f64", "25th percentile.", unit="ns"),
        Column("p50_ns", "f64", "Median.", unit="ns"),
        Column("p75_ns", "f64", "75th percentile.", unit="ns"),
        Column("p90_ns", "f64", "90th percentile.", unit="ns"),
        Column("p95_ns", "f64", "95th percentile.", unit="ns"),
        Column("p99_ns", "f64", "99th percentile.", unit="ns"),
        Column("p99_9_ns", "f64", "99.9th percentile.", unit="ns"),
        Column("p99_99_ns", "f64", "99.99th percentile.", unit="ns"),
        Column("max_ns", "f64", "Maximum.", unit="ns"),
    ),
)
_RANK_MESSAGES = Table(
    "rank_messages",
    text=(
        "One row per rank and direction: the messages that it has sent, or those that it has received. Both "
        "count delivered messages, as the messages table does, so that a job's rows of both directions have "
        "equal sums."
    ),
    switch="record.rank_messages",
    columns=(
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column("rank", "u32", "Rank within the job, from 0."),
        Column("direction", "str", "`sent` or `received`."),
        Column("messages", "u64", "Number of messages."),
        Column("bytes", "u64", "Payload of the messages.", unit="bytes"),
        Column(
            "latency_min_ns",
            "f64",
            "Shortest message latency; null without a message.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "latency_mean_ns",
            "f64",
            "Mean message latency; null without a message.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "latency_max_ns",
            "f64",
            "Longest message latency; null without a message.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "unexpected",
            "u64",
            "Number of messages that no posted receive accepted when they arrived, as `messages.unexpected` tells.",
        ),
    ),
)
_RANK_CALLS = Table(
    "rank_calls",
    text="One row per rank and MPI call. The rows of a job and call sum to their row of the calls table.",
    switch="record.rank_calls",
    columns=(
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column("rank", "u32", "Rank within the job, from 0."),
        Column("call", "str", "The call: `isend`, `waitall`, `allreduce` and so on."),
        Column("calls", "u64", "Number of calls."),
        Column(
            "bytes",
            "u64",
            "Payload in the arguments of the calls, as in the calls table.",
            unit="bytes",
        ),
        Column(
            "time_ns",
            "f64",
            "Duration inside the calls. A call that is not over counts until the end of the run.",
            unit="ns",
        ),
    ),
)
_CALL_EVENTS = Table(
    "call_events",
    text=(
        "One row per MPI call that ended, of the ranks that `record.call_events` chooses. Rows are ordered "
        "by the window of `end_ns` (of length `record.window_ps`), and in a window by `job`, `rank` and "
        "`number`."
    ),
    switch="record.call_events",
    columns=(
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column("rank", "u32", "Rank within the job, from 0."),
        Column("number", "u64", "Place of the call among the calls of the rank, from 0."),
        Column("call", "str", "The call: `isend`, `waitall`, `allreduce` and so on."),
        Column("start_ns", "f64", "Time at which the rank entered the call.", unit="ns"),
        Column("end_ns", "f64", "Time at which the rank left the call.", unit="ns"),
        Column(
            "time_ns",
            "f64",
            (
                "Time blocked in the call: its duration, without computations beside the rank that ran meanwhile. "
                "The calls of a rank sum to `time_ns` of rank_calls."
            ),
            unit="ns",
        ),
        Column(
            "bytes",
            "u64",
            "Payload in the arguments of the call, as in the calls table.",
            unit="bytes",
        ),
    ),
)
_EPOCHS = Table(
    "epochs",
    text=(
        "One row per job and stretch of a run with `skip`: a time in which the set of running jobs and the "
        "loop that each is in do not change, simulated or skipped. Rows of other tables with times "
        "(windows, packets, messages, iterations, calls, blame) are of simulated time only. Totals (jobs, "
        "ranks, links, calls, rank_messages) include skipped time at the rates of the sample before it."
    ),
    switch="skip",
    columns=(
        Column("epoch", "u32", "Number of the stretch, from 0."),
        Column("start_ns", "f64", "Start of the stretch.", unit="ns"),
        Column("end_ns", "f64", "End of the stretch.", unit="ns"),
        Column("skipped", "bool", "Whether the time was skipped."),
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column(
            "state",
            "str",
            (
                "What the job did: `repeats` iterations of a loop, sends as a `pattern`, runs without equal "
                "iterations (`other`), `waits` for its start, or is `over`."
            ),
        ),
        Column(
            "iterations",
            "u64",
            (
                "Iterations that all ranks completed in the stretch, or that were skipped; null if the job does not "
                "repeat."
            ),
            nullable=True,
        ),
        Column(
            "iteration_mean_ns",
            "f64",
            "Mean duration of an iteration; of skipped time, in the sample that it relies on.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "iteration_error_ns", "f64", "Standard error of the mean.", unit="ns", nullable=True
        ),
        Column(
            "change",
            "f64",
            "Relative difference of the mean duration of iterations after skipped time to that before it.",
            nullable=True,
        ),
    ),
)
_NIC_WINDOWS = Table(
    "nic_windows",
    text=(
        "One row per node and time window in which its NIC received a response: the mean of "
        "request-response latencies, as from two counters of an Aries NIC (accumulated latency and number "
        "of packets; Chunduri et al., IPDPS 2021, V.D). The length of a window is `record.nic_windows_ps` "
        "of the plan. Rows are ordered by window and node."
    ),
    switch="record.nic_windows",
    columns=(
        Column("node", "u32", "Node that sent the requests."),
        Column(
            "window_start_ns",
            "f64",
            "Start of the window in which the responses arrived.",
            unit="ns",
        ),
        Column("responses", "u64", "Number of responses."),
        Column(
            "request_response_latency_mean_ns",
            "f64",
            "Mean request-response latency: from the head's entry into the network to the delivery of the response.",
            unit="ns",
        ),
    ),
)
_BLAME_GROUPS = Table(
    "blame_groups",
    text=(
        "The blame table by the groups that links connect: one row per time window, link class, pair of "
        "groups, waiting job and causing job. Over pairs of groups, the waiting times sum to those of the "
        "blame table. If a run has more than 2,097,152 rows, its windows are joined in pairs, all of them, "
        "until it has no more: `window_ns` says how long they are."
    ),
    switch="record.blame.groups",
    columns=(
        Column("window_start_ns", "f64", "Start of the window in which the waits end.", unit="ns"),
        Column(
            "window_ns",
            "f64",
            "Length of the window: `record.blame.window_ps` of the plan, or a multiple of it.",
            unit="ns",
        ),
        Column("class", "str", "Class of the link that the packets wait for, as in `links`."),
        Column(
            "source_group",
            "u32",
            "Group of the link's sending end. A link of a NIC has its router's group at both ends.",
        ),
        Column("target_group", "u32", "Group of the link's receiving end."),
        Column("victim", "u16", "Number of the job whose packets wait."),
        Column(
            "aggressor",
            "u16",
            "Number of the job that causes the wait. It may be the waiting job itself.",
        ),
        Column("wait_ns", "f64", "Waiting time, summed over packets.", unit="ns"),
    ),
)
_BLAME_LINKS = Table(
    "blame_links",
    text=(
        "The blame table by link, for the links that packets waited for longest: of each link class the "
        "first `record.blame.links` by the waiting time of the whole run, and of equal ones those with the "
        "lowest numbers. One row per link, time window, waiting job and causing job. All waits for these "
        "links are there. If all links of a run have more than 4,194,304 such rows, the windows are joined "
        "in pairs, all of them, until there are no more: `window_ns` says how long they are."
    ),
    switch="record.blame.links",
    columns=(
        Column("window_start_ns", "f64", "Start of the window in which the waits end.", unit="ns"),
        Column(
            "window_ns",
            "f64",
            "Length of the window: `record.blame.window_ps` of the plan, or a multiple of it.",
            unit="ns",
        ),
        Column("class", "str", "Class of the link, as in `links`."),
        Column("link", "u32", "Number of the link, as in `links`."),
        Column("victim", "u16", "Number of the job whose packets wait."),
        Column(
            "aggressor",
            "u16",
            "Number of the job that causes the wait. It may be the waiting job itself.",
        ),
        Column("wait_ns", "f64", "Waiting time, summed over packets.", unit="ns"),
    ),
)
_CALL_WINDOWS = Table(
    "call_windows",
    text=(
        "One row per time window, job and MPI call in which ranks of the job were blocked in that window. "
        "Over windows, the times of a call sum to its `time_ns` in the calls table, unless the run skipped "
        "time, which has no windows. The length of a window is `record.call_windows_ps` of the plan. Rows "
        "are ordered by window, job and call."
    ),
    switch="record.call_windows",
    columns=(
        Column("window_start_ns", "f64", "Start of the window.", unit="ns"),
        Column("job", "u16", "Number of the job in the plan, from 0."),
        Column("call", "str", "The call: `isend`, `waitall`, `allreduce` and so on."),
        Column(
            "time_ns",
            "f64",
            "Time that the job's ranks were blocked in the call inside the window, summed over ranks.",
            unit="ns",
        ),
    ),
)

#: Every table by name, in the order in which a run writes them.
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
            _PORT_WINDOWS,
            _SYSTEM_WINDOWS,
            _ROUTER_WINDOWS,
            _JOB_WINDOWS,
            _Q_TABLES,
            _Q_LEARNING,
            _PROGRAM_LOGS,
            _BLAME,
            _PACKET_HOPS,
            _ROUTING_WINDOWS,
            _LATENCY_WINDOWS,
            _RANK_MESSAGES,
            _RANK_CALLS,
            _CALL_EVENTS,
            _EPOCHS,
            _NIC_WINDOWS,
            _BLAME_GROUPS,
            _BLAME_LINKS,
            _CALL_WINDOWS,
        )
    }
)
