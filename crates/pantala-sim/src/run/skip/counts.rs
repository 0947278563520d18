//! What a network has counted at one time, so that skipped time can be counted at the same rates.

use crate::output::recorder::{JobPackets, Net};
use crate::output::results::Results;
use pantala_engine::Time;
use pantala_fabric::{JobTraffic, LinkCounters};
use pantala_mpi::{CallReport, LatencyStatistics, MessageSums, RankMessages, RankTotals, scaled};
use pantala_workload::Endpoints;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A rational number by which a count is multiplied: `share.0 / share.1`.
pub(crate) type Share = (u128, u128);

/// The counts of the local partitions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// Outputs, then injection links.
    links: Vec<LinkCounters>,
    /// Traffic by link and job, where there is any, in order.
    traffic: Vec<((u32, u16), JobTraffic)>,
    calls: Vec<CallReport>,
    rank_messages: Vec<RankMessages>,
    /// By job, without windows; with the bytes injected.
    packets: Vec<(JobPackets, u64)>,
    message_latency: Vec<Option<LatencyStatistics>>,
    /// By job: how far its ranks have come.
    pub(crate) progress: Vec<Progress>,
}

/// How far the ranks of a job have come: what they have sent, called and waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Progress {
    pub(crate) bytes: u64,
    pub(crate) calls: u64,
    pub(crate) waited: u64,
}

impl Progress {
    /// Adds the progress of one rank, or `share` of it.
    pub(crate) fn add(&mut self, from: &RankTotals, to: &RankTotals, share: Share) {
        self.bytes += scaled(to.bytes_sent - from.bytes_sent, share);
        self.calls += scaled(to.calls - from.calls, share);
        self.waited += scaled(to.in_calls() - from.in_calls(), share);
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            calls: self.calls + other.calls,
            waited: self.waited + other.waited,
        }
    }

    pub(crate) const fn since(self, earlier: Self) -> Self {
        Self {
            bytes: self.bytes - earlier.bytes,
            calls: self.calls - earlier.calls,
            waited: self.waited - earlier.waited,
        }
    }
}

/// By what the counts of a job are multiplied for skipped time, by what they are proportional to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shares {
    pub(crate) bytes: Share,
    pub(crate) calls: Share,
    pub(crate) waited: Share,
}

impl Shares {
    /// Returns the shares of a job whose ranks come as far as `skipped` in skipped time and as far
    /// as `sampled` in the sample; `whole` where they do nothing.
    pub(crate) fn of(skipped: Progress, sampled: Progress, whole: Share) -> Self {
        let of = |skipped: u64, sampled: u64| match sampled {
            0 => whole,
            _ => (u128::from(skipped), u128::from(sampled)),
        };
        Self {
            bytes: of(skipped.bytes, sampled.bytes),
            calls: of(skipped.calls, sampled.calls),
            waited: of(skipped.waited, sampled.waited),
        }
    }
}

impl Counts {
    /// Returns the counts up to `now`. All events before `now` must have been handled.
    pub(crate) fn of(network: &Net, jobs: usize, now: Time) -> Self {
        let ports = network.topology().ports_per_router() as u16;
        let outputs =
            || network.routers().flat_map(move |router| (0..ports).map(move |port| (router, port)));
        let mut links: Vec<LinkCounters> =
            outputs().map(|(router, port)| network.link_counters(router, port, now)).collect();
        let mut traffic = Vec::new();
        let mut add = |link: usize, of_jobs: &mut dyn Iterator<Item = JobTraffic>| {
            let any = |(_, of): &(u16, JobTraffic)| *of != JobTraffic::default();
            let of_jobs = (0..).zip(of_jobs).filter(any);
            traffic.extend(of_jobs.map(|(job, of)| ((link as u32, job), of)));
        };
        for (link, (router, port)) in outputs().enumerate() {
            add(link, &mut network.link_jobs(router, port, now));
        }
        for node in network.terminals() {
            add(links.len(), &mut network.injection_jobs(node, now));
            links.push(network.injection_counters(node, now));
        }
        let mut progress = vec![Progress::default(); jobs];
        for report in network.hosts().flat_map(|host| host.rank_reports(now)) {
            progress[usize::from(report.job)].add(&RankTotals::default(), &report.totals, (1, 1));
        }
        let of_job = |job: usize| {
            let mut sum = (JobPackets::default(), 0);
            for recorder in network.probes() {
                let of = &recorder.jobs[job];
                sum.1 += of.windows.iter().map(|window| window.injected_bytes).sum::<u64>();
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
            links,
            traffic,
            calls: CallReport::summed(calls),
            rank_messages: RankMessages::summed(messages),
            packets: (0..jobs).map(of_job).collect(),
            message_latency: (0..jobs as u16).map(message_latency).collect(),
            progress,
        }
    }
}

/// What was skipped in the local partitions, in all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skipped {
    links: Vec<LinkCounters>,
    traffic: BTreeMap<(u32, u16), JobTraffic>,
    calls: Vec<CallReport>,
    rank_messages: Vec<RankMessages>,
    packets: Vec<(JobPackets, u64)>,
    message_latency: Vec<Option<LatencyStatistics>>,
    /// By job and rank.
    pub(crate) ranks: BTreeMap<(u16, u32), RankTotals>,
}

impl Skipped {
    /// Adds what was counted from `before` to `after`, times the share of each job.
    pub(crate) fn add(&mut self, before: &Counts, after: &Counts, shares: &[Shares]) {
        let share = |job: u16| shares[usize::from(job)].bytes;
        self.links.resize(after.links.len(), LinkCounters::default());
        let mut bytes = vec![(0_u64, 0_u64); after.links.len()];
        let mut known = before.traffic.iter().peekable();
        for &(place, of) in &after.traffic {
            while known.next_if(|(other, _)| *other < place).is_some() {}
            let was = known.peek().filter(|(other, _)| *other == place).map(|(_, was)| *was);
            let was = was.unwrap_or_default();
            let more = (of.bytes - was.bytes, of.stall.saturating_sub(was.stall));
            let sum = self.traffic.entry(place).or_default();
            let weighted = scaled(more.0, share(place.1));
            sum.bytes += weighted;
            sum.stall += scaled(more.1, share(place.1));
            let link = &mut bytes[place.0 as usize];
            *link = (link.0 + weighted, link.1 + more.0);
            self.links[place.0 as usize].stall += scaled(more.1, share(place.1));
        }
        for (at, (sum, (new, old))) in
            self.links.iter_mut().zip(after.links.iter().zip(&before.links)).enumerate()
        {
            let of_link = (u128::from(bytes[at].0), u128::from(bytes[at].1));
            sum.bytes += bytes[at].0;
            sum.packets += scaled(new.packets - old.packets, of_link);
            sum.flits += scaled(new.flits - old.flits, of_link);
        }
        self.add_calls(before, after, shares);
        self.add_messages(before, after, shares);
        for (job, (new, old)) in after.packets.iter().zip(&before.packets).enumerate() {
            if self.packets.len() <= job {
                self.packets.push(<(JobPackets, u64)>::default());
            }
            let sum = &mut self.packets[job];
            sum.0.absorb(new.0.since(&old.0, shares[job].bytes));
            sum.1 += scaled(new.1 - old.1, shares[job].bytes);
        }
        self.message_latency.resize(after.message_latency.len(), None);
        for (job, sum) in self.message_latency.iter_mut().enumerate() {
            let Some(new) = &after.message_latency[job] else { continue };
            let more = match &before.message_latency[job] {
                Some(old) => new.since(old),
                None => new.clone(),
            };
            sum.get_or_insert_default().add(&more.weighted(shares[job].bytes));
        }
    }

    fn add_calls(&mut self, before: &Counts, after: &Counts, shares: &[Shares]) {
        let key = |report: &CallReport| (report.job, report.rank, report.call.clone());
        let known: BTreeMap<_, _> = before.calls.iter().map(|old| (key(old), old)).collect();
        self.calls.extend(after.calls.iter().map(|new| {
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
        }));
        self.calls = CallReport::summed(std::mem::take(&mut self.calls));
    }

    fn add_messages(&mut self, before: &Counts, after: &Counts, shares: &[Shares]) {
        let known: BTreeMap<_, _> =
            before.rank_messages.iter().map(|old| ((old.job, old.rank), old)).collect();
        self.rank_messages.extend(after.rank_messages.iter().map(|new| {
            let (old, share) =
                (known.get(&(new.job, new.rank)), shares[usize::from(new.job)].bytes);
            let none = MessageSums::default();
            let of = |new: &MessageSums, old: Option<&MessageSums>| {
                let old = old.unwrap_or(&none);
                MessageSums {
                    messages: scaled(new.messages - old.messages, share),
                    bytes: scaled(new.bytes - old.bytes, share),
                    latency: (new.latency - old.latency) * share.0 / share.1.max(1),
                    unexpected: scaled(new.unexpected - old.unexpected, share),
                    ..*new
                }
            };
            RankMessages {
                sent: of(&new.sent, old.map(|old| &old.sent)),
                received: of(&new.received, old.map(|old| &old.received)),
                ..*new
            }
        }));
        self.rank_messages = RankMessages::summed(std::mem::take(&mut self.rank_messages));
    }

    /// Adds `iterations / of` times the difference of two totals to a rank's skipped time.
    pub(crate) fn add_rank(
        &mut self,
        place: (u16, u32),
        from: &RankTotals,
        to: &RankTotals,
        share: Share,
    ) {
        let sum = self.ranks.entry(place).or_default();
        let add = |sum: &mut u64, to: u64, from: u64| *sum += scaled(to - from, share);
        add(&mut sum.compute, to.compute, from.compute);
        add(&mut sum.send, to.send, from.send);
        add(&mut sum.recv, to.recv, from.recv);
        add(&mut sum.wait, to.wait, from.wait);
        add(&mut sum.collective, to.collective, from.collective);
        add(&mut sum.messages_sent, to.messages_sent, from.messages_sent);
        add(&mut sum.bytes_sent, to.bytes_sent, from.bytes_sent);
        add(&mut sum.messages_received, to.messages_received, from.messages_received);
        add(&mut sum.bytes_received, to.bytes_received, from.bytes_received);
    }

    /// Adds what was skipped to the results of the local partitions.
    pub(crate) fn complete(self, results: &mut Results) {
        for report in &mut results.reports {
            let Some(more) = self.ranks.get(&(report.job, report.rank)) else { continue };
            let totals = &mut report.totals;
            totals.compute += more.compute;
            totals.send += more.send;
            totals.recv += more.recv;
            totals.wait += more.wait;
            totals.collective += more.collective;
            totals.messages_sent += more.messages_sent;
            totals.bytes_sent += more.bytes_sent;
            totals.messages_received += more.messages_received;
            totals.bytes_received += more.bytes_received;
        }
        results.calls.extend(self.calls);
        results.calls = CallReport::summed(std::mem::take(&mut results.calls));
        results.rank_messages.extend(self.rank_messages);
        results.rank_messages = RankMessages::summed(std::mem::take(&mut results.rank_messages));
        let outputs = results.outputs.len();
        let links = results.outputs.iter_mut().chain(&mut results.injections);
        for (link, more) in links.zip(&self.links) {
            link.counters.packets += more.packets;
            link.counters.bytes += more.bytes;
            link.counters.flits += more.flits;
            link.counters.stall += more.stall;
        }
        for ((link, job), more) in self.traffic {
            let link = link as usize;
            let of = match results.outputs.get_mut(link) {
                Some(output) => output,
                None => &mut results.injections[link - outputs],
            };
            let of = &mut of.jobs[usize::from(job)];
            of.bytes += more.bytes;
            of.stall += more.stall;
        }
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
