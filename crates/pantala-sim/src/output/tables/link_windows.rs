//! The table `link_windows`: its columns and how a run fills them.

use super::streamed::Streamed;
use crate::output::columns::{ns, table};
use crate::output::recorder::LinkWindow;
use pantala_engine::Time;

table! {
    /// One row per link, time window and job, if the link sent a packet of the job in the window or
    /// stalled for one. Injection and ejection links are included. The length of a window is
    /// `record.link_window_ps` of the plan. Rows are ordered by `window_start_ns`, `link` and `job`.
    pub(crate) link_windows: LinkWindowRow if "record.link_windows" {
        /// Number of the directed link, as in `links`.
        link: u32,
        /// Start of the window.
        window_start_ns: f64 [ns],
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Payload of the job sent in the window, including responses to its packets.
        bytes: u64 [bytes],
        /// Stall in the window, as in `link_jobs`.
        stall_ns: f64 [ns],
    }
}

impl Streamed for LinkWindow {
    type Row = LinkWindowRow;
    type Key = (Time, u32, u16);

    /// Any time in the window.
    fn completed(&self) -> Time {
        self.start
    }

    fn key(&self) -> (Time, u32, u16) {
        (self.start, self.link, self.job)
    }

    fn shift(&mut self, by: Time) {
        self.start += by;
    }

    fn into_row(self) -> LinkWindowRow {
        LinkWindowRow {
            link: self.link,
            window_start_ns: ns(self.start),
            job: self.job,
            bytes: self.traffic.bytes,
            stall_ns: ns(self.traffic.stall),
        }
    }
}
