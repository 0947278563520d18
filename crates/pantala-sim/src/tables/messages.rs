//! The table `messages`: its columns and how a run fills them.

use super::Run;
use crate::columns::{Table, ns, table};

table! {
    /// One row per delivered message.
    pub(super) messages: MessageRow if "record.messages" {
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Rank that sent the message.
        source_rank: u32,
        /// Rank that received the message.
        destination_rank: u32,
        /// MPI tag; negative for the messages of collectives.
        tag: i32,
        /// Payload of the message.
        bytes: u64 [bytes],
        /// `eager` or `rendezvous`.
        protocol: &'static str,
        /// Time at which the send was posted.
        posted_ns: f64 [ns],
        /// Time at which the last byte reached the receiver.
        delivered_ns: f64 [ns],
        /// Duration from posted to delivered.
        latency_ns: f64 [ns],
    }
}

pub(super) fn table(run: &Run<'_>) -> Table {
    let messages = &run.results.messages;
    let mut order: Vec<usize> = (0..messages.len()).collect();
    // The order in which a rank posted its messages does not depend on the order of delivery.
    order.sort_by_key(|&i| {
        let m = &messages[i];
        (m.job, m.posted, m.source, m.destination, m.tag, m.delivered, m.bytes)
    });
    Table::of(order.into_iter().map(|i| &messages[i]).map(|message| MessageRow {
        job: message.job,
        source_rank: message.source,
        destination_rank: message.destination,
        tag: message.tag,
        bytes: message.bytes,
        protocol: message.protocol.name(),
        posted_ns: ns(message.posted),
        delivered_ns: ns(message.delivered),
        latency_ns: ns(message.delivered - message.posted),
    }))
}
