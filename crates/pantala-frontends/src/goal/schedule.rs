//! A schedule that has been read.

use std::sync::Arc;

use crate::graph::pages::Graphs;
use crate::trace::TraceError;

/// A schedule: the graph of each rank.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalSchedule {
    /// The graphs.
    pub graphs: Arc<Graphs>,
    /// Size of the file, in bytes.
    pub file_bytes: u64,
    /// Tags that are beyond those of MPI, and have other numbers.
    pub renumbered_tags: usize,
    /// The first fault that keeps the schedule from being replayed.
    pub fault: Option<TraceError>,
}
