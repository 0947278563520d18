//! Counters of a partition: deliveries, and the traffic of each job per link.

use pantala_engine::{ProvenArray, Time};
use serde::{Deserialize, Serialize};

/// The traffic of one job on one link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobTraffic {
    /// Payload in bytes.
    pub bytes: u64,
    /// Stalls that belong to the job, in ps.
    pub stall: Time,
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
        self.jobs.memory() + self.nic_jobs.memory()
    }
}
