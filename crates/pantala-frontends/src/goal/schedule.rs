//! A schedule in memory.

use std::sync::Arc;

use crate::graph::stored::StoredGraph;

/// A schedule: the graph of each rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoalSchedule {
    /// The graphs, by rank.
    pub ranks: Vec<Arc<StoredGraph>>,
    /// Size of the file, in bytes.
    pub file_bytes: u64,
}
