//! Reports of the MPI layer: progress, totals and records.

use pantala_engine::Time;

use crate::accounting::call_profile::CallReport;
use crate::accounting::call_windows::CallWindow;
use crate::accounting::latency::LatencyStatistics;
use crate::accounting::latency_windows::LatencySketch;
use crate::accounting::progress_estimate::ProgressEstimate;
use crate::accounting::rank_messages::RankMessages;
use crate::accounting::records::{IterationRecord, IterationStart, MessageRecord, RankReport};
use crate::layer::{Holdings, MpiLayer, Ways};
use crate::program::error::RankError;
use crate::program::operation::OperationStream;
use crate::rank::{Activity, Rank};

impl<P: OperationStream> Rank<P> {
    /// How long a rank that waits has computed and waited since its totals were updated. A wait
    /// that lasts beyond the end of the job counts up to it: the ranks it waits for have stopped.
    fn under_way(&self, now: Time) -> (Time, Time) {
        let until = now.min(self.program.stops_at());
        let computing = self.computing_until.min(until).saturating_sub(self.since);
        (computing, until.saturating_sub(self.since) - computing)
    }
}

impl<P: OperationStream> MpiLayer<P> {
    /// Whether there are ranks and all their programs have ended or failed.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.records.ended > 0 && self.records.ended as usize == self.ranks.len()
    }

    /// Number of ranks that have ended or failed, and number of ranks.
    #[must_use]
    pub fn ranks_ended(&self) -> (u32, u32) {
        (self.records.ended, self.ranks.len() as u32)
    }

    /// By job: its number in the plan, the number of its ranks that have ended or failed, and the
    /// number of its ranks.
    pub fn jobs_ended(&self) -> impl Iterator<Item = (u16, u32, u32)> {
        self.jobs.list.iter().map(|job| (job.id, job.ended, job.ranks))
    }

    /// By job: its number in the plan, whether all its ranks here have ended or wait for a message,
    /// and the number of transmissions that have left ranks here less those that have reached ranks
    /// here. If all ranks of a job wait in all partitions, and the numbers add up to 0, then nothing
    /// will wake them.
    pub fn standing(&self) -> impl Iterator<Item = (u16, bool, i64)> {
        let mut moving = vec![false; self.jobs.list.len()];
        for rank in &self.ranks {
            moving[rank.job as usize] |= match rank.activity {
                Activity::Ended | Activity::Failed => false,
                Activity::Blocked(_) => !rank.computations.is_empty(),
                _ => true,
            };
        }
        let jobs = self.jobs.list.iter().zip(moving);
        jobs.map(|(job, moving)| (job.id, !moving, job.in_transit))
    }

    /// The completed share of all programs, between 0 and 1: the share of their bytes that has
    /// arrived, and 1 when all have ended. It never falls. `None` if a program cannot tell its
    /// bytes.
    #[must_use]
    pub fn progress(&self) -> Option<f64> {
        self.records.progress_estimate.progress(self.records.ended, self.ranks.len() as u32)
    }

    /// The progress of all programs.
    #[must_use]
    pub fn progress_estimate(&self) -> ProgressEstimate {
        self.records.progress_estimate
    }

    /// The errors of programs, in the order in which they were found. That is the order of time
    /// within each group of the network.
    #[must_use]
    pub fn errors(&self) -> &[RankError] {
        &self.records.errors
    }

    /// The message latencies of the job with the number `id` in the plan.
    #[must_use]
    pub fn message_statistics(&self, id: u16) -> Option<&LatencyStatistics> {
        self.jobs.get(id).map(|job| &job.statistics)
    }

    /// Where the payload of the job with the number `id` in the plan went.
    #[must_use]
    pub fn ways(&self, id: u16) -> Ways {
        self.jobs.get(id).map_or_else(Ways::default, |job| job.ways)
    }

    /// A report of every rank at `now`, by job in the order of `add_job`, then by rank.
    pub fn rank_reports(&self, now: Time) -> impl Iterator<Item = RankReport> {
        self.ranks.iter().map(move |rank| {
            let mut totals = rank.totals;
            match rank.activity {
                Activity::Computing => totals.compute += now.saturating_sub(rank.since),
                Activity::Blocked(_) | Activity::Busy => {
                    let (computing, waited) = rank.under_way(now);
                    totals.compute += computing;
                    totals.blocked(rank.call, waited);
                }
                _ => {}
            }
            RankReport {
                job: self.jobs.list[rank.job as usize].id,
                rank: rank.number,
                node: self.nics.list[rank.nic as usize].node,
                start: rank.start,
                end: rank.end,
                totals,
            }
        })
    }

    /// The calls of all ranks until `now`, by job, or by job and rank if the calls of each rank are
    /// recorded. A call that is not over counts until `now`.
    #[must_use]
    pub fn call_reports(&self, now: Time) -> Vec<CallReport> {
        let mut profiles = self.records.profiles.clone();
        for rank in &self.ranks {
            if matches!(rank.activity, Activity::Blocked(_) | Activity::Busy) {
                profiles[rank.profile as usize].took(rank.operation, rank.under_way(now).1);
            }
        }
        let job = |number: u32| self.jobs.list[number as usize].id;
        let reports: Vec<CallReport> = if self.setup.recording.rank_calls {
            let ranks = self.ranks.iter().zip(&profiles);
            ranks.flat_map(|(r, profile)| profile.reports(job(r.job), Some(r.number))).collect()
        } else {
            let jobs = (0..).zip(&profiles);
            jobs.flat_map(|(number, profile)| profile.reports(job(number), None)).collect()
        };
        CallReport::summed(reports)
    }

    /// The time of ranks in calls until `now`, by job, window and call, if it is recorded. It sums to
    /// the time of [`call_reports`](Self::call_reports).
    #[must_use]
    pub fn call_windows(&self, now: Time) -> Vec<CallWindow> {
        if self.setup.recording.call_window == 0 {
            return Vec::new();
        }
        let mut windows = self.records.call_windows.clone();
        for rank in &self.ranks {
            if matches!(rank.activity, Activity::Blocked(_) | Activity::Busy) {
                let (computing, waited) = rank.under_way(now);
                let from = rank.since + computing;
                windows.took(rank.job, rank.operation, from, from + waited);
            }
        }
        let jobs = self.jobs.list.iter().enumerate();
        CallWindow::summed(jobs.flat_map(|(number, job)| windows.windows(number, job.id)))
    }

    /// The messages of every rank that have arrived in this partition, if they are recorded.
    pub fn rank_messages(&self) -> impl Iterator<Item = RankMessages> {
        self.jobs.list.iter().flat_map(|job| job.messages.reports(job.id))
    }

    /// Removes the windows of message latency that end by `time`. Returns the job's number in the
    /// plan, the start and the latencies of each.
    pub fn take_latency_windows(
        &mut self,
        time: Time,
    ) -> impl Iterator<Item = (u16, Time, LatencySketch)> + '_ {
        let length = self.setup.recording.latency_window;
        self.jobs.list.iter_mut().flat_map(move |job| {
            let id = job.id;
            let windows = job.latency_windows.take_before(length, time);
            windows.map(move |(start, sketch)| (id, start, sketch))
        })
    }

    /// Moves the message records so far to the end of `into`.
    pub fn take_messages(&mut self, into: &mut Vec<MessageRecord>) {
        into.append(&mut self.records.message_records);
    }

    /// Moves the iteration records so far to the end of `into`.
    pub fn take_iterations(&mut self, into: &mut Vec<IterationRecord>) {
        into.append(&mut self.records.iteration_records);
    }

    /// Moves the starts of iterations so far to the end of `into`.
    pub fn take_starts(&mut self, into: &mut Vec<IterationStart>) {
        into.append(&mut self.records.iteration_starts);
    }

    /// Numbers of handles in use.
    #[must_use]
    pub fn holdings(&self) -> Holdings {
        self.transfers.holdings()
    }
}
