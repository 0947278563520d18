//! [`Jobs`]: the jobs of a layer, and the locations of their ranks.

use crate::accounting::latency::LatencyStatistics;
use crate::accounting::latency_windows::LatencyWindows;
use crate::accounting::rank_messages::JobMessages;
use crate::arena::NONE;

/// A job of the layer.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// The job's number in the plan.
    pub(crate) id: u16,
    /// By rank: its node, and its index among the layer's ranks ([`NONE`] if the rank is in another
    /// partition).
    pub(crate) locations: Vec<RankLocation>,
    pub(crate) statistics: LatencyStatistics,
    /// Where the payload of its ranks in this partition went.
    pub(crate) ways: Ways,
    /// Latencies over time, if they are recorded.
    pub(crate) latency_windows: LatencyWindows,
    /// The messages of its ranks, if they are recorded.
    pub(crate) messages: JobMessages,
    /// Number of its ranks in this partition that have ended or failed.
    pub(crate) ended: u32,
    /// Number of its ranks in this partition.
    pub(crate) ranks: u32,
    /// Transmissions that have left ranks in this partition, less those that have reached ranks
    /// here. The sum over all partitions are those on their way.
    pub(crate) in_transit: i64,
}

/// Bytes that ranks have sent on other ways than as payload through the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ways {
    /// Payload through memory.
    pub memory: u64,
    /// Bytes through the network beside the payload: headers, and transmissions without payload.
    pub overhead: u64,
}

/// The location of a rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankLocation {
    pub(crate) node: u32,
    pub(crate) index: u32,
}

/// The jobs of a layer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jobs {
    /// In the order of `add_job`.
    pub(crate) list: Vec<Job>,
    /// By the job's number in the plan: its index in `list`, or [`NONE`].
    by_id: Vec<u32>,
}

impl Jobs {
    /// Adds a job.
    pub(crate) fn add(&mut self, job: Job) {
        let id = usize::from(job.id);
        if self.by_id.len() <= id {
            self.by_id.resize(id + 1, NONE);
        }
        self.by_id[id] = self.list.len() as u32;
        self.list.push(job);
    }

    /// Returns the job with the number `id` in the plan, if it is here.
    pub(crate) fn get(&self, id: u16) -> Option<&Job> {
        let index = *self.by_id.get(usize::from(id)).filter(|index| **index != NONE)?;
        Some(&self.list[index as usize])
    }

    /// Returns the job with the number `id` in the plan, which must be here.
    #[inline]
    pub(crate) fn of_mut(&mut self, id: u16) -> &mut Job {
        &mut self.list[self.by_id[usize::from(id)] as usize]
    }

    /// Returns the index among the layer's ranks of a job's rank, which must be in this partition.
    #[inline]
    pub(crate) fn rank_index(&self, job: u16, rank: u32) -> usize {
        self.location(job, rank).index as usize
    }

    /// Returns the location of a job's rank.
    #[inline]
    pub(crate) fn location(&self, job: u16, rank: u32) -> RankLocation {
        self.list[self.by_id[usize::from(job)] as usize].locations[rank as usize]
    }
}
