//! A whole machine, in one part or in several that are simulated on threads of their own.
//!
//! What is seen of it does not depend on how many there are.

use crate::config::FabricConfig;
use crate::host::Host;
use crate::partition::audit::{Audit, ConservationCounts, Diagnosis, Held};
use crate::partition::partition_map::PartitionMap;
use crate::partition::threads::{self, Crew, Transport};
use crate::partition::{Partition, Totals};
use crate::probe::Probe;
use crate::store::port::LinkCounters;
use pantala_engine::{NEVER, Time};
use pantala_routing::learning::{LearningWindow, QTable};
use pantala_topology::Topology;
use std::ops::Range;
use std::sync::Arc;

/// A Dragonfly with its routers, links, NICs and hosts.
pub struct Network<H: Host, P> {
    parts: Vec<Partition<H, P>>,
    partitions: Arc<PartitionMap>,
    lookahead: Time,
    crew: Crew<H::Message>,
}

impl<H: Host + Send, P: Probe + Send> Network<H, P> {
    /// Builds the parts `here` of the machine and starts every host at time zero. There is a host
    /// and a probe for each of them: a host that stands for all nodes of its part. The rest is as
    /// for [`Partition::new`]. If other parts are elsewhere, what is asked of the machine is told of
    /// these.
    ///
    /// # Panics
    /// As that does; and if there are several parts of a machine whose routers read the queues of
    /// other groups.
    pub fn new(
        config: &FabricConfig,
        topology: Arc<Topology>,
        partitions: Arc<PartitionMap>,
        here: Range<u16>,
        routing_keys: &[u64],
        ends: impl IntoIterator<Item = (H, P)>,
    ) -> Self {
        assert!(
            partitions.count() == 1 || !config.reads_everywhere(),
            "queues that are read everywhere are in one part"
        );
        let parts = here.clone().zip(ends).map(|(part, (host, probe))| {
            let (topology, partitions) = (Arc::clone(&topology), Arc::clone(&partitions));
            Partition::part(config.clone(), topology, partitions, part, routing_keys, host, probe)
        });
        let parts: Vec<Partition<H, P>> = parts.collect();
        assert_eq!(parts.len(), here.len(), "a host and a probe for every part");
        Self { lookahead: config.lookahead(), crew: Crew::new(parts.len()), parts, partitions }
    }

    /// Handles every event before `until`, on as many threads as there are parts.
    ///
    /// # Panics
    /// If parts are elsewhere.
    pub fn advance(&mut self, until: Time) {
        assert_eq!(self.parts.len(), usize::from(self.partitions.count()), "all parts are here");
        match &mut self.parts[..] {
            [whole] => whole.advance(until),
            parts => self.crew.advance(parts, self.lookahead, until),
        }
    }

    /// Handles every event before `until` of the one part that is here, while others do so with
    /// theirs.
    ///
    /// # Panics
    /// If several parts are here.
    pub fn advance_with(&mut self, transport: &mut impl Transport<H::Message>, until: Time) {
        let [part] = &mut self.parts[..] else { panic!("one part is here") };
        threads::work(part, transport, self.lookahead, until);
    }
}

impl<H: Host, P: Probe> Network<H, P> {
    /// The hosts, by part.
    pub fn hosts(&self) -> impl Iterator<Item = &H> {
        self.parts.iter().map(|part| &part.host)
    }

    /// The hosts, by part.
    pub fn hosts_mut(&mut self) -> impl Iterator<Item = &mut H> {
        self.parts.iter_mut().map(|part| &mut part.host)
    }

    /// The probes, by part.
    pub fn probes(&self) -> impl Iterator<Item = &P> {
        self.parts.iter().map(|part| &part.probe)
    }

    /// The probes, by part.
    pub fn probes_mut(&mut self) -> impl Iterator<Item = &mut P> {
        self.parts.iter_mut().map(|part| &mut part.probe)
    }

    /// How many parts there are.
    #[must_use]
    pub fn partitions(&self) -> u16 {
        self.partitions.count()
    }

    /// From now on, draws the order of events that nothing may depend on: for tests.
    pub fn scramble(&mut self, seed: u64) {
        for part in &mut self.parts {
            part.scramble(seed);
        }
    }

    /// When the next event comes; [`NEVER`] if there is none.
    #[must_use]
    pub fn next_time(&self) -> Time {
        self.parts.iter().map(Partition::next_time).min().unwrap_or(NEVER)
    }

    /// The time of the event handled last.
    #[must_use]
    pub fn now(&self) -> Time {
        self.parts.iter().map(Partition::now).max().unwrap_or(0)
    }

    /// Totals so far.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.parts.iter().map(Partition::totals).fold(Totals::default(), Totals::and)
    }

    /// Packets injected and not delivered.
    #[must_use]
    pub fn packets_in_flight(&self) -> u64 {
        self.parts.iter().map(Partition::packets_in_flight).sum()
    }

    /// Wakes that an earlier one had overtaken: handled, at a cost, in vain.
    #[must_use]
    pub fn overtaken_events(&self) -> u64 {
        self.parts.iter().map(Partition::overtaken_events).sum()
    }

    /// The topology.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        self.parts[0].topology()
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &FabricConfig {
        self.parts[0].config()
    }

    /// The routers that are here.
    #[must_use]
    pub fn routers(&self) -> Range<u32> {
        let (first, last) = self.ends();
        self.partitions.routers(first).start..self.partitions.routers(last).end
    }

    /// The nodes that are here.
    #[must_use]
    pub fn nodes(&self) -> Range<u32> {
        let (first, last) = self.ends();
        self.partitions.nodes(first).start..self.partitions.nodes(last).end
    }

    /// The first and the last part that is here.
    fn ends(&self) -> (u16, u16) {
        let first = self.parts[0].part;
        (first, first + (self.parts.len() - 1) as u16)
    }

    fn part_of_router(&self, router: u32) -> &Partition<H, P> {
        &self.parts[usize::from(self.partitions.of_router(router) - self.parts[0].part)]
    }

    fn part_of_node(&self, node: u32) -> &Partition<H, P> {
        &self.parts[usize::from(self.partitions.of_node(node) - self.parts[0].part)]
    }

    /// The counters of output port `port` of `router`, which is here, if nothing has happened
    /// anywhere up to `now`.
    #[must_use]
    pub fn link_counters(&self, router: u32, port: u16, now: Time) -> LinkCounters {
        self.part_of_router(router).link_counters_at(router, port, now)
    }

    /// The counters of the injection link of a node that is here, likewise.
    #[must_use]
    pub fn injection_counters(&self, node: u32, now: Time) -> LinkCounters {
        self.part_of_node(node).injection_counters_at(node, now)
    }

    /// Payload bytes by job of output port `port` of `router`.
    #[must_use]
    pub fn link_job_bytes(&self, router: u32, port: u16) -> Vec<u64> {
        self.part_of_router(router).link_job_bytes(router, port)
    }

    /// Payload bytes by job of a node's injection link.
    #[must_use]
    pub fn injection_job_bytes(&self, node: u32) -> Vec<u64> {
        self.part_of_node(node).injection_job_bytes(node)
    }

    /// As [`Partition::estimates`].
    #[must_use]
    pub fn estimates(&self) -> QTable {
        QTable::joined(self.parts.iter().map(Partition::estimates))
    }

    /// Has routers start from what others have learned.
    ///
    /// # Panics
    /// If the tables are for another machine.
    pub fn start_from(&mut self, estimates: &QTable) {
        for part in &mut self.parts {
            part.start_from(estimates);
        }
    }

    /// As [`Partition::learn_before`].
    pub fn learn_before(&mut self, until: Time) {
        for part in &mut self.parts {
            part.learn_before(until);
        }
    }

    /// From now on, sums feedback up by windows of this length.
    pub fn record_learning(&mut self, window: Time) {
        for part in &mut self.parts {
            part.record_learning(window);
        }
    }

    /// What has been recorded of learning, in order of time.
    #[must_use]
    pub fn learning_windows(&self) -> Vec<LearningWindow> {
        LearningWindow::summed(self.parts.iter().flat_map(Partition::learning_windows))
    }

    /// Bytes of memory that the machine's state holds, hosts and topology left out.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.parts.iter().map(Partition::memory).sum()
    }

    /// The books.
    ///
    /// # Panics
    /// Never: a machine has a part.
    #[must_use]
    pub fn counts(&self) -> ConservationCounts {
        let [first, rest @ ..] = &self.parts[..] else { unreachable!("a machine has a part") };
        rest.iter().map(Partition::counts).fold(first.counts(), ConservationCounts::and)
    }

    /// As [`Partition::audit`].
    #[must_use]
    pub fn audit(&self) -> Audit {
        self.counts().audit()
    }

    /// What stands still, for [`Diagnosis::of`].
    #[must_use]
    pub fn held(&self) -> Vec<Held> {
        self.parts.iter().flat_map(Partition::held).collect()
    }

    /// As [`Partition::diagnose`].
    #[must_use]
    pub fn diagnose(&self) -> Diagnosis {
        Diagnosis::of(self.held(), self.packets_in_flight())
    }
}
