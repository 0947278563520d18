//! Counters of a partition: deliveries, and the bytes of each job per link.

use pantala_engine::FlatArray;

/// The counters of a partition. Each link has counters of its own
/// ([`LinkCounters`](crate::LinkCounters)).
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Payload bytes per output port and job. Empty with a single job: then the link's own counter
    /// holds them.
    pub(crate) job_bytes: FlatArray<u64>,
    /// Payload bytes per node and job on the injection link. Empty with a single job.
    pub(crate) nic_job_bytes: FlatArray<u64>,
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
    /// Counts a packet's bytes for its job on an output's link.
    #[inline]
    pub(crate) fn count_job(&mut self, out: usize, jobs: u16, job: u16, bytes: u32) {
        if !self.job_bytes.is_empty() {
            self.job_bytes[out * usize::from(jobs) + usize::from(job)] += u64::from(bytes);
        }
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.job_bytes.memory() + self.nic_job_bytes.memory()
    }
}
