//! The table `link_windows`: its columns and how a run fills them.

use super::streamed::Streamed;
use crate::output::columns::{ns, table};
use crate::output::recorder::LinkWindow;
use pantala_engine::Time;

table! {
    /// One row per link and time window in which the link sent a packet, including injection and
    /// ejection links. The length of a window is `record.window_ps` of the plan. Rows are ordered
    /// by `window_start_ns`, then by `link`.
    pub(crate) link_windows: LinkWindowRow if "record.link_windows" {
        /// Number of the directed link, as in `links`.
        link: u32,
        /// Start of the window.
        window_start_ns: f64 [ns],
        /// Payload sent in the window.
        bytes: u64 [bytes],
    }
}

impl Streamed for LinkWindow {
    type Row = LinkWindowRow;
    type Key = u32;

    /// Any time in the window.
    fn completed(&self) -> Time {
        self.start
    }

    fn key(&self) -> u32 {
        self.link
    }

    fn into_row(self) -> LinkWindowRow {
        LinkWindowRow { link: self.link, window_start_ns: ns(self.start), bytes: self.bytes }
    }
}
