//! The summary of a schedule.

use super::GoalSchedule;
use crate::graph::summary::Tally;
use crate::trace::{TraceFormat, TraceSummary};

/// The summary of a schedule. A schedule has no times but those of `calc`, so it has no duration.
pub(super) fn summary(schedule: &GoalSchedule) -> std::io::Result<TraceSummary> {
    let mut tally = Tally::new(TraceFormat::Goal, schedule.file_bytes);
    for rank in 0..schedule.graphs.ranks() {
        tally.rank();
        schedule.graphs.tasks(rank, |task| tally.add(task))?;
    }
    Ok(tally.finish())
}
