//! Records of messages, iterations and ranks.

use pantala_engine::Time;

use crate::accounting::rank_totals::RankTotals;
use crate::message::Protocol;
use crate::program::iteration_mark::IterationMark;
use serde::Deserialize;
use serde::Serialize;

/// A message whose payload has arrived. Messages of a rank to itself are not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRecord {
    /// The number of the message in tables.
    pub number: u64,
    /// Time of the send call, in ps.
    pub posted: Time,
    /// Time at which the last byte of the payload arrived, in ps.
    pub delivered: Time,
    /// Payload bytes.
    pub bytes: u64,
    /// The sending rank of the job.
    pub source: u32,
    /// The receiving rank of the job.
    pub destination: u32,
    /// The tag; negative for messages of collectives (see
    /// [`crate::collectives::CollectiveKind::tag`]).
    pub tag: i32,
    /// The job's number in the plan.
    pub job: u16,
    /// The protocol of the payload.
    pub protocol: Protocol,
    /// Whether no posted receive accepted the message when it arrived: the payload of an eager
    /// message, the request to send of a rendezvous. `None` if it is not recorded.
    pub unexpected: Option<bool>,
}

/// One iteration of one rank, or one phase of it, from its start mark to its end mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationRecord {
    /// Start of the iteration, in ps.
    pub start: Time,
    /// End of the iteration, in ps.
    pub end: Time,
    /// Time in the iteration spent blocked in MPI calls, in ps.
    pub communication: Time,
    /// Time in the iteration spent computing, in ps; `None` if it is not recorded.
    pub computation: Option<Time>,
    /// The rank of the job.
    pub rank: u32,
    /// The motif, the number and the phase of the iteration.
    pub mark: IterationMark,
    /// The job's number in the plan.
    pub job: u16,
}

/// The start of an iteration of one rank, or of a phase of it, with the totals of the rank until
/// then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationStart {
    /// The time, in ps.
    pub time: Time,
    /// The rank of the job.
    pub rank: u32,
    /// The job's number in the plan.
    pub job: u16,
    /// The motif, the number and the phase of the iteration.
    pub mark: IterationMark,
    /// The rank's totals.
    pub totals: RankTotals,
}

/// The state and the totals of one rank at the time of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankReport {
    /// The job's number in the plan.
    pub job: u16,
    /// The rank of the job.
    pub rank: u32,
    /// The rank's node.
    pub node: u32,
    /// Start of its program, in ps; `None` if it has not started.
    pub start: Option<Time>,
    /// End of its program, in ps; `None` if it has not ended.
    pub end: Option<Time>,
    /// The rank's totals. A phase that is not over counts until the time of the report.
    pub totals: RankTotals,
}
