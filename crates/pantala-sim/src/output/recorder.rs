//! Records the packets of a simulation: latencies and bytes per job, time series, and single
//! packets.

use crate::output::latency_record::{LatencyKind, LatencyWindow};
use crate::output::nic_record::{NicWindow, NicWindows};
use crate::output::packet_record::PacketRows;
use crate::output::routing_record::RoutingWindow;
use crate::output::span_counts::{SpanCount, Spans};
use crate::plan::{LatencyFrom, RecordPlan};
use pantala_engine::{NEVER, Time};
use pantala_fabric::packet::{Packet, PacketOrigin};
use pantala_fabric::{JobTraffic, MessageLabel, Network, PathHop, Probe};
use pantala_mpi::{LatencyStatistics, LatencyWindows, scaled};
use pantala_workload::Endpoints;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A network with its hosts and recorders.
pub type Net = Network<Endpoints, Recorder>;

/// The packets of one job.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct JobPackets {
    /// Packets that count: delivered in the measured time, or injected in it
    /// ([`Recorder::count_injected`]).
    pub packets: u64,
    /// Their payload.
    pub delivered_bytes: u64,
    /// Flits delivered in the measured time.
    pub flits: u64,
    /// Number of links between routers that the packets crossed.
    pub hops: u64,
    /// Packets on a non-minimal path.
    pub nonminimal: u64,
    /// From creation (or entry into the NIC) to delivery.
    pub latency: LatencyStatistics,
    /// From the head's start on the injection link to delivery.
    pub network_latency: LatencyStatistics,
    /// Responses that count by the same rule. The fields above exclude them.
    pub responses: u64,
    /// From the head's start on the request's injection link to the delivery of the response.
    pub request_response_latency: LatencyStatistics,
    /// Bytes and packets over time, in order. Windows without an event are left out.
    pub windows: Vec<JobWindow>,
    /// Paths over time, in order, if the plan records them. Windows without a packet are left out.
    pub routing: Vec<RoutingWindow>,
    /// All packets delivered in each span of a measurement; empty in other runs.
    pub spans: Vec<SpanCount>,
    /// Payload that was injected in skipped time, which has no windows.
    pub skipped_injected_bytes: u64,
}

impl JobPackets {
    /// Returns the counts alone.
    pub(crate) fn without_windows(&self) -> Self {
        Self {
            latency: self.latency.clone(),
            network_latency: self.network_latency.clone(),
            request_response_latency: self.request_response_latency.clone(),
            windows: Vec::new(),
            routing: Vec::new(),
            spans: Vec::new(),
            ..*self
        }
    }

    /// Returns the payload whose head has started on an injection link.
    pub(crate) fn injected_bytes(&self) -> u64 {
        self.windows.iter().map(|window| window.injected_bytes).sum()
    }

    /// Returns a share of what was counted since an `earlier` state.
    pub(crate) fn since(&self, earlier: &Self, share: (u128, u128)) -> Self {
        let more = |of: fn(&Self) -> u64| scaled(of(self) - of(earlier), share);
        let latency =
            |of: fn(&Self) -> &LatencyStatistics| of(self).since(of(earlier)).weighted(share);
        Self {
            packets: more(|of| of.packets),
            delivered_bytes: more(|of| of.delivered_bytes),
            flits: more(|of| of.flits),
            hops: more(|of| of.hops),
            nonminimal: more(|of| of.nonminimal),
            latency: latency(|of| &of.latency),
            network_latency: latency(|of| &of.network_latency),
            responses: more(|of| of.responses),
            request_response_latency: latency(|of| &of.request_response_latency),
            ..Self::default()
        }
    }

    /// Adds the counts of another recorder.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.packets += other.packets;
        self.delivered_bytes += other.delivered_bytes;
        self.flits += other.flits;
        self.hops += other.hops;
        self.nonminimal += other.nonminimal;
        self.latency.add(&other.latency);
        self.network_latency.add(&other.network_latency);
        self.responses += other.responses;
        self.skipped_injected_bytes += other.skipped_injected_bytes;
        self.request_response_latency.add(&other.request_response_latency);
        self.routing = RoutingWindow::summed(std::mem::take(&mut self.routing), other.routing);
        self.spans.resize(self.spans.len().max(other.spans.len()), SpanCount::default());
        for (span, more) in self.spans.iter_mut().zip(&other.spans) {
            span.add(more);
        }
        let mut windows = BTreeMap::new();
        for window in self.windows.drain(..).chain(other.windows) {
            let sum: &mut JobWindow = windows
                .entry(window.number)
                .or_insert(JobWindow { number: window.number, ..JobWindow::default() });
            sum.injected_bytes += window.injected_bytes;
            sum.delivered_bytes += window.delivered_bytes;
            sum.packets += window.packets;
            sum.nonminimal += window.nonminimal;
            sum.latency_sum += window.latency_sum;
        }
        self.windows = windows.into_values().collect();
    }
}

/// One job in one window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobWindow {
    /// The window's number, from 0.
    pub number: u64,
    /// Payload whose head started on an injection link.
    pub injected_bytes: u64,
    /// Payload delivered.
    pub delivered_bytes: u64,
    /// Packets delivered.
    pub packets: u64,
    /// Delivered packets on a non-minimal path.
    pub nonminimal: u64,
    /// Sum of their latencies in ps.
    pub latency_sum: u128,
}

/// Traffic of one job on one link in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkWindow {
    /// `router * ports + port`, or `routers * ports + node` of an injection link.
    pub link: u32,
    /// Start of the window.
    pub start: Time,
    /// Job.
    pub job: u16,
    /// Traffic in the window.
    pub traffic: JobTraffic,
}

/// The recorder of one partition.
#[derive(Clone, Debug)]
pub struct Recorder {
    window: Time,
    from: Time,
    /// End of the measured time, if packets count by their injection and not by their delivery.
    injected_until: Option<Time>,
    /// The spans of a measurement.
    spans: Option<Spans>,
    latency_from: LatencyFrom,
    /// Length of a window of [`JobPackets::routing`]. Zero: none is recorded.
    routing_window: Time,
    /// Length of the windows of latencies. Zero: none is recorded.
    latency_window: Time,
    /// Whether either is recorded.
    windowed: bool,
    /// By job: packet latency and request-response latency; empty if they are not recorded.
    latencies: Vec<[LatencyWindows; 2]>,
    /// Length of the windows of NICs. Zero: none is recorded.
    nic_window: Time,
    nics: NicWindows,
    /// The packets of each job.
    pub jobs: Vec<JobPackets>,
    /// The record of single packets.
    pub(crate) rows: PacketRows,
    /// Number and start of the window of the latest event.
    current: u64,
    current_starts: Time,
}

impl Recorder {
    /// Returns a recorder for `jobs` jobs. Packets delivered before `from` count in the time series
    /// only.
    #[must_use]
    pub(crate) fn new(
        jobs: usize,
        record: &RecordPlan,
        latency_from: LatencyFrom,
        from: Time,
        rows: PacketRows,
    ) -> Self {
        let window = if record.window_ps == 0 { NEVER } else { record.window_ps };
        Self {
            window,
            from,
            injected_until: None,
            spans: None,
            latency_from,
            routing_window: record.routing_windows_ps,
            latency_window: record.latency_windows_ps,
            windowed: record.routing_windows_ps > 0 || record.latency_windows_ps > 0,
            latencies: if record.latency_windows_ps > 0 {
                vec![Default::default(); jobs]
            } else {
                Vec::new()
            },
            nic_window: record.nic_windows_ps,
            nics: NicWindows::default(),
            jobs: vec![JobPackets::default(); jobs],
            rows,
            current: 0,
            current_starts: 0,
        }
    }

    /// Counts the packets injected from the start of the measured time on, even if they arrive
    /// after its end `until`. Delivered flits still count up to `until`.
    pub fn count_injected(&mut self, until: Time) {
        self.injected_until = Some(until);
    }

    /// Counts all packets that are delivered in `parts` spans before the measured time and in as
    /// many until its end `until`.
    pub(crate) fn count_spans(&mut self, parts: usize, until: Time) {
        let spans = Spans::new(parts, self.from, until);
        for job in &mut self.jobs {
            job.spans = vec![SpanCount::default(); spans.len()];
        }
        self.spans = Some(spans);
    }

    /// Counts a packet that is delivered `now` in the windows of routing and of latencies.
    #[inline(never)]
    fn count_in_windows(&mut self, packet: &Packet, latency: Time, now: Time) {
        let job = usize::from(packet.job);
        if self.routing_window > 0 {
            RoutingWindow::count(&mut self.jobs[job].routing, self.routing_window, packet, now);
        }
        if let Some([windows, _]) = self.latencies.get_mut(job) {
            windows.record(self.latency_window, latency, now);
        }
    }

    /// Moves the windows of latencies that end by `time` to the end of `into`.
    pub(crate) fn take_latency_windows(&mut self, time: Time, into: &mut Vec<LatencyWindow>) {
        let length = self.latency_window;
        for (job, kinds) in (0..).zip(&mut self.latencies) {
            for (kind, windows) in
                [LatencyKind::Packet, LatencyKind::RequestResponse].into_iter().zip(kinds)
            {
                let complete = windows.take_before(length, time);
                into.extend(complete.map(|(start, sketch)| LatencyWindow {
                    start,
                    length,
                    job,
                    kind,
                    sketch,
                }));
            }
        }
    }

    /// Moves the windows of NICs that end by `time` to the end of `into`.
    pub(crate) fn take_nic_windows(&mut self, time: Time, into: &mut Vec<NicWindow>) {
        self.nics.take_before(time, into);
    }

    /// Returns the window of `now` in a job's time series. Between the events of two groups, `now`
    /// may go back by several windows.
    #[inline]
    fn window_mut(&mut self, job: usize, now: Time) -> &mut JobWindow {
        if now.wrapping_sub(self.current_starts) >= self.window {
            self.current = now / self.window;
            self.current_starts = self.current * self.window;
        }
        let windows = &mut self.jobs[job].windows;
        let last = match windows.last() {
            Some(last) if last.number == self.current => windows.len() - 1,
            _ => place_of(windows, self.current),
        };
        &mut windows[last]
    }
}

/// Returns the place of a window, and inserts the window if it is missing.
#[cold]
fn place_of(windows: &mut Vec<JobWindow>, number: u64) -> usize {
    let place =
        windows.iter().rposition(|window| window.number < number).map_or(0, |before| before + 1);
    if windows.get(place).is_none_or(|window| window.number != number) {
        windows.insert(place, JobWindow { number, ..JobWindow::default() });
    }
    place
}

impl Probe for Recorder {
    #[inline]
    fn injected(&mut self, job: u16, bytes: u32, now: Time) {
        self.window_mut(usize::from(job), now).injected_bytes += u64::from(bytes);
    }

    #[inline]
    fn delivered(&mut self, packet: &Packet, origin: &PacketOrigin, now: Time) -> bool {
        let start = match self.latency_from {
            LatencyFrom::Created => origin.created,
            LatencyFrom::Nic => origin.accepted,
            LatencyFrom::Injected => origin.injected,
        };
        let latency = now - start;
        let job = usize::from(packet.job);
        let window = self.window_mut(job, now);
        window.delivered_bytes += u64::from(packet.bytes);
        window.packets += 1;
        window.nonminimal += u64::from(packet.route.nonminimal);
        window.latency_sum += u128::from(latency);
        if let Some(spans) = &self.spans {
            spans.count(&mut self.jobs[job].spans, packet, latency, now);
        }
        if now < self.from {
            return false;
        }
        let seen = &mut self.jobs[job];
        match self.injected_until {
            None => seen.flits += u64::from(packet.flits),
            Some(until) => {
                seen.flits += if now < until { u64::from(packet.flits) } else { 0 };
                if origin.injected < self.from {
                    return false;
                }
            }
        }
        seen.packets += 1;
        seen.delivered_bytes += u64::from(packet.bytes);
        seen.hops += u64::from(packet.route.hops);
        seen.nonminimal += u64::from(packet.route.nonminimal);
        seen.latency.record(latency);
        seen.network_latency.record(now - origin.injected);
        if self.windowed {
            self.count_in_windows(packet, latency, now);
        }
        self.rows.may_have(packet) && self.rows.add(packet, origin, latency, now)
    }

    fn belongs(&mut self, message: Option<MessageLabel>) {
        self.rows.belongs(message);
    }

    fn passed(&mut self, path: &[PathHop]) {
        self.rows.passed(path);
    }

    fn answered(&mut self, packet: &Packet, origin: &PacketOrigin, now: Time) {
        let counted_at = if self.injected_until.is_some() { origin.injected } else { now };
        if counted_at >= self.from {
            let seen = &mut self.jobs[usize::from(packet.job)];
            seen.responses += 1;
            seen.request_response_latency.record(now - origin.accepted);
            if self.latency_window > 0 {
                let [_, windows] = &mut self.latencies[usize::from(packet.job)];
                windows.record(self.latency_window, now - origin.accepted, now);
            }
            if self.nic_window > 0 {
                let node = self.rows.node_of(packet.route.destination);
                self.nics.count(self.nic_window, node, now - origin.accepted, now);
            }
        }
    }
}
