//! The table `rank_messages`: its columns and how a run fills them.

use super::source::Run;
use crate::output::columns::{ns, table};
use pantala_mpi::{MessageSums, RankMessages};

table! {
    /// One row per rank and direction: the messages that it has sent, or those that it has received.
    /// Both count delivered messages, as the messages table does, so that a job's rows of both
    /// directions have equal sums.
    pub(super) rank_messages: RankMessageRow if "record.rank_messages" {
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Rank within the job, from 0.
        rank: u32,
        /// `sent` or `received`.
        direction: &'static str,
        /// Number of messages.
        messages: u64,
        /// Payload of the messages.
        bytes: u64 [bytes],
        /// Shortest message latency; null without a message.
        latency_min_ns: Option<f64> [ns],
        /// Mean message latency; null without a message.
        latency_mean_ns: Option<f64> [ns],
        /// Longest message latency; null without a message.
        latency_max_ns: Option<f64> [ns],
        /// Number of messages that no posted receive accepted when they arrived, as
        /// `messages.unexpected` tells.
        unexpected: u64,
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = RankMessageRow> {
    let ranks = RankMessages::summed(run.results.rank_messages.clone());
    ranks.into_iter().flat_map(|RankMessages { job, rank, sent, received }| {
        [("sent", sent), ("received", received)].map(|(direction, sums)| {
            let MessageSums { messages, bytes, latency, least, most, unexpected } = sums;
            let some = |ns: f64| (messages > 0).then_some(ns);
            RankMessageRow {
                job,
                rank,
                direction,
                messages,
                bytes,
                latency_min_ns: some(ns(least)),
                latency_mean_ns: some(latency as f64 / messages as f64 / 1_000.0),
                latency_max_ns: some(ns(most)),
                unexpected,
            }
        })
    })
}
