//! The table `blame`: its columns and how a run fills them.

use super::source::Run;
use crate::output::columns::{ns, table};

table! {
    /// One row per time window, link class, waiting job and causing job: the time that packets of
    /// the one have waited because of the other. The waiting times of a job sum to its total
    /// waiting time. The length of a window is `record.blame.window_ps` of the plan.
    pub(super) blame: BlameRow if "record.blame" {
        /// Start of the window in which the waits end.
        window_start_ns: f64 [ns],
        /// Class of the link that the packets wait for, as in `links`.
        class: &'static str,
        /// Number of the job whose packets wait.
        victim: u16,
        /// Number of the job that causes the wait. It may be the waiting job itself.
        aggressor: u16,
        /// Waiting time, summed over packets.
        wait_ns: f64 [ns],
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = BlameRow> {
    let length = run.plan.record.blame.map_or(0, |blame| blame.window_ps);
    run.results.blame.iter().map(move |cell| BlameRow {
        window_start_ns: ns(cell.window * length),
        class: cell.class_name(),
        victim: cell.victim,
        aggressor: cell.aggressor,
        wait_ns: ns(cell.wait),
    })
}
