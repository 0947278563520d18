//! The passes over a whole schedule: its summary, and the messages without a partner.

use pantala_engine::counted;

use super::GoalSchedule;
use crate::graph::partners::{PairSums, UnmatchedMessage};
use crate::graph::summary::Tally;
use crate::trace::{TraceFormat, TraceSummary};

/// The summary of a schedule. A schedule has no times but those of `calc`, so it has no duration.
pub(super) fn summary(schedule: &GoalSchedule) -> std::io::Result<TraceSummary> {
    let mut tally = Tally::new(TraceFormat::Goal, schedule.file_bytes);
    for rank in 0..schedule.graphs.ranks() {
        tally.rank();
        schedule.graphs.tasks(rank, |task| tally.add(task))?;
    }
    if schedule.renumbered_tags > 0 {
        tally.warn(format!(
            "MPI has no tags above {}; {} of the schedule above it have other numbers, from there \
             down",
            i32::MAX,
            counted(schedule.renumbered_tags as u64, "tag")
        ));
    }
    if let Some(fault) = &schedule.fault {
        tally.warn(format!("a job cannot replay the trace: {fault}"));
    }
    Ok(tally.finish())
}

/// The first message without a partner, or that does not fit. Its place is the number of the
/// operation in its rank, from 0.
pub(super) fn unmatched(schedule: &GoalSchedule) -> std::io::Result<Option<UnmatchedMessage>> {
    let graphs = &schedule.graphs;
    let mut sums = PairSums::default();
    for rank in 0..graphs.ranks() {
        graphs.tasks(rank, |task| sums.add(rank, task))?;
    }
    let mut receivers = sums.receivers();
    for rank in receivers.ranks().clone() {
        let mut place = 0;
        graphs.tasks(rank, |task| {
            receivers.add(rank, task, place);
            place += 1;
        })?;
    }
    Ok(receivers.unmatched())
}
