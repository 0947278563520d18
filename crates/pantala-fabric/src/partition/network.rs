//! [`Network`]: all partitions of a network, on threads or on one.
//!
//! Results do not depend on the number of partitions.

use crate::config::FabricConfig;
use crate::host::Host;
use crate::partition::audit::{Audit, ConservationCounts, Diagnosis, Held};
use crate::partition::partition_map::PartitionMap;
use crate::partition::threads::{self, Transport, WorkerThreads};
use crate::partition::{Partition, Totals};
use crate::probe::Probe;
use crate::store::counters::JobTraffic;
use crate::store::port::LinkCounters;
use crate::watch::blame::{BlameCell, BlameDetail, Places};
use crate::watch::paths::PacketChoice;
use crate::watch::ports::{BufferDetail, LinkCount, TrafficDetail, WatchedLink};
use pantala_engine::{NEVER, Time};
use pantala_routing::learning::{LearningWindow, QTable};
use pantala_topology::Topology;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// A Dragonfly with its routers, links, NICs and hosts, in one or more partitions.
pub struct Network<H: Host, P> {
    partitions: Vec<Partition<H, P>>,
    map: Arc<PartitionMap>,
    lookahead: Time,
    workers: WorkerThreads<H::Message>,
}

impl<H: Host + Send, P: Probe + Send> Network<H, P> {
    /// Builds the partitions `here` of the network and starts every host at time zero. Each
    /// partition has one host, for all its NICs, and one probe. The other arguments are those of
    /// [`Partition::new`]. If other processes have the other partitions, all readings cover the
    /// partitions `here` only.
    ///
    /// # Panics
    /// If [`Partition::new`] panics, or if there are several partitions and a routing reads the
    /// queues of other groups.
    pub fn new(
        config: &FabricConfig,
        topology: Arc<Topology>,
        map: Arc<PartitionMap>,
        here: Range<u16>,
        routing_keys: &[u64],
        ends: impl IntoIterator<Item = (H, P)>,
    ) -> Self {
        assert!(
            map.count() == 1 || !config.reads_everywhere(),
            "a routing that reads all queues needs one partition"
        );
        let partitions = here.clone().zip(ends).map(|(partition, (host, probe))| {
            let (topology, map) = (Arc::clone(&topology), Arc::clone(&map));
            Partition::numbered(config.clone(), topology, map, partition, routing_keys, host, probe)
        });
        let partitions: Vec<Partition<H, P>> = partitions.collect();
        assert_eq!(partitions.len(), here.len(), "a host and a probe for every partition");
        Self {
            lookahead: config.lookahead(),
            workers: WorkerThreads::new(partitions.len()),
            partitions,
            map,
        }
    }

    /// Handles every event before `until`, with one thread per partition where that is faster.
    ///
    /// # Panics
    /// If other processes have some of the partitions.
    pub fn advance(&mut self, until: Time) {
        assert_eq!(self.partitions.len(), usize::from(self.map.count()), "all partitions are here");
        match &mut self.partitions[..] {
            [whole] => whole.advance(until),
            partitions => self.workers.advance(partitions, self.lookahead, until),
        }
    }

    /// Handles every event before `until` of the only partition here, while other processes do so
    /// for their partitions.
    ///
    /// # Panics
    /// If this process has several partitions.
    pub fn advance_with(&mut self, transport: &mut impl Transport<H::Message>, until: Time) {
        let [partition] = &mut self.partitions[..] else { panic!("one partition is here") };
        threads::work(partition, transport, self.lookahead, until);
    }
}

impl<H: Host, P: Probe> Network<H, P> {
    /// Returns the hosts in the order of partitions.
    pub fn hosts(&self) -> impl Iterator<Item = &H> {
        self.partitions.iter().map(|partition| &partition.host)
    }

    /// Returns the hosts in the order of partitions.
    pub fn hosts_mut(&mut self) -> impl Iterator<Item = &mut H> {
        self.partitions.iter_mut().map(|partition| &mut partition.host)
    }

    /// Returns the probes in the order of partitions.
    pub fn probes(&self) -> impl Iterator<Item = &P> {
        self.partitions.iter().map(|partition| &partition.probe)
    }

    /// Returns the probes in the order of partitions.
    pub fn probes_mut(&mut self) -> impl Iterator<Item = &mut P> {
        self.partitions.iter_mut().map(|partition| &mut partition.probe)
    }

    /// Returns the number of partitions, in all processes.
    #[must_use]
    pub fn partitions(&self) -> u16 {
        self.map.count()
    }

    /// Draws the order of events within one time and phase from now on. Results must not depend on
    /// it. For tests.
    pub fn scramble(&mut self, seed: u64) {
        for partition in &mut self.partitions {
            partition.scramble(seed);
        }
    }

    /// Returns the time of the next event; [`NEVER`] if there is none.
    #[must_use]
    pub fn next_time(&self) -> Time {
        self.partitions.iter().map(Partition::next_time).min().unwrap_or(NEVER)
    }

    /// Returns the time of the last event handled.
    #[must_use]
    pub fn now(&self) -> Time {
        self.partitions.iter().map(Partition::now).max().unwrap_or(0)
    }

    /// Returns the totals so far.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.partitions.iter().map(Partition::totals).fold(Totals::default(), Totals::and)
    }

    /// Returns the number of packets injected and not delivered.
    #[must_use]
    pub fn packets_in_flight(&self) -> u64 {
        self.partitions.iter().map(Partition::packets_in_flight).sum()
    }

    /// Returns the number of wakes dropped because an earlier wake had replaced them.
    #[must_use]
    pub fn overtaken_events(&self) -> u64 {
        self.partitions.iter().map(Partition::overtaken_events).sum()
    }

    /// Returns the topology.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        self.partitions[0].topology()
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &FabricConfig {
        self.partitions[0].config()
    }

    /// Returns the routers of the partitions here.
    #[must_use]
    pub fn routers(&self) -> Range<u32> {
        let (first, last) = self.ends();
        self.map.routers(first).start..self.map.routers(last).end
    }

    /// Returns the NICs of the partitions here.
    #[must_use]
    pub fn terminals(&self) -> Range<u32> {
        let (first, last) = self.ends();
        self.map.terminals(first).start..self.map.terminals(last).end
    }

    /// Returns the first and the last partition here.
    fn ends(&self) -> (u16, u16) {
        let first = self.partitions[0].fabric.setup.number;
        (first, first + (self.partitions.len() - 1) as u16)
    }

    fn partition_of_router(&self, router: u32) -> &Partition<H, P> {
        &self.partitions
            [usize::from(self.map.of_router(router) - self.partitions[0].fabric.setup.number)]
    }

    fn partition_of_terminal(&self, terminal: u32) -> &Partition<H, P> {
        &self.partitions
            [usize::from(self.map.of_terminal(terminal) - self.partitions[0].fabric.setup.number)]
    }

    /// Returns the counters of output port `port` of `router`, a router here, at `now`. All events
    /// before `now` must have been handled.
    #[must_use]
    pub fn link_counters(&self, router: u32, port: u16, now: Time) -> LinkCounters {
        self.partition_of_router(router).link_counters_at(router, port, now)
    }

    /// Returns the stall of output port `port` of `router`, a router here, at `now`, each stall from
    /// the last packet on that came into the output buffer meanwhile. SST's merlin counts stalls so
    /// (`output_port_stalls`). All events before `now` must have been handled.
    #[must_use]
    pub fn stall_after_arrival(&self, router: u32, port: u16, now: Time) -> Time {
        self.partition_of_router(router).stall_after_arrival_at(router, port, now)
    }

    /// Returns the counters of a NIC's injection link at `now`.
    #[must_use]
    pub fn injection_counters(&self, terminal: u32, now: Time) -> LinkCounters {
        self.partition_of_terminal(terminal).injection_counters_at(terminal, now)
    }

    /// Returns the traffic of each job on output port `port` of `router`, a router here, at `now`.
    /// All events before `now` must have been handled.
    pub fn link_jobs(&self, router: u32, port: u16, now: Time) -> impl Iterator<Item = JobTraffic> {
        self.partition_of_router(router).link_jobs_at(router, port, now)
    }

    /// Returns the traffic of each job on the injection link of `terminal`, a NIC here, at `now`.
    /// All events before `now` must have been handled.
    pub fn injection_jobs(&self, terminal: u32, now: Time) -> impl Iterator<Item = JobTraffic> {
        self.partition_of_terminal(terminal).injection_jobs_at(terminal, now)
    }

    /// Starts NICs again `now`, because their hosts have moved what they wait for. They are NICs
    /// here, in order, each with the time at which it was to start, if nothing else is due there
    /// then. All events before `now` must have been handled.
    pub fn start_again(&mut self, terminals: &[(u32, Option<Time>)], now: Time) {
        let gone: BTreeSet<(u32, Time)> =
            terminals.iter().filter_map(|&(terminal, due)| Some((terminal, due?))).collect();
        for partition in &mut self.partitions {
            partition.forget_starts(&gone);
        }
        let mut numbers: Vec<u32> = terminals.iter().map(|&(terminal, _)| terminal).collect();
        numbers.dedup();
        for terminal in numbers {
            let part = usize::from(
                self.map.of_terminal(terminal) - self.partitions[0].fabric.setup.number,
            );
            self.partitions[part].start(terminal, now);
        }
    }

    /// Records the links from now on, by job and in these details, in windows of which the first
    /// ends at `ends`. Call it before the first event.
    pub fn watch_ports(
        &mut self,
        ends: Time,
        traffic: TrafficDetail,
        buffer: impl Fn(WatchedLink) -> BufferDetail,
    ) {
        for partition in &mut self.partitions {
            partition.watch_ports(ends, traffic, &buffer);
        }
    }

    /// Ends a window of the record of links at `now`: calls `take` with the counts of each link
    /// here that has any. The next window ends at `next`. Without one, the record ends, and what
    /// starts later counts in this window. All events before `now` must have been handled. Returns
    /// whether anything has gone on here in the window.
    pub fn close_ports(
        &mut self,
        now: Time,
        next: Option<Time>,
        take: &mut impl FnMut(WatchedLink, LinkCount),
    ) -> bool {
        let mut goes_on = false;
        for partition in &mut self.partitions {
            goes_on |= partition.close_ports(now, next, take);
        }
        goes_on
    }

    /// Goes on with the window of the record of links that ends at `ends`, if nothing has gone on
    /// in the last one.
    pub fn skip_ports(&mut self, ends: Time) {
        self.partitions.iter_mut().for_each(|partition| partition.skip_ports(ends));
    }

    /// Returns the learned tables, as [`Partition::estimates`].
    #[must_use]
    pub fn estimates(&self) -> QTable {
        QTable::joined(self.partitions.iter().map(Partition::estimates))
    }

    /// Replaces the tables of all routers by `estimates`.
    ///
    /// # Panics
    /// If the tables are for another network.
    pub fn start_from(&mut self, estimates: &QTable) {
        for partition in &mut self.partitions {
            partition.start_from(estimates);
        }
    }

    /// Applies all feedback before `until`, as [`Partition::learn_before`].
    pub fn learn_before(&mut self, until: Time) {
        for partition in &mut self.partitions {
            partition.learn_before(until);
        }
    }

    /// Sums feedback per window of this length, in ps, from now on.
    pub fn record_learning(&mut self, window: Time) {
        for partition in &mut self.partitions {
            partition.record_learning(window);
        }
    }

    /// Returns the recorded windows of learning in order of time.
    #[must_use]
    pub fn learning_windows(&self) -> Vec<LearningWindow> {
        LearningWindow::summed(self.partitions.iter().flat_map(Partition::learning_windows))
    }

    /// Records the paths of the packets of a choice, as [`Partition::record_paths`].
    pub fn record_paths(&mut self, choice: &PacketChoice) {
        for partition in &mut self.partitions {
            partition.record_paths(choice.clone());
        }
    }

    /// Brings the times of the choice of packets with paths forward, as
    /// [`PacketChoice::bring_forward`].
    pub fn bring_paths_forward(&mut self, now: Time, by: Time) {
        self.partitions.iter_mut().for_each(|partition| partition.bring_paths_forward(now, by));
    }

    /// Records the waiting time of each job by the job that causes it, as
    /// [`Partition::record_blame`].
    pub fn record_blame(&mut self, window: Time, detail: BlameDetail) {
        for partition in &mut self.partitions {
            partition.record_blame(window, detail);
        }
    }

    /// Returns the waiting times up to `now`, as [`Partition::blame_until`].
    pub fn blame_until(&mut self, now: Time) -> Vec<BlameCell> {
        BlameCell::summed(self.partitions.iter_mut().flat_map(|part| part.blame_until(now)))
    }

    /// Returns the waiting times up to `now` by groups and by link, as
    /// [`Partition::blamed_places_until`].
    pub fn blamed_places_until(&mut self, now: Time) -> (Places, Places) {
        let parts = self.partitions.iter_mut().map(|part| part.blamed_places_until(now));
        let both = parts.reduce(|one, other| (one.0.and(other.0), one.1.and(other.1)));
        both.unwrap_or_default()
    }

    /// Returns the bytes of memory that the network holds, without hosts and topology.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.partitions.iter().map(Partition::memory).sum()
    }

    /// Returns the conservation counts of the partitions here.
    ///
    /// # Panics
    /// Never: a network has a partition.
    #[must_use]
    pub fn counts(&self) -> ConservationCounts {
        let [first, rest @ ..] = &self.partitions[..] else {
            unreachable!("a network has a partition")
        };
        let counts = |partition: &Partition<H, P>| partition.fabric.counts();
        rest.iter().map(counts).fold(counts(first), ConservationCounts::and)
    }

    /// Audits the network, as [`Partition::audit`].
    #[must_use]
    pub fn audit(&self) -> Audit {
        self.counts().audit()
    }

    /// Returns the input VCs in which packets wait, for [`Diagnosis::of`].
    #[must_use]
    pub fn held(&self) -> Vec<Held> {
        self.partitions.iter().flat_map(|partition| partition.fabric.held()).collect()
    }

    /// Diagnoses a network that has stopped moving, as [`Partition::diagnose`].
    #[must_use]
    pub fn diagnose(&self) -> Diagnosis {
        Diagnosis::of(self.held(), self.packets_in_flight())
    }
}
