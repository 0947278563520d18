//! The table `packet_hops`: its columns and how a run fills them.

use super::streamed::Streamed;
use crate::output::columns::{ns, table};
use crate::output::packet_record::PacketHop;
use pantala_engine::Time;

table! {
    /// One row per router on the path of each packet of the packets table. Rows are ordered by the
    /// packet's delivery, then by `packet` and `hop`. `departed_ns` - `arrived_ns` is the time that
    /// an idle router needs plus `wait_ns`.
    pub(crate) packet_hops: PacketHopRow if "record.packet_paths" {
        /// Number of the packet, as in the packets table.
        packet: u64,
        /// Place of the router on the path, from 0.
        hop: u8,
        /// Number of the router.
        router: u32,
        /// Port by which the packet came.
        port_in: u16,
        /// Virtual channel on which it came.
        vc_in: u8,
        /// Port by which it left.
        port_out: u16,
        /// Virtual channel on which it left.
        vc_out: u8,
        /// Time at which the head had passed the input stage and could be routed.
        arrived_ns: f64 [ns],
        /// Time at which the head started on the output link.
        departed_ns: f64 [ns],
        /// Waiting time in the router: behind other packets of its input buffer, for the crossbar,
        /// for room, for credits and for the link.
        wait_ns: f64 [ns],
    }
}

impl Streamed for PacketHop {
    type Row = PacketHopRow;
    type Key = (Time, u64, u8);

    fn completed(&self) -> Time {
        self.delivered
    }

    fn key(&self) -> Self::Key {
        (self.delivered, self.packet, self.hop)
    }

    fn shift(&mut self, by: Time) {
        self.delivered += by;
        self.arrived += by;
        self.departed += by;
    }

    fn into_row(self) -> PacketHopRow {
        PacketHopRow {
            packet: self.packet,
            hop: self.hop,
            router: self.router,
            port_in: self.came.0,
            vc_in: self.came.1,
            port_out: self.left.0,
            vc_out: self.left.1,
            arrived_ns: ns(self.arrived),
            departed_ns: ns(self.departed),
            wait_ns: ns(self.wait),
        }
    }
}
