//! Readings of a partition: time, totals, counters of links, learned tables, memory.

use crate::config::FabricConfig;
use crate::fabric::Fabric;
use crate::host::Host;
use crate::partition::audit::{Audit, Diagnosis};
use crate::partition::messages::{FabricMessages, PartitionMessages};
use crate::partition::{Partition, Totals};
use crate::probe::Probe;
use crate::store::counters::JobTraffic;
use crate::store::port::{LinkCounters, LinkEnd, OutPort};
use crate::variant::General;
use crate::watch::blame::{BlameCell, BlameDetail, BlameSize, BlameWatch, Places};
use crate::watch::buffers::Buffers;
use crate::watch::crowding::{CrowdedLinks, NEVER_CROWDED, Thresholds};
use crate::watch::downstream::DownstreamFlits;
use crate::watch::paths::{PacketChoice, PathWatch};
use crate::watch::ports::{
    BufferDetail, LinkCount, PortWatch, TrafficDetail, TrafficGroups, WatchedLink,
};
use pantala_engine::{NEVER, ProvenArray, Time, Wheel};
use pantala_routing::learning::{LearningWindow, QTable};
use pantala_topology::Topology;

impl<H: Host, P: Probe> Partition<H, P> {
    /// Draws the order of events within one time and phase from now on. Results must not depend on
    /// it. For tests.
    pub fn scramble(&mut self, seed: u64) {
        for wheel in self.fabric.agenda.wheels_mut() {
            wheel.scramble(seed);
        }
    }

    /// Returns the time of the next event; [`pantala_engine::NEVER`] if there is none.
    pub fn next_time(&self) -> Time {
        self.fabric.agenda.wheels().map(Wheel::next_time).min().unwrap_or(NEVER)
    }

    /// Returns the time of the last event handled.
    #[must_use]
    pub fn now(&self) -> Time {
        self.fabric.agenda.latest.max(self.fabric.agenda.now)
    }

    /// Returns the totals so far, summed over all ports.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.fabric.totals()
    }

    /// Returns the events handled so far, those of dropped wakes included.
    pub(crate) fn events(&self) -> u64 {
        self.fabric.agenda.events()
    }

    /// Returns the number of packets injected and not delivered.
    #[must_use]
    pub fn packets_in_flight(&self) -> u64 {
        self.fabric.packets.live() as u64
            - self.fabric.worms.leading()
            - self.fabric.counters.responses_waiting
    }

    /// Returns the number of responses that wait in NICs for the injection link.
    #[must_use]
    pub fn responses_waiting(&self) -> u64 {
        self.fabric.counters.responses_waiting
    }

    /// Returns the number of wakes dropped because an earlier wake had replaced them.
    #[must_use]
    pub fn overtaken_events(&self) -> u64 {
        self.fabric.agenda.overtaken
    }

    /// Returns the topology.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        &self.fabric.setup.topology
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &FabricConfig {
        &self.fabric.setup.config
    }

    /// Returns the number of output port `port` of `router`.
    fn link(&self, router: u32, port: u16) -> usize {
        router as usize * self.fabric.setup.ports as usize + usize::from(port)
    }

    /// Returns the counters of output port `port` of `router`.
    #[must_use]
    pub fn link_counters(&self, router: u32, port: u16) -> LinkCounters {
        self.link_counters_at(router, port, self.now())
    }

    /// Returns the same at `now`. All events before `now` must have been handled.
    pub(crate) fn link_counters_at(&self, router: u32, port: u16, now: Time) -> LinkCounters {
        let port = self.fabric.ports.out_ports.checked(self.link(router, port));
        port.counters.at(port.stalled_since, now)
    }

    /// Returns the stall of output port `port` of `router`, each stall from the last packet on that
    /// came into the output buffer meanwhile.
    #[must_use]
    pub fn stall_after_arrival(&self, router: u32, port: u16) -> Time {
        self.stall_after_arrival_at(router, port, self.now())
    }

    /// Returns the same at `now`. All events before `now` must have been handled.
    pub(crate) fn stall_after_arrival_at(&self, router: u32, port: u16, now: Time) -> Time {
        let link = self.link(router, port);
        let since = self.fabric.ports.out_ports.checked(link).stalled_since;
        self.fabric.counters.after_arrival.checked(link).at(since, now)
    }

    /// Returns the counters of a NIC's injection link.
    #[must_use]
    pub fn injection_counters(&self, terminal: u32) -> LinkCounters {
        self.injection_counters_at(terminal, self.now())
    }

    /// Returns the same at `now`. All events before `now` must have been handled.
    pub(crate) fn injection_counters_at(&self, terminal: u32, now: Time) -> LinkCounters {
        let nic = self.fabric.nics.nics.checked(terminal as usize);
        nic.counters.at(nic.stalled_since, now)
    }

    /// Returns the traffic of each job on output port `port` of `router` at `now`. All events
    /// before `now` must have been handled.
    pub(crate) fn link_jobs_at(
        &self,
        router: u32,
        port: u16,
        now: Time,
    ) -> impl Iterator<Item = JobTraffic> {
        let link = self.link(router, port);
        let port = self.fabric.ports.out_ports.checked(link);
        let stalled = (port.stalled_since, port.stalled_job);
        self.job_row(&self.fabric.counters.jobs, link, port.counters, stalled, now)
    }

    /// Returns the traffic of each job on a NIC's injection link at `now`. All events before `now`
    /// must have been handled.
    pub(crate) fn injection_jobs_at(
        &self,
        terminal: u32,
        now: Time,
    ) -> impl Iterator<Item = JobTraffic> {
        let nic = self.fabric.nics.nics.checked(terminal as usize);
        let stalled = (nic.stalled_since, nic.stalled_job);
        self.job_row(&self.fabric.counters.nic_jobs, terminal as usize, nic.counters, stalled, now)
    }

    fn job_row(
        &self,
        traffic: &ProvenArray<JobTraffic>,
        link: usize,
        total: LinkCounters,
        (stalled_since, stalled_job): (Time, u16),
        now: Time,
    ) -> impl Iterator<Item = JobTraffic> {
        let jobs = usize::from(self.fabric.setup.config.jobs);
        let single = [JobTraffic { bytes: total.bytes, stall: total.stall }];
        let row = if traffic.is_empty() { None } else { Some(traffic.run(link * jobs, jobs)) };
        (0..jobs).map(move |job| {
            let mut traffic = row.map_or(single[0], |row| row[job]);
            if stalled_since != NEVER && usize::from(stalled_job) == job {
                traffic.stall += now.saturating_sub(stalled_since);
            }
            traffic
        })
    }

    /// Returns the learned tables, with all feedback up to the last call of [`Self::learn_before`].
    /// They are empty in a network without `q_adaptive`.
    #[must_use]
    pub fn estimates(&self) -> &QTable {
        self.fabric.learning.table()
    }

    /// Replaces the tables of all routers by `estimates`.
    ///
    /// # Panics
    /// If the tables are for another network.
    pub fn start_from(&mut self, estimates: &QTable) {
        self.fabric.learning.start_from(estimates);
    }

    /// Applies all feedback before `until`. All events before `until` must have been handled. Later
    /// results do not depend on this call.
    pub fn learn_before(&mut self, until: Time) {
        self.fabric.learning.apply_before(until);
    }

    /// Sums feedback per window of this length, in ps, from now on.
    pub fn record_learning(&mut self, window: Time) {
        self.fabric.learning.record(window);
    }

    /// Returns the recorded windows of learning in order of time.
    #[must_use]
    pub fn learning_windows(&self) -> &[LearningWindow] {
        self.fabric.learning.windows()
    }

    /// Records the links from now on, in these details and in windows of which the first ends at
    /// `ends`.
    pub(crate) fn watch_ports(
        &mut self,
        ends: Time,
        traffic: TrafficDetail,
        buffer: impl Fn(WatchedLink) -> BufferDetail,
    ) {
        let Fabric { setup, ports, nics, observer, .. } = &mut self.fabric;
        let (routers, terminals) =
            (setup.partitions.routers(setup.number), setup.partitions.terminals(setup.number));
        let outputs = (routers.start * setup.ports) as usize..(routers.end * setup.ports) as usize;
        let terminals = terminals.start as usize..terminals.end as usize;
        let links = outputs.len() + terminals.len();
        let groups = match traffic {
            TrafficDetail::Classes => TrafficGroups::classes(links, |link| {
                (link < outputs.len()).then(|| {
                    let out = (outputs.start + link) as u32;
                    setup.topology.class_of(out / setup.ports, (out % setup.ports) as u16)
                })
            }),
            TrafficDetail::Links => TrafficGroups::each(links, false),
            TrafficDetail::Vcs => TrafficGroups::each(links, true),
        };
        let full = setup.stages.room::<General>(setup.stages.full);
        let (vcs, room) = (setup.vcs, setup.config.router.input_buffer);
        // The credits at first; none of a NIC that never runs out of room and has no account of it.
        let initial = |link: usize| match link.checked_sub(outputs.len()) {
            Some(nic) => {
                nics.account(setup, (terminals.start + nic) as u32, 0).map(|credits| credits.left())
            }
            None => matches!(
                ports.out_ports[outputs.start + link].end,
                LinkEnd::Router | LinkEnd::SingleRouter | LinkEnd::Nic
            )
            .then(|| ports.out_vcs[(outputs.start + link) * vcs].credits.left()),
        };
        let initial: Vec<Option<i32>> = (0..links).map(initial).collect();
        let details: Vec<BufferDetail> = (0..links)
            .map(|link| match link.checked_sub(outputs.len()) {
                None => buffer(WatchedLink::Output(outputs.start + link)),
                Some(nic) => buffer(WatchedLink::Injection((terminals.start + nic) as u32)),
            })
            .collect();
        let thresholds = Thresholds {
            vcs,
            lacks_from: room.saturating_sub(full).saturating_add(1) as i32,
            full: full as i32,
            before_start: setup.stages.taken_before_start(),
        };
        let flits = |by_vc| Some(Box::new(DownstreamFlits::new(vcs, by_vc, room, full)));
        let counted = details.iter().zip(&initial).map(|(detail, initial)| match detail {
            _ if initial.is_none() => None,
            BufferDetail::Nothing | BufferDetail::Full => None,
            BufferDetail::All => flits(false),
            BufferDetail::Vcs => flits(true),
        });
        let counted = counted.collect();
        let initial = initial.iter().map(|initial| initial.unwrap_or(NEVER_CROWDED)).collect();
        let buffers = Buffers::new(details, CrowdedLinks::new(thresholds, initial), counted);
        let first_response = setup.config.responses.map_or(u8::MAX, |r| r.first_routing);
        observer.ports = Some(Box::new(PortWatch::new(
            (outputs, terminals),
            (setup.vcs, usize::from(setup.config.jobs)),
            first_response,
            (groups, buffers),
            ends,
        )));
        observer.records = true;
    }

    /// Ends a window of the record of links: see [`PortWatch::close`].
    pub(crate) fn close_ports(
        &mut self,
        now: Time,
        next: Option<Time>,
        take: &mut impl FnMut(WatchedLink, LinkCount),
    ) -> bool {
        self.fabric.observer.ports.as_mut().is_some_and(|ports| ports.close(now, next, take))
    }

    /// See [`PortWatch::skip`].
    pub(crate) fn skip_ports(&mut self, ends: Time) {
        if let Some(ports) = &mut self.fabric.observer.ports {
            ports.skip(ends);
        }
    }

    /// Records who causes the waiting time of whom, in windows of this length, in ps, from now on,
    /// and at which places. Call it before the first event.
    pub fn record_blame(&mut self, window: Time, detail: BlameDetail) {
        let Fabric { setup, ports, nics, observer, .. } = &mut self.fabric;
        let size = BlameSize {
            ports: (ports.out_ports.first(), ports.out_ports.len()),
            terminals: (nics.nics.first(), nics.nics.len()),
            vcs: setup.vcs,
            jobs: setup.config.jobs.into(),
            buffer: setup.config.router.input_buffer,
        };
        let numbered = (ports.out_ports.first() as u32..).zip(ports.out_ports.iter());
        let classes = numbered.map(|(number, port): (u32, &OutPort)| {
            setup.network().class_of(number / setup.ports, port.port) as u8
        });
        let record = BlameWatch::new(&size, classes, &setup.topology, (window, detail));
        observer.blame = Some(Box::new(record));
        observer.records = true;
    }

    /// Records the paths of the packets of a choice from now on. Call it before the first event.
    pub fn record_paths(&mut self, choice: PacketChoice) {
        let Fabric { setup, observer, .. } = &mut self.fabric;
        let stored_flit =
            if setup.stages.stores::<General>() { setup.stages.stored_flit } else { 0 };
        let first_response = setup.config.responses.map_or(u8::MAX, |r| r.first_routing);
        observer.paths = Some(Box::new(PathWatch::new(choice, stored_flit, first_response)));
        observer.records = true;
    }

    /// See [`PacketChoice::bring_forward`].
    pub(crate) fn bring_paths_forward(&mut self, now: Time, by: Time) {
        if let Some(paths) = &mut self.fabric.observer.paths {
            paths.bring_forward(now, by);
        }
    }

    /// Returns the waiting times up to `now` by window, class, victim and aggressor. Empty without
    /// [`Self::record_blame`]. All events before `now` must have been handled.
    pub fn blame_until(&mut self, now: Time) -> Vec<BlameCell> {
        self.fabric.observer.blame.as_mut().map_or_else(Vec::new, |blame| blame.cells(now))
    }

    /// Returns the waiting times up to `now` by groups and by link, as [`Self::blame_until`]. Empty
    /// if they are not recorded.
    pub fn blamed_places_until(&mut self, now: Time) -> (Places, Places) {
        self.fabric.observer.blame.as_mut().map(|blame| blame.places(now)).unwrap_or_default()
    }

    /// Counts every packet and credit anew and compares them with the counters.
    ///
    /// Reads all state (queues, events, accounts), and no totals but those that it checks.
    #[must_use]
    pub fn audit(&self) -> Audit {
        self.fabric.counts().audit()
    }

    /// Returns the longest chain of packets that wait for each other, for a run that has stopped
    /// moving: one line per packet, and whether the chain closes.
    #[must_use]
    pub fn diagnose(&self) -> Diagnosis {
        Diagnosis::of(self.fabric.held(), self.packets_in_flight())
    }

    /// Returns the bytes of memory that the partition holds, without hosts and topology.
    #[must_use]
    pub fn memory(&self) -> usize {
        let Fabric {
            setup: _,
            agenda,
            packets,
            ports,
            bookings,
            requests,
            arbiters,
            nics,
            worms,
            learning,
            counters,
            observer,
            outbox,
        } = &self.fabric;
        agenda.wheels().map(Wheel::memory).sum::<usize>()
            + packets.memory()
            + ports.memory()
            + bookings.memory()
            + requests.memory()
            + arbiters.memory()
            + nics.memory()
            + worms.memory()
            + learning.memory()
            + counters.memory()
            + observer.memory()
            + outbox.iter().map(FabricMessages::memory).sum::<usize>()
            + self.spare_messages.iter().map(PartitionMessages::memory).sum::<usize>()
    }
}

impl Fabric {
    /// Returns the totals so far, summed over all ports.
    pub(crate) fn totals(&self) -> Totals {
        let injected =
            |f: fn(&LinkCounters) -> u64| self.nics.nics.iter().map(|nic| f(&nic.counters)).sum();
        Totals {
            events: self.agenda.events() - self.agenda.overtaken,
            packets_injected: injected(|c| c.packets),
            packets_delivered: self.counters.packets_delivered,
            flits_injected: injected(|c| c.flits),
            flits_delivered: self.counters.flits_delivered,
            packet_hops: self.ports.out_ports.iter().map(|port| port.counters.packets).sum(),
        }
    }
}
