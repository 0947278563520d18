//! Counters of a partition: deliveries, and the traffic of each job per link.

use pantala_engine::{NEVER, ProvenArray, Time};
use serde::{Deserialize, Serialize};

/// The traffic of one job on one link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobTraffic {
    /// Payload in bytes.
    pub bytes: u64,
    /// Stalls that belong to the job, in ps.
    pub stall: Time,
}

/// A packet that was sent ahead of a window that it starts after; see
/// [`Fabric::count_late_starts`](crate::fabric::Fabric::count_late_starts).
#[derive(Clone, Copy, Debug)]
pub(crate) struct LateStart {
    pub(crate) start: Time,
    pub(crate) out: u32,
    pub(crate) job: u16,
    pub(crate) bytes: u32,
    pub(crate) flits: u32,
    /// Whether the packet's first flit is among them.
    pub(crate) starts: bool,
}

/// The counters of a partition. Each link has counters of its own
/// ([`LinkCounters`](crate::LinkCounters)).
#[derive(Debug)]
pub(crate) struct Counters {
    /// The traffic per output port and job. Empty with a single job: then the link's own counters
    /// hold it.
    pub(crate) jobs: ProvenArray<JobTraffic>,
    /// The traffic per NIC and job on the injection link. Empty with a single job.
    pub(crate) nic_jobs: ProvenArray<JobTraffic>,
    /// What is not counted yet.
    late: Vec<LateStart>,
    /// The earliest start among them; [`NEVER`] without any.
    pub(crate) next_late: Time,
    /// Packets delivered, responses included.
    pub(crate) packets_delivered: u64,
    /// Flits delivered, responses included.
    pub(crate) flits_delivered: u64,
    /// Responses delivered.
    pub(crate) responses_delivered: u64,
    /// Responses that wait in their NICs.
    pub(crate) responses_waiting: u64,
}

impl Counters {
    /// Makes counters of nothing yet, over these arrays.
    pub(crate) fn new(jobs: ProvenArray<JobTraffic>, nic_jobs: ProvenArray<JobTraffic>) -> Self {
        Self {
            jobs,
            nic_jobs,
            late: Vec::new(),
            next_late: NEVER,
            packets_delivered: 0,
            flits_delivered: 0,
            responses_delivered: 0,
            responses_waiting: 0,
        }
    }

    /// Keeps a packet that counts when it starts.
    pub(crate) fn count_later(&mut self, packet: LateStart) {
        self.next_late = self.next_late.min(packet.start);
        self.late.push(packet);
    }

    /// Calls `count` with what starts before `until`, and forgets it.
    pub(crate) fn take_late(&mut self, until: Time, mut count: impl FnMut(&mut Self, LateStart)) {
        if self.next_late >= until {
            return;
        }
        self.next_late = NEVER;
        for packet in std::mem::take(&mut self.late) {
            if packet.start < until {
                count(self, packet);
            } else {
                self.count_later(packet);
            }
        }
    }

    /// Counts a packet's bytes for its job on an output's link.
    #[inline]
    pub(crate) fn count_job(&mut self, out: usize, jobs: u16, job: u16, bytes: u32) {
        if !self.jobs.is_empty() {
            self.jobs[out * usize::from(jobs) + usize::from(job)].bytes += u64::from(bytes);
        }
    }

    /// Counts a packet's bytes for its job on a NIC's injection link.
    #[inline]
    pub(crate) fn count_nic_job(&mut self, terminal: usize, jobs: u16, job: u16, bytes: u32) {
        if !self.nic_jobs.is_empty() {
            self.nic_jobs[terminal * usize::from(jobs) + usize::from(job)].bytes +=
                u64::from(bytes);
        }
    }

    /// Counts a stall of an output's link for its job.
    pub(crate) fn count_stall(&mut self, out: usize, jobs: u16, job: u16, stall: Time) {
        if !self.jobs.is_empty() {
            self.jobs[out * usize::from(jobs) + usize::from(job)].stall += stall;
        }
    }

    /// Counts a stall of a NIC's injection link for its job.
    pub(crate) fn count_nic_stall(&mut self, terminal: usize, jobs: u16, job: u16, stall: Time) {
        if !self.nic_jobs.is_empty() {
            self.nic_jobs[terminal * usize::from(jobs) + usize::from(job)].stall += stall;
        }
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.jobs.memory() + self.nic_jobs.memory() + self.late.capacity() * size_of::<LateStart>()
    }
}
