//! The table `router_windows`: its columns and how a run fills them.

use super::streamed::Streamed;
use crate::output::columns::{ns, table};
use crate::output::link_record::RouterWindow;
use pantala_engine::Time;

table! {
    /// One row per router, job and window in which the router sent a packet of the job to another
    /// router or to a node. The counter of Wang et al. (IPDPS 2020, section IV.D). Rows are ordered
    /// by the end of their window, then by `window_ns`, start, router and job.
    pub(crate) router_windows: RouterWindowRow if "record.routers" {
        /// Length of the windows of this row's kind. The last window may be shorter. Without
        /// windows: the simulated time of the run, without what it skipped.
        window_ns: f64 [ns],
        /// Start of the window.
        window_start_ns: f64 [ns],
        /// Number of the router.
        router: u32,
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Packets of the job that the router has sent.
        packets: u64,
        /// Payload of these packets.
        bytes: u64 [bytes],
    }
}

impl Streamed for RouterWindow {
    type Row = RouterWindowRow;
    type Key = (Time, Time, u32, u16);

    /// A time in the window's last part.
    fn completed(&self) -> Time {
        self.window.last()
    }

    fn key(&self) -> Self::Key {
        (self.window.length, self.window.start, self.router, self.job)
    }

    fn shift(&mut self, by: Time) {
        self.window.shift(by);
    }

    fn into_row(self) -> RouterWindowRow {
        let Self { window, router, job, packets, bytes } = self;
        RouterWindowRow {
            window_ns: ns(window.length),
            window_start_ns: ns(window.start),
            router,
            job,
            packets,
            bytes,
        }
    }
}
