//! What a network has counted at one time, so that skipped time can be counted at the same rates.

use crate::output::recorder::Net;
use crate::output::results::Results;
use crate::run::skip::job_counts::JobCounts;
use pantala_engine::Time;
use pantala_fabric::{JobTraffic, LinkCounters};
use pantala_mpi::{RankTotals, scaled};
use pantala_topology::LinkClass;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A rational number by which a count is multiplied: `share.0 / share.1`.
pub(crate) type Share = (u128, u128);

/// The counts of the local partitions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// Outputs, then injection links.
    links: Vec<LinkCounters>,
    ways: Vec<Way>,
    /// Traffic by link and job, where there is any, in order.
    traffic: Vec<((u32, u16), JobTraffic)>,
    pub(crate) of_jobs: JobCounts,
    /// By job: how far its ranks have come.
    pub(crate) progress: Vec<Progress>,
}

/// Where a link is on the way of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Injection,
    Between,
    Ejection,
}

/// How far a job has come: what its ranks have sent, called and waited for, and what has gone
/// through the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// Payload and messages that ranks have sent.
    pub(crate) bytes: u64,
    pub(crate) messages: u64,
    /// Payload that went through memory.
    pub(crate) memory: u64,
    /// Bytes through the network beside the payload.
    pub(crate) overhead: u64,
    pub(crate) calls: u64,
    pub(crate) waited: u64,
    /// Bytes of packets that NICs have injected.
    pub(crate) injected: u64,
    /// Bytes of packets that NICs have received.
    pub(crate) delivered: u64,
}

impl Progress {
    /// Adds the progress of one rank, or `share` of it.
    pub(crate) fn add(&mut self, from: &RankTotals, to: &RankTotals, share: Share) {
        self.bytes += scaled(to.bytes_sent - from.bytes_sent, share);
        self.messages += scaled(to.messages_sent - from.messages_sent, share);
        self.calls += scaled(to.calls - from.calls, share);
        self.waited += scaled(to.in_calls() - from.in_calls(), share);
    }

    pub(crate) fn and(self, other: Self) -> Self {
        self.with(other, |one, other| one + other)
    }

    pub(crate) fn since(self, earlier: Self) -> Self {
        self.with(earlier, |now, then| now - then)
    }

    fn with(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            bytes: of(self.bytes, other.bytes),
            messages: of(self.messages, other.messages),
            memory: of(self.memory, other.memory),
            overhead: of(self.overhead, other.overhead),
            calls: of(self.calls, other.calls),
            waited: of(self.waited, other.waited),
            injected: of(self.injected, other.injected),
            delivered: of(self.delivered, other.delivered),
        }
    }
}

/// By what the counts of a job are multiplied for skipped time, by what they are proportional to.
///
/// The ranks say how much payload they send in skipped time. In the sample, a message is posted,
/// injected and delivered at different times, and an edge of the sample can lie between them. So a
/// count is compared with the bytes at its own place: what is injected in the sample, without
/// overhead, with what is posted in skipped time; what is delivered with what is injected. A jump
/// leaves the packets in flight as they are, so as much is delivered in skipped time as is injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shares {
    /// Of what NICs inject.
    pub(crate) injected: Share,
    /// Of what is on the way.
    pub(crate) under_way: Share,
    /// Of what NICs receive.
    pub(crate) delivered: Share,
    pub(crate) calls: Share,
    pub(crate) waited: Share,
    /// Payload and messages that ranks send in skipped time.
    pub(crate) bytes: u64,
    pub(crate) messages: u64,
    /// Where the sample has none.
    pub(crate) whole: Share,
}

impl Shares {
    /// Returns the shares of a job whose ranks come as far as `skipped` in skipped time, and which
    /// has come as far as `sampled` in the sample; `whole` where it does nothing.
    pub(crate) fn of(skipped: Progress, sampled: Progress, whole: Share) -> Self {
        let of = |skipped: u64, sampled: u64| share_or(whole, skipped, sampled);
        let outside = sampled.bytes.saturating_sub(sampled.memory);
        let posted = scaled(skipped.bytes, of(outside, sampled.bytes));
        let injected = of(posted, sampled.injected.saturating_sub(sampled.overhead));
        let network = scaled(sampled.injected, injected);
        Self {
            injected,
            under_way: of(2 * network, sampled.injected + sampled.delivered),
            delivered: of(network, sampled.delivered),
            calls: of(skipped.calls, sampled.calls),
            waited: of(skipped.waited, sampled.waited),
            bytes: skipped.bytes,
            messages: skipped.messages,
            whole,
        }
    }

    /// The share of counts that come to `messages` in the sample.
    pub(crate) const fn of_messages(&self, messages: u64) -> Share {
        share_or(self.whole, self.messages, messages)
    }

    /// The share of counts that come to `bytes` of payload in the sample.
    pub(crate) const fn of_bytes(&self, bytes: u64) -> Share {
        share_or(self.whole, self.bytes, bytes)
    }
}

/// Returns the ratio of two numbers; `whole` if either of them is 0.
const fn share_or(whole: Share, skipped: u64, sampled: u64) -> Share {
    if skipped == 0 || sampled == 0 { whole } else { (skipped as u128, sampled as u128) }
}

impl Counts {
    /// Returns the counts up to `now`. All events before `now` must have been handled.
    pub(crate) fn of(network: &Net, jobs: usize, now: Time) -> Self {
        let ports = network.topology().ports_per_router() as u16;
        let outputs =
            || network.routers().flat_map(move |router| (0..ports).map(move |port| (router, port)));
        let mut links: Vec<LinkCounters> =
            outputs().map(|(router, port)| network.link_counters(router, port, now)).collect();
        let mut ways: Vec<Way> = outputs()
            .map(|(router, port)| match network.topology().class_of(router, port) {
                LinkClass::Terminal => Way::Ejection,
                _ => Way::Between,
            })
            .collect();
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
            ways.push(Way::Injection);
        }
        let mut progress = vec![Progress::default(); jobs];
        for report in network.hosts().flat_map(|host| host.rank_reports(now)) {
            progress[usize::from(report.job)].add(&RankTotals::default(), &report.totals, (1, 1));
        }
        for (job, sum) in progress.iter_mut().enumerate() {
            for ways in network.hosts().map(|host| host.ways(job as u16)) {
                sum.memory += ways.memory;
                sum.overhead += ways.overhead;
            }
            for recorder in network.probes() {
                let of = &recorder.jobs[job];
                sum.injected += of.injected_bytes();
                sum.delivered += of.delivered_bytes;
            }
        }
        Self { links, ways, traffic, of_jobs: JobCounts::of(network, jobs, now), progress }
    }
}

/// What was skipped in the local partitions, in all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skipped {
    links: Vec<LinkCounters>,
    traffic: BTreeMap<(u32, u16), JobTraffic>,
    /// What was skipped in all processes, in the process that writes the results.
    of_jobs: JobCounts,
    /// By job and rank.
    pub(crate) ranks: BTreeMap<(u16, u32), RankTotals>,
}

impl Skipped {
    /// Adds what links have counted from `before` to `after`, times the share of each job.
    pub(crate) fn add_links(&mut self, before: &Counts, after: &Counts, shares: &[Shares]) {
        let share = |(link, job): (u32, u16)| {
            let of = &shares[usize::from(job)];
            match after.ways[link as usize] {
                Way::Injection => of.injected,
                Way::Between => of.under_way,
                Way::Ejection => of.delivered,
            }
        };
        self.links.resize(after.links.len(), LinkCounters::default());
        let mut bytes = vec![(0_u64, 0_u64); after.links.len()];
        let mut known = before.traffic.iter().peekable();
        for &(place, of) in &after.traffic {
            while known.next_if(|(other, _)| *other < place).is_some() {}
            let was = known.peek().filter(|(other, _)| *other == place).map(|(_, was)| *was);
            let was = was.unwrap_or_default();
            let more = (of.bytes - was.bytes, of.stall.saturating_sub(was.stall));
            let sum = self.traffic.entry(place).or_default();
            let share = share(place);
            let weighted = scaled(more.0, share);
            sum.bytes += weighted;
            let stall = scaled(more.1, share);
            sum.stall += stall;
            let link = &mut bytes[place.0 as usize];
            *link = (link.0 + weighted, link.1 + more.0);
            self.links[place.0 as usize].stall += stall;
        }
        for (at, (sum, (new, old))) in
            self.links.iter_mut().zip(after.links.iter().zip(&before.links)).enumerate()
        {
            let of_link = (u128::from(bytes[at].0), u128::from(bytes[at].1));
            sum.bytes += bytes[at].0;
            sum.packets += scaled(new.packets - old.packets, of_link);
            sum.flits += scaled(new.flits - old.flits, of_link);
        }
    }

    /// Adds what jobs have done in skipped time in all processes.
    pub(crate) fn add_jobs(&mut self, more: JobCounts) {
        self.of_jobs = std::mem::take(&mut self.of_jobs).and(more);
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
        let outputs = results.outputs.len();
        let links = results.outputs.iter_mut().chain(&mut results.injections);
        for (link, more) in links.zip(&self.links) {
            link.counters.packets += more.packets;
            link.counters.bytes += more.bytes;
            link.counters.flits += more.flits;
            // What was skipped has the share of the simulated time.
            let known =
                (u128::from(link.counters.stall + more.stall), u128::from(link.counters.stall));
            link.sst_stall = link.sst_stall.map(|stall| scaled(stall, known));
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
        self.of_jobs.complete(results);
    }
}
