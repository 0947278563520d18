//! The table `packets`: its columns and how a run fills them.

use super::streamed::Streamed;
use crate::output::columns::{ns, table};
use crate::output::packet_record::DeliveredPacket;
use pantala_engine::Time;

table! {
    /// One row per delivered packet. `record.packets` chooses all packets, one in
    /// `record.packet_sample`, or none; `record.packet_jobs`, `packet_routers`, `packet_from` and
    /// `packet_until` choose among these. Responses have no rows. Rows are ordered by
    /// `delivered_ns`, then by `source_node`, `created_ns` and `injected_ns`.
    pub packets: PacketRow if "record.packets" {
        /// Number of the packet: `source_node` * 2^32 plus the number of host packets that the node
        /// sent before. A job's packet has the same number alone and together with other jobs.
        packet: u64,
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Rank that sent the packet.
        rank: u32,
        /// Rank that received the packet.
        destination_rank: u32,
        /// Number of the packet's message, as in the messages table; null for synthetic traffic.
        message: Option<u64>,
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
        /// Number of links between routers that the packet had crossed when a router chose the
        /// non-minimal path: 0 at the source router; null for a minimal path.
        diverted_after: Option<u8>,
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

    fn shift(&mut self, by: Time) {
        self.delivered += by;
        self.created += by;
        self.injected += by;
    }

    fn into_row(self) -> PacketRow {
        PacketRow {
            packet: self.number,
            job: self.job,
            rank: self.rank,
            destination_rank: self.destination_rank,
            message: self.message,
            source_node: self.source,
            destination_node: self.destination,
            bytes: self.bytes,
            created_ns: ns(self.created),
            injected_ns: ns(self.injected),
            delivered_ns: ns(self.delivered),
            latency_ns: ns(self.latency),
            link_hops: self.hops,
            nonminimal: self.nonminimal,
            diverted_after: self.nonminimal.then_some(self.diverted),
        }
    }
}
