//! Single MPI calls: the start and the end of each call of chosen ranks.

use pantala_engine::Time;
use serde::{Deserialize, Serialize};

/// An MPI call that is over. Times are in ps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRecord {
    /// The job's number in the plan.
    pub job: u16,
    /// The rank of the job.
    pub rank: u32,
    /// The call's place among the calls of the rank, from 0.
    pub number: u64,
    /// The call's name; see [`crate::Op::name`].
    pub call: String,
    /// Time at which the rank entered the call.
    pub start: Time,
    /// Time at which the rank left it.
    pub end: Time,
    /// Time blocked in the call: without the time in which a computation beside the rank ran.
    pub time: Time,
    /// Payload in bytes, as in [`crate::CallReport`].
    pub bytes: u64,
}

/// The calls of one rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankCalls {
    /// Whether its calls are recorded.
    pub(crate) chosen: bool,
    /// Number of calls that the rank has entered.
    pub(crate) entered: u64,
    pub(crate) open: Option<OpenCall>,
}

/// A call that is not over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenCall {
    pub(crate) call: &'static str,
    pub(crate) start: Time,
    pub(crate) bytes: u64,
    /// The rank's time in calls before this one.
    pub(crate) before: Time,
}
