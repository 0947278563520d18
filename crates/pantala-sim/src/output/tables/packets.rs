//! The table `packets`: its columns and how a run fills them.

use super::streamed::Streamed;
use crate::output::columns::{ns, table};
use crate::output::recorder::DeliveredPacket;
use pantala_engine::Time;

table! {
    /// One row per delivered packet. `record.packets` chooses all packets, one in
    /// `record.packet_sample`, or none. Responses have no rows. Rows are ordered by `delivered_ns`,
    /// then by `source_node`, `created_ns` and `injected_ns`.
    pub packets: PacketRow if "record.packets" {
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Node that sent the packet.
        source_node: u32,
        /// Node that received the packet.
        destination_node: u32,
        /// Payload of the packet.
        bytes: u32 [bytes],
        /// Creation of the packet at the source. Source queueing starts here.
        created_ns: f64 [ns],
        /// Time at which the head entered the network.
        injected_ns: f64 [ns],
        /// Time at which the tail reached the destination NIC.
        delivered_ns: f64 [ns],
        /// Packet latency, from creation to delivery unless `machine.nic.latency_from` says
        /// otherwise.
        latency_ns: f64 [ns],
        /// Number of links between routers that the packet crossed.
        link_hops: u8,
        /// Whether the packet took a non-minimal path.
        nonminimal: bool,
    }
}

impl Streamed for DeliveredPacket {
    type Row = PacketRow;
    type Key = Self;

    fn completed(&self) -> Time {
        self.delivered
    }

    fn key(&self) -> Self {
        *self
    }

    fn into_row(self) -> PacketRow {
        PacketRow {
            job: self.job,
            source_node: self.source,
            destination_node: self.destination,
            bytes: self.bytes,
            created_ns: ns(self.created),
            injected_ns: ns(self.injected),
            delivered_ns: ns(self.delivered),
            latency_ns: ns(self.latency),
            link_hops: self.hops,
            nonminimal: self.nonminimal,
        }
    }
}
