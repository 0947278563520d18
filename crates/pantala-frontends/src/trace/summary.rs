//! The summary of a trace: the result of `pantala trace info`.

use std::collections::BTreeMap;

use pantala_engine::Time;
use serde::Serialize;

use super::TraceFormat;

/// A trace at a glance. Messages are those of point-to-point calls; the simulation makes the
/// messages of collectives.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceSummary {
    /// The format of the files.
    pub format: TraceFormat,
    /// Number of ranks.
    pub ranks: u32,
    /// Size of all files, in bytes.
    pub file_bytes: u64,
    /// Number of records or graph nodes.
    pub records: u64,
    /// The longest time of a rank between start and end, in ps; 0 if the trace has no times.
    pub duration_ps: Time,
    /// The share of computing in the time of all ranks; `None` if the trace has no times.
    pub compute_share: Option<f64>,
    /// Number of calls or nodes by name, over all ranks.
    pub calls: BTreeMap<String, u64>,
    /// Each rank, in order.
    pub by_rank: Vec<RankSummary>,
    /// The pairs of ranks with messages, by source and destination.
    pub matrix: Vec<PairSummary>,
    /// What the replay leaves out or cannot know, one line each.
    pub warnings: Vec<String>,
}

/// A rank of a trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RankSummary {
    /// The rank.
    pub rank: u32,
    /// Number of records or graph nodes.
    pub records: u64,
    /// The time between start and end, in ps.
    pub duration_ps: Time,
    /// The computing in that time, in ps.
    pub compute_ps: Time,
    /// Number of messages sent.
    pub messages: u64,
    /// Bytes sent in messages, without collectives.
    pub bytes: u64,
    /// Bytes given to collectives: those of the send buffers; in Chakra the sizes of the nodes.
    pub collective_bytes: u64,
    /// Number of calls or nodes by name.
    pub calls: BTreeMap<String, u64>,
}

/// The messages from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PairSummary {
    /// The sending rank.
    pub source: u32,
    /// The receiving rank.
    pub destination: u32,
    /// Number of messages.
    pub messages: u64,
    /// Bytes.
    pub bytes: u64,
}
