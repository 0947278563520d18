//! The table `packets`: its columns and how a run fills them.

use super::Run;
use crate::columns::{Table, ns, table};

table! {
    /// One row per delivered packet: of all packets, of one in `record.packet_sample`, or none.
    /// Responses have no rows.
    pub(super) packets: PacketRow if "record.packets" {
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Node that sent the packet.
        source_node: u32,
        /// Node that received the packet.
        destination_node: u32,
        /// Size of the packet.
        bytes: u32 [bytes],
        /// Creation at the source; source queueing starts here.
        created_ns: f64 [ns],
        /// Time at which the head entered the network.
        injected_ns: f64 [ns],
        /// Time at which the tail reached the destination NIC.
        delivered_ns: f64 [ns],
        /// Packet latency: duration from created to delivered.
        latency_ns: f64 [ns],
        /// Links between routers that the packet crossed.
        link_hops: u8,
        /// Whether the packet took a non-minimal path.
        nonminimal: bool,
    }
}

pub(super) fn table(run: &Run<'_>) -> Table {
    let mut packets = run.results.packets.clone();
    packets.sort_unstable();
    Table::of(packets.into_iter().map(|packet| PacketRow {
        job: packet.job,
        source_node: packet.source,
        destination_node: packet.destination,
        bytes: packet.bytes,
        created_ns: ns(packet.created),
        injected_ns: ns(packet.injected),
        delivered_ns: ns(packet.delivered),
        latency_ns: ns(packet.latency),
        link_hops: packet.hops,
        nonminimal: packet.nonminimal,
    }))
}
