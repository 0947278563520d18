//! The messages of single ranks: number, bytes and latencies, sent and received.

use pantala_engine::Time;
use serde::{Deserialize, Serialize};

use crate::message::Header;

/// Messages whose payload has arrived: number, bytes, and latencies in ps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageSums {
    /// Number of messages.
    pub messages: u64,
    /// Their payload in bytes.
    pub bytes: u64,
    /// The sum of their latencies.
    pub latency: u128,
    /// The shortest latency; 0 without a message.
    pub least: Time,
    /// The longest latency.
    pub most: Time,
    /// Number of messages that were unexpected ([`crate::MessageRecord::unexpected`]).
    pub unexpected: u64,
}

impl MessageSums {
    fn add(&mut self, other: &Self) {
        self.least = match (self.messages, other.messages) {
            (_, 0) => self.least,
            (0, _) => other.least,
            _ => self.least.min(other.least),
        };
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.latency += other.latency;
        self.most = self.most.max(other.most);
        self.unexpected += other.unexpected;
    }
}

/// The messages of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankMessages {
    /// The job's number in the plan.
    pub job: u16,
    /// The rank of the job.
    pub rank: u32,
    /// The messages that it has sent.
    pub sent: MessageSums,
    /// The messages that it has received.
    pub received: MessageSums,
}

impl RankMessages {
    /// Sums the messages of several partitions to one item per job and rank, in this order.
    #[must_use]
    pub fn summed(mut all: Vec<Self>) -> Vec<Self> {
        all.sort_unstable_by_key(|item| (item.job, item.rank));
        all.dedup_by(|next, sum| {
            let same = (next.job, next.rank) == (sum.job, sum.rank);
            if same {
                sum.sent.add(&next.sent);
                sum.received.add(&next.received);
            }
            same
        });
        all
    }
}

/// The messages of the ranks of one job whose payload has arrived in one partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct JobMessages {
    /// By rank: sent and received.
    ranks: Vec<[MessageSums; 2]>,
}

impl JobMessages {
    /// No messages of so many ranks.
    pub(crate) fn of(ranks: u32) -> Self {
        Self { ranks: vec![Default::default(); ranks as usize] }
    }

    /// Counts a message whose payload arrives `now`.
    pub(crate) fn delivered(&mut self, header: &Header, unexpected: bool, now: Time) {
        let latency = now - header.posted;
        let message = MessageSums {
            messages: 1,
            bytes: header.bytes,
            latency: latency.into(),
            least: latency,
            most: latency,
            unexpected: unexpected.into(),
        };
        self.ranks[header.source as usize][0].add(&message);
        self.ranks[header.destination as usize][1].add(&message);
    }

    /// The messages of every rank of the job with the number `job` in the plan.
    pub(crate) fn reports(&self, job: u16) -> impl Iterator<Item = RankMessages> {
        (0..).zip(&self.ranks).map(move |(rank, &[sent, received])| RankMessages {
            job,
            rank,
            sent,
            received,
        })
    }
}
