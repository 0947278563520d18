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

/// What a stall of an output's link is after the last packet that came into its output buffer
/// meanwhile: the statistic `output_port_stalls` of SST's merlin. There, every such packet makes
/// the port try again, and the time until then is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StallAfterArrival {
    /// When a packet last came into the output buffer during a stall.
    arrived: Time,
    /// The sum over all stalls, in ps.
    sum: Time,
}

impl StallAfterArrival {
    /// Counts a stall.
    fn count(&mut self, since: Time, until: Time) {
        self.sum += until.saturating_sub(since.max(self.arrived));
    }

    /// Returns the sum at `now`, with a stall that still lasts.
    pub(crate) fn at(mut self, stalled_since: Time, now: Time) -> Time {
        if stalled_since != NEVER {
            self.count(stalled_since, now);
        }
        self.sum
    }
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
    /// The stalls after arrivals by output port.
    pub(crate) after_arrival: ProvenArray<StallAfterArrival>,
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
    pub(crate) fn new(
        jobs: ProvenArray<JobTraffic>,
        nic_jobs: ProvenArray<JobTraffic>,
        after_arrival: ProvenArray<StallAfterArrival>,
    ) -> Self {
        Self {
            jobs,
            nic_jobs,
            after_arrival,
            packets_delivered: 0,
            flits_delivered: 0,
            responses_delivered: 0,
            responses_waiting: 0,
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
    pub(crate) fn count_stall(
        &mut self,
        out: usize,
        (jobs, job): (u16, u16),
        (since, until): (Time, Time),
    ) {
        self.after_arrival[out].count(since, until);
        if !self.jobs.is_empty() {
            self.jobs[out * usize::from(jobs) + usize::from(job)].stall +=
                until.saturating_sub(since);
        }
    }

    /// Notes that a packet came into the output buffer of a link during a stall.
    #[inline(never)]
    pub(crate) fn note_arrival(&mut self, out: usize, now: Time) {
        self.after_arrival[out].arrived = now;
    }

    /// Counts a stall of a NIC's injection link for its job.
    pub(crate) fn count_nic_stall(&mut self, terminal: usize, jobs: u16, job: u16, stall: Time) {
        if !self.nic_jobs.is_empty() {
            self.nic_jobs[terminal * usize::from(jobs) + usize::from(job)].stall += stall;
        }
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.jobs.memory() + self.nic_jobs.memory() + self.after_arrival.memory()
    }
}
