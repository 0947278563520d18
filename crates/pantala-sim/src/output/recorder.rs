//! What a simulation keeps of its packets: latencies and bytes by job, series over time, packets
//! one by one.

use crate::plan::{LatencyFrom, PacketRecord, RecordPlan};
use pantala_engine::{NEVER, Time};
use pantala_fabric::Probe;
use pantala_fabric::packet::{Packet, PacketOrigin};
use pantala_mpi::LatencyStatistics;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The packets of one job.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct JobPackets {
    /// Packets that count: delivered while measuring, or injected then
    /// ([`Recorder::count_injected`]).
    pub packets: u64,
    /// Their payload.
    pub delivered_bytes: u64,
    /// Flits delivered while measuring.
    pub flits: u64,
    /// Links between routers, summed.
    pub hops: u64,
    /// How many took a non-minimal path.
    pub nonminimal: u64,
    /// From creation (or entry into the NIC) to delivery.
    pub latency: LatencyStatistics,
    /// From the head's start on the injection link to delivery.
    pub network_latency: LatencyStatistics,
    /// Responses that count, by the same rule; nothing above counts them.
    pub responses: u64,
    /// From the head's start on the request's injection link to the delivery of the response.
    pub request_response_latency: LatencyStatistics,
    /// Bytes and packets over time: the windows in which anything happened, in order.
    pub windows: Vec<JobWindow>,
}

impl JobPackets {
    /// Adds what others have seen of the job.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.packets += other.packets;
        self.delivered_bytes += other.delivered_bytes;
        self.flits += other.flits;
        self.hops += other.hops;
        self.nonminimal += other.nonminimal;
        self.latency.add(&other.latency);
        self.network_latency.add(&other.network_latency);
        self.responses += other.responses;
        self.request_response_latency.add(&other.request_response_latency);
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
    /// Of them, non-minimal.
    pub nonminimal: u64,
    /// Sum of their latencies in ps.
    pub latency_sum: u128,
}

/// A delivered packet that gets a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DeliveredPacket {
    /// At the destination NIC.
    pub delivered: Time,
    /// Source node.
    pub source: u32,
    /// Creation.
    pub created: Time,
    /// The head's start on the injection link.
    pub injected: Time,
    /// As the job's packet latency counts.
    pub latency: Time,
    /// Destination node.
    pub destination: u32,
    /// Payload.
    pub bytes: u32,
    /// Job.
    pub job: u16,
    /// Links between routers.
    pub hops: u8,
    /// Path.
    pub nonminimal: bool,
}

/// Bytes of one link in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkWindow {
    /// `router * ports + port`, or `routers * ports + node` of an injection link.
    pub link: u32,
    /// When the window starts.
    pub start: Time,
    /// Payload.
    pub bytes: u64,
}

/// The probe of a simulation, or of one part of its machine.
#[derive(Clone, Debug)]
pub struct Recorder {
    window: Time,
    from: Time,
    /// Where packets count by their injection and not by their delivery: the end of the measuring.
    injected_until: Option<Time>,
    latency_from: LatencyFrom,
    /// Record packets whose random word is a multiple of this; zero: none.
    sample: u64,
    /// By job.
    pub jobs: Vec<JobPackets>,
    /// Recorded packets that nobody has taken yet, in the order of delivery for each group of the
    /// machine.
    pub packets: Vec<DeliveredPacket>,
    /// The window of the latest event, and when it starts.
    current: u64,
    current_starts: Time,
}

impl Recorder {
    /// A recorder for `jobs` jobs; packets delivered before `from` count in the series only.
    #[must_use]
    pub fn new(jobs: usize, record: &RecordPlan, latency_from: LatencyFrom, from: Time) -> Self {
        let sample = match record.packets {
            PacketRecord::Off => 0,
            PacketRecord::Sampled => u64::from(record.packet_sample),
            PacketRecord::All => 1,
        };
        let window = if record.window_ps == 0 { NEVER } else { record.window_ps };
        Self {
            window,
            from,
            injected_until: None,
            latency_from,
            sample,
            jobs: vec![JobPackets::default(); jobs],
            packets: Vec::new(),
            current: 0,
            current_starts: 0,
        }
    }

    /// From now on, packets count that were injected since the measuring began, whenever they are
    /// delivered; delivered flits still count up to its end, `until`.
    pub fn count_injected(&mut self, until: Time) {
        self.injected_until = Some(until);
    }

    /// The window of `now` in a job's series. From one group of the machine to the next, time may
    /// go back by some of them.
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

/// Where the window of this number is; if it was not there, it is now.
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
    fn delivered(&mut self, packet: &Packet, origin: &PacketOrigin, now: Time) {
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
        if now < self.from {
            return;
        }
        let seen = &mut self.jobs[job];
        match self.injected_until {
            None => seen.flits += u64::from(packet.flits),
            Some(until) => {
                seen.flits += if now < until { u64::from(packet.flits) } else { 0 };
                if origin.injected < self.from {
                    return;
                }
            }
        }
        seen.packets += 1;
        seen.delivered_bytes += u64::from(packet.bytes);
        seen.hops += u64::from(packet.route.hops);
        seen.nonminimal += u64::from(packet.route.nonminimal);
        seen.latency.record(latency);
        seen.network_latency.record(now - origin.injected);
        if self.sample > 0 && packet.route.draw % self.sample == 0 {
            self.packets.push(DeliveredPacket {
                delivered: now,
                source: origin.source,
                created: origin.created,
                injected: origin.injected,
                latency,
                destination: packet.route.destination,
                bytes: packet.bytes,
                job: packet.job,
                hops: packet.route.hops,
                nonminimal: packet.route.nonminimal,
            });
        }
    }

    fn answered(&mut self, packet: &Packet, origin: &PacketOrigin, now: Time) {
        let counted_at = if self.injected_until.is_some() { origin.injected } else { now };
        if counted_at >= self.from {
            let seen = &mut self.jobs[usize::from(packet.job)];
            seen.responses += 1;
            seen.request_response_latency.record(now - origin.accepted);
        }
    }
}
