//! The table `system_windows`: its columns and how a run fills them.

use super::streamed::Streamed;
use crate::output::columns::{ns, table};
use crate::output::link_record::ClassWindow;
use pantala_engine::Time;

table! {
    /// One row per link class and window with traffic, a stall or saturation, and per job if
    /// `record.system` of the plan tells jobs apart: sums over all links of the class. Rows are
    /// ordered by the end of their window, then by `window_ns`, start, class and job.
    pub(crate) system_windows: SystemWindowRow if "record.system" {
        /// Length of the windows of this row's kind. The last window may be shorter. Without
        /// windows: the simulated time of the run, without what it skipped.
        window_ns: f64 [ns],
        /// Start of the window.
        window_start_ns: f64 [ns],
        /// Link class, as in `links`.
        class: &'static str,
        /// Number of the job in the plan; null for all.
        job: Option<u16>,
        /// Number of links of the class.
        links: u32,
        /// Packets whose head has started on a link of the class in the window.
        packets: u64,
        /// Payload of these packets.
        bytes: u64 [bytes],
        /// Flits that have started on the links in the window.
        flits: u64,
        /// Duration of sending (`busy_ns` of `port_windows`), summed over links.
        busy_ns: f64 [ns],
        /// Stalls, summed over links.
        stall_ns: f64 [ns],
        /// Duration in which a link was saturated (`saturated_ns` of `port_windows`), summed over
        /// links; null for a job.
        saturated_ns: Option<f64> [ns],
    }
}

impl Streamed for ClassWindow {
    type Row = SystemWindowRow;
    type Key = (Time, Time, &'static str, Option<u16>);

    /// A time in the window's last part.
    fn completed(&self) -> Time {
        self.window.last()
    }

    fn key(&self) -> Self::Key {
        (self.window.length, self.window.start, self.class.name(), self.job)
    }

    /// Several partitions have links of one class.
    fn absorb(&mut self, other: &Self) -> bool {
        let same = self.key() == other.key();
        if same {
            self.traffic.add(&other.traffic);
            self.full += other.full;
        }
        same
    }

    fn shift(&mut self, by: Time) {
        self.window.shift(by);
    }

    fn into_row(self) -> SystemWindowRow {
        let Self { window, class, job, links, traffic, full } = self;
        SystemWindowRow {
            window_ns: ns(window.length),
            window_start_ns: ns(window.start),
            class: class.name(),
            job,
            links,
            packets: traffic.packets,
            bytes: traffic.bytes,
            flits: traffic.flits,
            busy_ns: ns(traffic.busy),
            stall_ns: ns(traffic.stall),
            saturated_ns: job.is_none().then(|| ns(full)),
        }
    }
}
