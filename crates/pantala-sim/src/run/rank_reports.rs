//! Reports of the ranks and the network of all partitions: progress, faults and blocked ranks.

use pantala_engine::{NEVER, Time};
use pantala_fabric::Totals;
use pantala_mpi::{Blocked, ProgressEstimate, RankError};
use pantala_workload::Endpoints;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

use crate::output::recorder::Net;
use crate::run::termination::End;

/// The status of partitions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Status {
    /// Time of the next event, or [`NEVER`].
    pub next: Time,
    /// The time of the latest event.
    pub now: Time,
    /// Totals up to now.
    pub totals: Totals,
    /// Packets injected and not delivered.
    pub in_flight: u64,
    /// Number of ranks of finite programs that have ended or failed.
    pub ended: u32,
    /// Number of ranks of finite programs.
    pub ranks: u32,
    progress_estimate: Option<ProgressEstimate>,
    /// By finite job: the number of its ranks that have ended or failed, and of its ranks.
    jobs: BTreeMap<u16, (u32, u32)>,
    /// The first program error of each job, by time: time, job, rank and text.
    errors: Vec<(Time, u16, u32, String)>,
}

impl Status {
    /// Returns the report of the local partitions.
    #[must_use]
    pub fn of(network: &Net) -> Self {
        let (ended, ranks) = network
            .hosts()
            .map(Endpoints::ranks_ended)
            .fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        let error = |error: &RankError| (error.time, error.job, error.rank, error.to_string());
        let errors = network.hosts().flat_map(Endpoints::errors).map(error).collect();
        Self {
            next: network.next_time(),
            now: network.now(),
            totals: network.totals(),
            in_flight: network.packets_in_flight(),
            ended,
            ranks,
            progress_estimate: network
                .hosts()
                .map(Endpoints::progress_estimate)
                .reduce(ProgressEstimate::and),
            jobs: summed(network.hosts().flat_map(Endpoints::jobs_ended)),
            errors: first_of_each_job(errors),
        }
    }

    /// Merges the status of other partitions.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            next: self.next.min(other.next),
            now: self.now.max(other.now),
            totals: self.totals.and(other.totals),
            in_flight: self.in_flight + other.in_flight,
            ended: self.ended + other.ended,
            ranks: self.ranks + other.ranks,
            progress_estimate: self
                .progress_estimate
                .zip(other.progress_estimate)
                .map(|(one, other)| one.and(other)),
            jobs: summed(
                self.jobs
                    .into_iter()
                    .chain(other.jobs)
                    .map(|(job, (ended, ranks))| (job, ended, ranks)),
            ),
            errors: first_of_each_job([self.errors, other.errors].concat()),
        }
    }

    /// Returns whether every job that is `awaited`, by its number, has ended or failed; false
    /// without such jobs. A job has failed if one of its ranks has made an error.
    #[must_use]
    pub fn finished(&self, awaited: &[bool]) -> bool {
        let over =
            |(id, (ended, ranks)): (&u16, &(u32, u32))| ended == ranks || self.has_failed(*id);
        let mut jobs = self
            .jobs
            .iter()
            .filter(|(id, _)| awaited.get(usize::from(**id)) == Some(&true))
            .peekable();
        jobs.peek().is_some() && jobs.all(over)
    }

    /// Returns whether every rank of a finite job has ended or failed.
    #[must_use]
    pub fn is_over(&self, id: u16) -> bool {
        self.has_failed(id) || self.jobs.get(&id).is_some_and(|(ended, ranks)| ended == ranks)
    }

    /// Returns whether a rank of the job has made an error.
    #[must_use]
    pub fn has_failed(&self, id: u16) -> bool {
        self.errors.iter().any(|(_, job, ..)| *job == id)
    }

    /// Returns the end of a run with a job that has failed: the first error of each such job.
    #[must_use]
    pub fn failure(&self) -> Option<End> {
        let lines: Vec<&str> = self.errors.iter().map(|(.., line)| line.as_str()).collect();
        (!lines.is_empty()).then(|| End::Failed(lines.join("\n")))
    }

    /// Returns whether no event is left.
    #[must_use]
    pub fn idle(&self) -> bool {
        self.next == NEVER
    }

    /// Returns the progress of all finite programs, 0 to 1, or `None` if it is unknown.
    #[must_use]
    pub fn progress(&self) -> Option<f64> {
        self.progress_estimate?.progress(self.ended, self.ranks)
    }
}

/// Adds up the numbers of ranks by job.
fn summed(jobs: impl Iterator<Item = (u16, u32, u32)>) -> BTreeMap<u16, (u32, u32)> {
    let mut sums = BTreeMap::new();
    for (job, ended, ranks) in jobs {
        let sum: &mut (u32, u32) = sums.entry(job).or_default();
        *sum = (sum.0 + ended, sum.1 + ranks);
    }
    sums
}

/// Keeps the first error of each job, by time.
fn first_of_each_job(mut errors: Vec<(Time, u16, u32, String)>) -> Vec<(Time, u16, u32, String)> {
    errors.sort_unstable();
    let mut jobs = BTreeSet::new();
    errors.retain(|(_, job, ..)| jobs.insert(*job));
    errors
}

/// Blocked ranks of the local partitions, and the ranks that have ended.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Waiting {
    blocked: Vec<Blocked>,
    /// Job and rank of each rank that has ended, in order.
    ended: Vec<(u16, u32)>,
}

impl Waiting {
    /// Returns the report of the local partitions.
    #[must_use]
    pub fn of(network: &Net) -> Self {
        let reports = network.hosts().flat_map(|host| host.rank_reports(0));
        Self {
            blocked: network.hosts().flat_map(Endpoints::blocked_report).collect(),
            ended: reports
                .filter(|report| report.end.is_some())
                .map(|report| (report.job, report.rank))
                .collect(),
        }
    }

    /// Merges the reports of all partitions, by job, rank and operation. A partition knows the end
    /// of its own ranks only.
    #[must_use]
    pub fn together(parts: Vec<Self>) -> Vec<Blocked> {
        let mut ended: Vec<(u16, u32)> =
            parts.iter().flat_map(|part| part.ended.iter().copied()).collect();
        ended.sort_unstable();
        let mut blocked: Vec<Blocked> = parts.into_iter().flat_map(|part| part.blocked).collect();
        for wait in &mut blocked {
            wait.peer_ended =
                wait.peer.is_some_and(|peer| ended.binary_search(&(wait.job, peer)).is_ok());
        }
        // Each partition lists its ranks in order, and a rank is in one partition.
        blocked.sort_by_key(|wait| (wait.job, wait.rank));
        blocked
    }
}
