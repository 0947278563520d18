//! What a job communicates, without a network: every message arrives a picosecond after it was sent.
//!
//! Whom a rank sends how much does not depend on when messages arrive (but for programs that ask; motifs do not), so this
//! tells a job's totals and its communication matrix in the time that it takes to go through its operations.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use pantala_engine::Time;
use pantala_fabric::{Delivery, Host, PacketOffer, Pull, Wakes};
use pantala_mpi::collectives::CollectiveKind;
use pantala_mpi::{Account, MessageRecord, MpiConfig, ProgramError, Recording};

use crate::endpoints::{Endpoints, PatternContext};
use crate::spec::{JobSpec, WorkloadError};

/// How many messages, and their payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// Messages.
    pub messages: u64,
    /// Payload bytes.
    pub bytes: u64,
}

impl Volume {
    const fn count(&mut self, bytes: u64) {
        self.messages += 1;
        self.bytes += bytes;
    }
}

/// All messages of a job but those of a rank to itself.
#[derive(Clone, Debug, Default)]
pub struct Communication {
    /// From one rank to another.
    pub pairs: BTreeMap<(u32, u32), Volume>,
    /// By the size of a message.
    pub sizes: BTreeMap<u64, u64>,
    /// By the collective of which they are part; `None`: the program's own.
    pub operations: BTreeMap<Option<&'static str>, Volume>,
    /// The account of each rank; its times but that of computing mean nothing.
    pub accounts: Vec<Account>,
    /// What the program did wrong.
    pub errors: Vec<ProgramError>,
    /// Whether all ranks came to their end.
    pub finished: bool,
}

impl Communication {
    fn count(&mut self, message: &MessageRecord) {
        self.pairs.entry((message.source, message.destination)).or_default().count(message.bytes);
        *self.sizes.entry(message.bytes).or_default() += 1;
        let kind = CollectiveKind::of_tag(message.tag).map(CollectiveKind::name);
        self.operations.entry(kind).or_default().count(message.bytes);
    }
}

/// The communication of a job, a motif, by itself; where its ranks are does not matter.
///
/// # Errors
/// A [`WorkloadError`] if the workload's parameters are wrong or do not fit its ranks.
///
/// # Panics
/// If the workload is a pattern, which never ends.
pub fn communication(job: &JobSpec, mpi: &MpiConfig, seed: u64) -> Result<Communication, WorkloadError> {
    assert!(!job.workload.is_endless(), "a pattern has no end");
    let ranks = job.nodes.len() as u32;
    let job = JobSpec { nodes: (0..ranks).collect(), start: 0, ..job.clone() };
    // A packet holds whole messages, so that there are few of them.
    let context = PatternContext {
        packet_bytes: u32::MAX,
        flit_bytes: 1,
        terminal_bytes_per_second: 1,
        group_of_node: vec![0; ranks as usize],
    };
    let recording = Recording { messages: true, iterations: false };
    let mut endpoints = Endpoints::new(vec![job], *mpi, recording, &context, ranks, seed)?;
    let mut found = Communication::default();
    let mut records = Vec::new();
    let mut network = Network::default();
    network.start(&mut endpoints, ranks);
    let mut more = true;
    while more {
        more = network.advance(&mut endpoints);
        endpoints.take_messages(&mut records);
        records.drain(..).for_each(|message| found.count(&message));
    }
    found.accounts = endpoints.rank_reports(network.now).map(|report| report.account).collect();
    found.errors = endpoints.errors().to_vec();
    found.finished = endpoints.finished();
    Ok(found)
}

/// What happens at a node. At one time deliveries come before timers, and both before pulls.
#[derive(Clone, Copy, Debug)]
enum Event {
    Deliver(Delivery),
    Timer,
    Pull,
}

/// Between two looks at what has been recorded.
const EVENTS_AT_A_TIME: usize = 100_000;

/// When: time, phase, node, and which of several there.
type Moment = (Time, u8, u32, u64);

/// A network that takes a picosecond.
#[derive(Debug, Default)]
struct Network {
    now: Time,
    /// Each with the place of the event in `events`.
    queue: BinaryHeap<Reverse<(Moment, usize)>>,
    events: Vec<Event>,
    free: Vec<usize>,
    sequence: u64,
    wakes: Wakes,
}

impl Network {
    fn start(&mut self, hosts: &mut impl Host, nodes: u32) {
        for node in 0..nodes {
            hosts.start(node, &mut self.wakes);
            self.react(node);
        }
    }

    fn push(&mut self, time: Time, phase: u8, node: u32, event: Event) {
        let place = self.free.pop().unwrap_or(self.events.len());
        if place == self.events.len() {
            self.events.push(event);
        } else {
            self.events[place] = event;
        }
        self.sequence += 1;
        self.queue.push(Reverse(((time, phase, node, self.sequence), place)));
    }

    fn react(&mut self, node: u32) {
        if std::mem::take(&mut self.wakes.nic) {
            self.push(self.now, 2, node, Event::Pull);
        }
        let timers = std::mem::take(&mut self.wakes.timers);
        for &time in &timers {
            self.push(time, 1, node, Event::Timer);
        }
        self.wakes.timers = timers;
        self.wakes.timers.clear();
    }

    /// Some events; false if there are no more.
    fn advance(&mut self, hosts: &mut impl Host) -> bool {
        for _ in 0..EVENTS_AT_A_TIME {
            let Some(Reverse(((now, _, node, _), place))) = self.queue.pop() else { return false };
            self.now = now;
            self.free.push(place);
            match self.events[place] {
                Event::Deliver(packet) => hosts.deliver(node, &packet, now, &mut self.wakes),
                Event::Timer => hosts.timer(node, now, &mut self.wakes),
                Event::Pull => match hosts.pull(node, now, &mut self.wakes) {
                    Pull::Idle => {}
                    Pull::Later(time) => self.push(time, 2, node, Event::Pull),
                    Pull::Packet(packet) => self.send(node, packet),
                },
            }
            self.react(node);
        }
        true
    }

    fn send(&mut self, node: u32, packet: PacketOffer) {
        let PacketOffer { destination, bytes, created, message, job, class: _ } = packet;
        let delivery = Delivery { source: node, bytes, created, message, job };
        self.push(self.now + 1, 0, destination, Event::Deliver(delivery));
        self.push(self.now, 2, node, Event::Pull);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Noise;
    use pantala_mpi::{AllreduceAlgorithm, Collectives};

    fn of(ranks: u32, workload: &str, mpi: &MpiConfig) -> Communication {
        let workload = serde_json::from_str(workload).unwrap();
        let job =
            JobSpec { name: "j".into(), nodes: vec![7; ranks as usize], start: 5, noise: Noise::default(), workload };
        let found = communication(&job, mpi, 1).unwrap();
        assert!(found.finished && found.errors.is_empty());
        found
    }

    #[test]
    fn a_ring_of_ranks_talks_to_both_sides() {
        let text = r#"{"kind": "stencil", "grid": [5], "message_bytes": [90000], "iterations": 7, "periodic": true}"#;
        let found = of(5, text, &MpiConfig::default());
        assert_eq!(found.pairs.len(), 10);
        assert!(found.pairs.iter().all(|((a, b), volume)| {
            (a.abs_diff(*b) == 1 || a.abs_diff(*b) == 4) && *volume == Volume { messages: 7, bytes: 630_000 }
        }));
        assert_eq!(found.sizes, BTreeMap::from([(90_000, 70)]));
        assert_eq!(found.operations, BTreeMap::from([(None, Volume { messages: 70, bytes: 6_300_000 })]));
        assert_eq!(found.accounts.len(), 5);
    }

    #[test]
    fn collectives_are_told_apart() {
        let collectives = Collectives { allreduce: AllreduceAlgorithm::RecursiveDoubling, ..Collectives::default() };
        let mpi = MpiConfig { collectives, ..MpiConfig::default() };
        let found = of(8, r#"{"kind": "allreduce_loop", "message_bytes": 100, "iterations": 3}"#, &mpi);
        assert_eq!(found.operations, BTreeMap::from([(Some("allreduce"), Volume { messages: 72, bytes: 7_200 })]));
        assert!(found.pairs.keys().all(|(a, b)| (a ^ b).is_power_of_two()));
    }
}
