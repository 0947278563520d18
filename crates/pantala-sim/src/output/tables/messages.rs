//! The table `messages`: its columns and how a run fills them.

use super::streamed::Streamed;
use crate::output::columns::{ns, table};
use pantala_engine::Time;
use pantala_mpi::MessageRecord;

table! {
    /// One row per delivered message. Rows are ordered by the window of `delivered_ns` (of length
    /// `record.window_ps`), and in a window by `job`, `posted_ns`, `source_rank`,
    /// `destination_rank`, `tag`, `delivered_ns`, `bytes` and `message`.
    pub(crate) messages: MessageRow if "record.messages" {
        /// Number of the message in its job: a hash of source, destination, communicator and order.
        /// All packets of the message have it in the packets table.
        message: u64,
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
        /// Protocol: `eager` or `rendezvous`.
        protocol: &'static str,
        /// Time at which the send was posted.
        posted_ns: f64 [ns],
        /// Time at which the last byte reached the receiver.
        delivered_ns: f64 [ns],
        /// Message latency: duration from `posted_ns` to `delivered_ns`.
        latency_ns: f64 [ns],
        /// Whether no posted receive accepted the message when it arrived: the payload of an eager
        /// message, the request to send of a rendezvous; null without `record.unexpected`.
        unexpected: Option<bool> = "record.unexpected",
    }
}

impl Streamed for MessageRecord {
    type Row = MessageRow;
    type Key = (u16, Time, u32, u32, i32, Time, u64, u64);

    fn completed(&self) -> Time {
        self.delivered
    }

    /// Messages in the order in which the ranks posted them.
    fn key(&self) -> Self::Key {
        let ends = (self.source, self.destination);
        (self.job, self.posted, ends.0, ends.1, self.tag, self.delivered, self.bytes, self.number)
    }

    fn shift(&mut self, by: Time) {
        self.posted += by;
        self.delivered += by;
    }

    fn into_row(self) -> MessageRow {
        MessageRow {
            message: self.number,
            job: self.job,
            source_rank: self.source,
            destination_rank: self.destination,
            tag: self.tag,
            bytes: self.bytes,
            protocol: self.protocol.name(),
            posted_ns: ns(self.posted),
            delivered_ns: ns(self.delivered),
            latency_ns: ns(self.delivered - self.posted),
            unexpected: self.unexpected,
        }
    }
}
