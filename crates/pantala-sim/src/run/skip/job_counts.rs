//! What jobs have counted: calls, messages, packets and latencies, wherever their ranks are.
//!
//! A job can lie in several processes. So its counts are summed before they are multiplied for
//! skipped time: the sum of rounded parts depends on how many there are.

use crate::output::recorder::{JobPackets, Net};
use crate::output::results::Results;
use crate::run::skip::counts::{Share, Shares};
use pantala_engine::Time;
use pantala_mpi::{CallReport, LatencyStatistics, MessageSums, RankMessages, scaled};
use pantala_workload::Endpoints;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The packets of a job, without windows, and the bytes that it injected.
type OfJob = (JobPackets, u64);

/// The counts of all jobs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct JobCounts {
    calls: Vec<CallReport>,
    rank_messages: Vec<RankMessages>,
    /// By job.
    packets: Vec<OfJob>,
    message_latency: Vec<Option<LatencyStatistics>>,
}

impl JobCounts {
    /// Returns the counts of the local partitions up to `now`.
    pub(crate) fn of(network: &Net, jobs: usize, now: Time) -> Self {
        let of_job = |job: usize| {
            let mut sum = (JobPackets::default(), 0);
            for recorder in network.probes() {
                let of = &recorder.jobs[job];
                sum.1 += of.injected_bytes();
                sum.0.absorb(of.without_windows());
            }
            sum
        };
        let message_latency = |job: u16| {
            let mut parts = network.hosts().filter_map(|host| host.message_statistics(job));
            let mut sum = parts.next()?.clone();
            parts.for_each(|part| sum.add(part));
            Some(sum)
        };
        let calls = network.hosts().flat_map(|host| host.call_reports(now)).collect();
        let messages = network.hosts().flat_map(Endpoints::rank_messages).collect();
        Self {
            calls: CallReport::summed(calls),
            rank_messages: RankMessages::summed(messages),
            packets: (0..jobs).map(of_job).collect(),
            message_latency: (0..jobs as u16).map(message_latency).collect(),
        }
    }

    /// Returns the sum of two processes, or of two jumps.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.calls.extend(other.calls);
        self.rank_messages.extend(other.rank_messages);
        let jobs = self.packets.len().max(other.packets.len());
        self.packets.resize_with(jobs, Default::default);
        for (sum, more) in self.packets.iter_mut().zip(other.packets) {
            sum.0.absorb(more.0);
            sum.1 += more.1;
        }
        self.message_latency.resize(jobs, None);
        for (sum, more) in self.message_latency.iter_mut().zip(other.message_latency) {
            if let Some(more) = more {
                sum.get_or_insert_default().add(&more);
            }
        }
        Self {
            calls: CallReport::summed(self.calls),
            rank_messages: RankMessages::summed(self.rank_messages),
            ..self
        }
    }

    /// Returns what was counted since `earlier`, times the share of each job.
    pub(crate) fn since(&self, earlier: &Self, shares: &[Shares]) -> Self {
        let of_packets = |(job, (new, old)): (usize, (&OfJob, &OfJob))| {
            let injected = scaled(new.1 - old.1, shares[job].injected);
            (new.0.since(&old.0, shares[job].delivered), injected)
        };
        let of_messages = |(job, new): (usize, &Option<LatencyStatistics>)| {
            let more = match (new.as_ref()?, &earlier.message_latency[job]) {
                (new, Some(old)) => new.since(old),
                (new, None) => new.clone(),
            };
            let share = shares[job].of_messages(more.count());
            Some(more.weighted(share))
        };
        let packets = self.packets.iter().zip(&earlier.packets).enumerate();
        Self {
            calls: self.calls_since(earlier, shares),
            rank_messages: self.messages_since(earlier, shares),
            packets: packets.map(of_packets).collect(),
            message_latency: self.message_latency.iter().enumerate().map(of_messages).collect(),
        }
    }

    fn calls_since(&self, earlier: &Self, shares: &[Shares]) -> Vec<CallReport> {
        let key = |report: &CallReport| (report.job, report.rank, report.call.clone());
        let known: BTreeMap<_, _> = earlier.calls.iter().map(|old| (key(old), old)).collect();
        let of = |new: &CallReport| {
            let old = known.get(&key(new));
            let share = shares[usize::from(new.job)];
            let more = |of: fn(&CallReport) -> u64, share: Share| {
                scaled(of(new).saturating_sub(old.map_or(0, |old| of(old))), share)
            };
            CallReport {
                calls: more(|of| of.calls, share.calls),
                bytes: more(|of| of.bytes, share.calls),
                time: more(|of| of.time, share.waited),
                ..new.clone()
            }
        };
        self.calls.iter().map(of).collect()
    }

    fn messages_since(&self, earlier: &Self, shares: &[Shares]) -> Vec<RankMessages> {
        let known: BTreeMap<_, _> =
            earlier.rank_messages.iter().map(|old| ((old.job, old.rank), old)).collect();
        let none = MessageSums::default();
        let before = |new: &RankMessages| {
            let old = known.get(&(new.job, new.rank));
            old.map_or((&none, &none), |old| (&old.sent, &old.received))
        };
        // By job, the payload that has arrived in the sample.
        let mut arrived = vec![0; shares.len()];
        for new in &self.rank_messages {
            arrived[usize::from(new.job)] += new.received.bytes - before(new).1.bytes;
        }
        let of = |new: &RankMessages| {
            let job = usize::from(new.job);
            let share = shares[job].of_bytes(arrived[job]);
            let of = |new: &MessageSums, old: &MessageSums| MessageSums {
                messages: scaled(new.messages - old.messages, share),
                bytes: scaled(new.bytes - old.bytes, share),
                latency: (new.latency - old.latency) * share.0 / share.1.max(1),
                unexpected: scaled(new.unexpected - old.unexpected, share),
                ..*new
            };
            let (sent, received) = before(new);
            RankMessages {
                sent: of(&new.sent, sent),
                received: of(&new.received, received),
                ..*new
            }
        };
        self.rank_messages.iter().map(of).collect()
    }

    /// Adds what was skipped to the results.
    pub(crate) fn complete(self, results: &mut Results) {
        results.calls.extend(self.calls);
        results.calls = CallReport::summed(std::mem::take(&mut results.calls));
        results.rank_messages.extend(self.rank_messages);
        results.rank_messages = RankMessages::summed(std::mem::take(&mut results.rank_messages));
        for (job, (packets, injected)) in results.jobs.iter_mut().zip(self.packets) {
            job.skipped_injected_bytes += injected;
            job.absorb(packets);
        }
        for (sum, more) in results.message_latency.iter_mut().zip(self.message_latency) {
            if let Some(more) = more {
                sum.get_or_insert_default().add(&more);
            }
        }
    }
}
