//! The table `nic_windows`: its columns and how a run fills them.

use super::streamed::Streamed;
use crate::output::columns::{ns, table};
use crate::output::nic_record::NicWindow;
use pantala_engine::Time;

table! {
    /// One row per node and time window in which its NIC received a response: the mean of
    /// request-response latencies, as from two counters of an Aries NIC (accumulated latency and
    /// number of packets; Chunduri et al., IPDPS 2021, V.D). The length of a window is
    /// `record.nic_windows_ps` of the plan. Rows are ordered by window and node.
    pub(crate) nic_windows: NicWindowRow if "record.nic_windows" {
        /// Node that sent the requests.
        node: u32,
        /// Start of the window in which the responses arrived.
        window_start_ns: f64 [ns],
        /// Number of responses.
        responses: u64,
        /// Mean request-response latency: from the head's entry into the network to the delivery of
        /// the response.
        request_response_latency_mean_ns: f64 [ns],
    }
}

impl Streamed for NicWindow {
    type Row = NicWindowRow;
    type Key = (Time, u32);

    /// A time in the window's last part.
    fn completed(&self) -> Time {
        self.start.saturating_add(self.length - 1)
    }

    fn key(&self) -> Self::Key {
        (self.start, self.node)
    }

    /// A node belongs to one partition, which has one record of each of its windows.
    fn absorb(&mut self, _: &Self) -> bool {
        false
    }

    fn shift(&mut self, by: Time) {
        self.start += by;
    }

    fn into_row(self) -> NicWindowRow {
        NicWindowRow {
            node: self.node,
            window_start_ns: ns(self.start),
            responses: self.responses,
            request_response_latency_mean_ns: self.latency_sum as f64
                / (self.responses as f64 * 1_000.0),
        }
    }
}
