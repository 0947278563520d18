//! The records of a running simulation, and when the tables get them.

use super::Simulation;
use crate::error::WriteError;
use crate::output::columns::Written;
use crate::output::latency_record::{LatencyKind, LatencyWindow};
use crate::output::link_record::LinkRows;
use crate::output::streamed_tables::{Records, StreamedTables, take_before};
use crate::plan::PacketRecord;
use crate::run::process_group::ProcessGroup;
use pantala_engine::{NEVER, Time};
use std::path::Path;
use std::sync::Arc;

/// The packets after which their rows are written before the end of the window.
const PACKETS_HELD: u64 = 16_384;

impl<Q: ProcessGroup> Simulation<Q> {
    /// Writes the tables to the existing `directory`: streamed tables during the run, the others in
    /// [`document::write`](crate::run::document::write). Call it before the run. Without the
    /// call, tables are only hashed.
    ///
    /// # Errors
    /// A [`WriteError`] that names the file.
    ///
    /// # Panics
    /// If the run has begun, because its first rows are gone.
    pub fn write_to(&mut self, directory: &Path) -> Result<(), WriteError> {
        assert!(self.until == 0, "a run is written from its beginning");
        self.tables = StreamedTables::new(Some(directory), self.plan.record.window_ps)?;
        self.directory = Some(directory.to_owned());
        Ok(())
    }

    /// Takes the packets per job from the local recorders.
    pub(super) fn take_jobs(&mut self) {
        for recorder in self.network.probes_mut() {
            for (mine, theirs) in self.jobs.iter_mut().zip(&mut recorder.jobs) {
                mine.absorb(std::mem::take(theirs));
            }
        }
    }

    /// Moves the records completed before `time` from all partitions and processes to the tables.
    /// `time` is the end of a window, or later than the run.
    pub(super) fn write_records(&mut self, time: Time) {
        if time <= self.written {
            return;
        }
        self.written = time;
        self.take_packets();
        self.take_latencies(time);
        for recorder in self.network.probes_mut() {
            recorder.take_nic_windows(time, &mut self.records.nic_windows);
        }
        self.max_held = self.max_held.max(self.records.len());
        let here = self.records.take_before(time);
        let here = self.as_shown(here);
        if let Some(all) = self.peers.gather(here) {
            self.tables.append(all.into_iter().reduce(Records::and).unwrap_or_default());
        }
    }

    /// Moves the rows of the packets that were delivered before `time` to their tables, if there
    /// are many. Their order does not depend on windows, so memory need not hold a window of them.
    /// `delivered` counts the packets of all processes, and all events before `time` are handled.
    pub(super) fn write_packets(&mut self, time: Time, delivered: u64) {
        let recorded = self.plan.record.packets != PacketRecord::Off;
        if !recorded || delivered < self.packets_written + PACKETS_HELD {
            return;
        }
        self.packets_written = delivered;
        let mut here = Records::default();
        self.take_packets();
        self.max_held = self.max_held.max(self.records.len());
        here.packets = take_before(&mut self.records.packets, time);
        here.packet_hops = take_before(&mut self.records.packet_hops, time);
        let here = self.as_shown(here);
        if let Some(all) = self.peers.gather(here) {
            self.tables.append(all.into_iter().reduce(Records::and).unwrap_or_default());
        }
    }

    /// Returns records at the times that the run shows, and numbers their iterations.
    fn as_shown(&self, mut records: Records) -> Records {
        let Some(skipper) = self.skipper.as_ref().filter(|skipper| !skipper.timeline.is_empty())
        else {
            return records;
        };
        records.iterations.iter_mut().for_each(|record| skipper.renumber(record));
        records.shift(|time| skipper.timeline.skipped_at(time));
        records
    }

    /// Takes the rows of packets from the local recorders.
    fn take_packets(&mut self) {
        for recorder in self.network.probes_mut() {
            self.records.packets.append(&mut recorder.rows.packets);
            self.records.packet_hops.append(&mut recorder.rows.hops);
        }
    }

    /// Takes the windows of latencies that end by `time`.
    fn take_latencies(&mut self, time: Time) {
        let length = self.plan.record.latency_windows_ps;
        if length == 0 {
            return;
        }
        let windows = &mut self.records.latency_windows;
        for recorder in self.network.probes_mut() {
            recorder.take_latency_windows(time, windows);
        }
        let kind = LatencyKind::Message;
        for host in self.network.hosts_mut() {
            let complete = host.take_latency_windows(time);
            windows.extend(complete.map(|(job, start, sketch)| LatencyWindow {
                start,
                length,
                job,
                kind,
                sketch,
            }));
        }
    }

    /// Records the traffic of each link and job in the window of the links that ends `now`. Returns
    /// whether a link has stalled in it.
    pub(super) fn close_window(&mut self, now: Time) -> bool {
        if self.link_traffic.is_off() {
            return false;
        }
        let (network, known, windows) =
            (&self.network, &mut self.link_traffic, &mut self.records.link_windows);
        let (routers, ports) =
            (network.topology().routers(), network.topology().ports_per_router());
        let mut stalls = false;
        for router in network.routers() {
            for port in 0..ports {
                let link = router * ports + port;
                let counters = network.link_counters(router, port as u16, now);
                let traffic = || network.link_jobs(router, port as u16, now);
                stalls |= known.take(link, counters, traffic, windows);
            }
        }
        for node in network.terminals() {
            let link = routers * ports + node;
            let counters = network.injection_counters(node, now);
            let traffic = || network.injection_jobs(node, now);
            stalls |= known.take(link, counters, traffic, windows);
        }
        stalls
    }

    /// Ends a window of the records of links at `now`, or all of them at the end of the run. The
    /// next event is at `next_event`.
    pub(super) fn close_links(&mut self, now: Time, next_event: Time, last: bool) {
        let Some(record) = &mut self.link_record else { return };
        let topology = Arc::clone(&self.topology);
        let next = (!last).then(|| record.after(true, next_event));
        let mut take = |link, count| record.take(&topology, link, count);
        let goes_on = self.network.close_ports(now, next, &mut take);
        let next = match next {
            Some(next) if !goes_on && next_event >= next && next_event < NEVER => {
                let later = record.after(false, next_event);
                self.network.skip_ports(later);
                Some(later)
            }
            next => next,
        };
        let Records { port_windows, class_windows, router_windows, .. } = &mut self.records;
        let rows =
            LinkRows { ports: port_windows, classes: class_windows, routers: router_windows };
        record.close(now, next, rows);
    }

    /// Returns the end of the current window of the records of links.
    pub(super) fn links_end(&self) -> Time {
        self.link_record.as_ref().map_or(NEVER, |record| record.ends)
    }

    /// Returns the largest number of records that waited for the end of their window at a time.
    #[must_use]
    pub const fn max_records_held(&self) -> usize {
        self.max_held
    }

    /// Completes the streamed tables. If one could not be written to its end, the fault is returned
    /// with them.
    pub(crate) fn finish_tables(
        &mut self,
    ) -> Result<(Vec<Written>, Option<WriteError>), WriteError> {
        let hashed = StreamedTables::hashed(self.plan.record.window_ps);
        std::mem::replace(&mut self.tables, hashed).finish()
    }

    /// Returns the run directory, if there is one.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }
}
