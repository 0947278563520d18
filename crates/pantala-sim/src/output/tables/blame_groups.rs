//! The table `blame_groups`: its columns and how a run fills them.

use super::source::Run;
use crate::output::columns::{ns, table};

table! {
    /// The blame table by the groups that links connect: one row per time window, link class, pair
    /// of groups, waiting job and causing job. Over pairs of groups, the waiting times sum to those
    /// of the blame table. If a run has more than 2,097,152 rows, its windows are joined in pairs,
    /// all of them, until it has no more: `window_ns` says how long they are.
    pub(super) blame_groups: BlameGroupRow if "record.blame.groups" {
        /// Start of the window in which the waits end.
        window_start_ns: f64 [ns],
        /// Length of the window: `record.blame.window_ps` of the plan, or a multiple of it.
        window_ns: f64 [ns],
        /// Class of the link that the packets wait for, as in `links`.
        class: &'static str,
        /// Group of the link's sending end. A link of a NIC has its router's group at both ends.
        source_group: u32,
        /// Group of the link's receiving end.
        target_group: u32,
        /// Number of the job whose packets wait.
        victim: u16,
        /// Number of the job that causes the wait. It may be the waiting job itself.
        aggressor: u16,
        /// Waiting time, summed over packets.
        wait_ns: f64 [ns],
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = BlameGroupRow> {
    run.results.blame_groups.cells.iter().map(|(start, end, cell)| {
        let (source_group, target_group) = cell.groups();
        BlameGroupRow {
            window_start_ns: ns(*start),
            window_ns: ns(end - start),
            class: cell.class_name(),
            source_group,
            target_group,
            victim: cell.victim,
            aggressor: cell.aggressor,
            wait_ns: ns(cell.wait),
        }
    })
}
