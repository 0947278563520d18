//! The summary of a schedule.

use super::GoalSchedule;
use crate::graph::stored::StoredGraph;
use crate::graph::summary::Tally;
use crate::trace::{TraceFormat, TraceSummary};

/// The summary of a schedule. A schedule has no times but those of `calc`, so it has no duration.
pub(super) fn summary(schedule: &GoalSchedule) -> TraceSummary {
    let mut tally = Tally::new(TraceFormat::Goal, schedule.file_bytes);
    for graph in &schedule.ranks {
        tally.rank();
        StoredGraph::tasks(graph).iter().for_each(|task| tally.add(task));
    }
    tally.finish()
}
