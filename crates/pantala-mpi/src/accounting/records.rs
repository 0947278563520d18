//! What is written down: messages, iterations, ranks, and the distribution of message latency.

use pantala_engine::Time;

use crate::accounting::account::Account;
use crate::message::Protocol;
use serde::Deserialize;
use serde::Serialize;

/// A message whose payload has arrived. Messages of a rank to itself are not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRecord {
    /// When the send was called.
    pub posted: Time,
    /// When the last byte of the payload arrived.
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
    /// The job, as numbered in the plan.
    pub job: u16,
    /// How the payload travelled.
    pub protocol: Protocol,
}

/// One iteration of one rank, between its marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationRecord {
    /// When it started.
    pub start: Time,
    /// When it ended.
    pub end: Time,
    /// Time spent blocked in MPI calls during it.
    pub communication: Time,
    /// The rank of the job.
    pub rank: u32,
    /// Its number, from zero.
    pub iteration: u32,
    /// The job, as numbered in the plan.
    pub job: u16,
}

/// What there is to say of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankReport {
    /// The job, as numbered in the plan.
    pub job: u16,
    /// The rank of the job.
    pub rank: u32,
    /// The node it runs on.
    pub node: u32,
    /// When its program started; `None` if it has not.
    pub start: Option<Time>,
    /// When its program ended; `None` if it has not.
    pub end: Option<Time>,
    /// Its account up to now: a phase that still lasts is counted up to the time of the report.
    pub account: Account,
}
