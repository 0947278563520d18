//! The table `link_windows`: its columns and how a run fills them.

use super::Run;
use crate::columns::{Table, ns, table};

table! {
    /// One row per link, injection and ejection included, and time window in which it sent
    /// anything. The length of a window is `record.window_ps` of the plan.
    pub(super) link_windows: LinkWindowRow if "record.link_windows" {
        /// Number of the directed link, as in `links`.
        link: u32,
        /// Start of the window.
        window_start_ns: f64 [ns],
        /// Bytes sent in the window.
        bytes: u64 [bytes],
    }
}

pub(super) fn table(run: &Run<'_>) -> Table {
    let mut windows = run.results.link_windows.clone();
    windows.sort_unstable_by_key(|window| (window.start, window.link));
    Table::of(windows.into_iter().map(|window| LinkWindowRow {
        link: window.link,
        window_start_ns: ns(window.start),
        bytes: window.bytes,
    }))
}
