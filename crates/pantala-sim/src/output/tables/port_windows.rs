//! The table `port_windows`: its columns and how a run fills them.

use super::streamed::Streamed;
use crate::output::columns::{ns, table};
use crate::output::link_record::PortWindow;
use pantala_engine::Time;

table! {
    /// One row per link and window with traffic, a stall, or flits beyond the link; and per VC, job
    /// and kind of packet, if `record.ports` of the plan splits by them. Saturation and occupancy
    /// belong to a link or a VC. If rows are split, they have rows of their own without traffic:
    /// one per link, and with a split by VC one per VC, with null in the other columns of the split.
    /// So sums of traffic over all rows are right. Windows of several lengths are told apart by
    /// `window_ns`. Rows are ordered by the end of their window, then by the columns from
    /// `window_ns` to `kind`.
    pub(crate) port_windows: PortWindowRow if "record.ports" {
        /// Length of the windows of this row's kind. The last window may be shorter. Without
        /// windows: the simulated time of the run, without what it skipped.
        window_ns: f64 [ns],
        /// Start of the window.
        window_start_ns: f64 [ns],
        /// Number of the directed link, as in `links`.
        link: u32,
        /// Virtual channel; null for all.
        vc: Option<u8>,
        /// Number of the job in the plan; null for all.
        job: Option<u16>,
        /// Kind of packet: `request` or `response`; null for both.
        kind: Option<&'static str>,
        /// Packets whose head has started on the link in the window.
        packets: u64,
        /// Payload of these packets.
        bytes: u64 [bytes],
        /// Flits that have started on the link in the window.
        flits: u64,
        /// Duration of sending in the window. If the end of the run cuts the last window short,
        /// packets that are on the link at the end of the run count whole.
        busy_ns: f64 [ns],
        /// Stall in the window: a packet was ready, the link idle, and no packet had credit. It
        /// belongs to the VC, the job and the kind of the packet that the link would send first.
        stall_ns: f64 [ns],
        /// Duration in which the buffer behind the link, of any of the VCs of the row, lacked room
        /// for a packet of maximum size, as far as the sender knows by its credits. Null in rows of
        /// traffic if rows are split, and for links to nodes that take every packet at once.
        saturated_ns: Option<f64> [ns],
        /// Mean number of flits beyond the link: sent and not yet credited. Null as for
        /// `saturated_ns`.
        occupancy_mean_flits: Option<f64>,
        /// Maximum of these flits. Null as for `saturated_ns`.
        occupancy_max_flits: Option<u32>,
    }
}

impl Streamed for PortWindow {
    type Row = PortWindowRow;
    type Key = (Time, Time, u32, Option<u8>, Option<u16>, Option<bool>);

    /// A time in the window's last part.
    fn completed(&self) -> Time {
        self.window.last()
    }

    fn key(&self) -> Self::Key {
        (self.window.length, self.window.start, self.link, self.vc, self.job, self.response)
    }

    fn shift(&mut self, by: Time) {
        self.window.shift(by);
    }

    fn into_row(self) -> PortWindowRow {
        let Self { window, link, vc, job, response, sum } = self;
        let downstream = sum.downstream.filter(|_| job.is_none() && response.is_none());
        PortWindowRow {
            window_ns: ns(window.length),
            window_start_ns: ns(window.start),
            link,
            vc,
            job,
            kind: response.map(|response| if response { "response" } else { "request" }),
            packets: sum.traffic.packets,
            bytes: sum.traffic.bytes,
            flits: sum.traffic.flits,
            busy_ns: ns(sum.traffic.busy),
            stall_ns: ns(sum.traffic.stall),
            saturated_ns: downstream.map(|downstream| ns(downstream.full)),
            occupancy_mean_flits: downstream
                .map(|downstream| downstream.integral as f64 / window.lasts().max(1) as f64),
            occupancy_max_flits: downstream.map(|downstream| downstream.most),
        }
    }
}
