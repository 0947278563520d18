//! The table `blame_links`: its columns and how a run fills them.

use super::source::Run;
use crate::output::columns::{ns, table};

table! {
    /// The blame table by link, for the links that packets waited for longest: of each link class
    /// the first `record.blame.links` by the waiting time of the whole run, and of equal ones those
    /// with the lowest numbers. One row per link, time window, waiting job and causing job. All
    /// waits for these links are there. If all links of a run have more than 4,194,304 such rows,
    /// the windows are joined in pairs, all of them, until there are no more: `window_ns` says how
    /// long they are.
    pub(super) blame_links: BlameLinkRow if "record.blame.links" {
        /// Start of the window in which the waits end.
        window_start_ns: f64 [ns],
        /// Length of the window: `record.blame.window_ps` of the plan, or a multiple of it.
        window_ns: f64 [ns],
        /// Class of the link, as in `links`.
        class: &'static str,
        /// Number of the link, as in `links`.
        link: u32,
        /// Number of the job whose packets wait.
        victim: u16,
        /// Number of the job that causes the wait. It may be the waiting job itself.
        aggressor: u16,
        /// Waiting time, summed over packets.
        wait_ns: f64 [ns],
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = BlameLinkRow> {
    run.results.blame_links.cells.iter().map(|(start, end, cell)| BlameLinkRow {
        window_start_ns: ns(*start),
        window_ns: ns(end - start),
        class: cell.class_name(),
        link: cell.link(),
        victim: cell.victim,
        aggressor: cell.aggressor,
        wait_ns: ns(cell.wait),
    })
}
