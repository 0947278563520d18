//! What the hosts of all parts of a machine say together.

use pantala_engine::Time;
use pantala_fabric::Machine;
use pantala_mpi::{Blocked, LatencyStatistics, Outlook, ProgramError, RankReport};
use pantala_workload::Endpoints;

use crate::recorder::Recorder;

/// A machine with its hosts and recorders.
pub type Net = Machine<Endpoints, Recorder>;

/// How many ranks of finite programs have ended or failed, and how many there are.
#[must_use]
pub fn ended(network: &Net) -> (u32, u32) {
    network.hosts().map(Endpoints::ranks_ended).fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
}

/// Whether every finite program has ended; false if there is none.
#[must_use]
pub fn finished(network: &Net) -> bool {
    let (ended, ranks) = ended(network);
    ended > 0 && ended == ranks
}

/// How much of all finite programs is behind, between 0 and 1; `None` without such, or if one of them cannot tell.
#[must_use]
pub fn progress(network: &Net) -> Option<f64> {
    match ended(network) {
        (_, 0) => None,
        (ended, ranks) if ended == ranks => Some(1.0),
        _ => network.hosts().map(Endpoints::outlook).reduce(Outlook::and)?.share(),
    }
}

/// What the first program to do wrong has done; of those of one time the one of the lowest job and rank.
#[must_use]
pub fn first_error(network: &Net) -> Option<&ProgramError> {
    network.hosts().flat_map(Endpoints::errors).min_by_key(|error| (error.time, error.job, error.rank))
}

/// What every blocked rank waits for, by job, rank and operation.
#[must_use]
pub fn blocked(network: &Net) -> Vec<Blocked> {
    let has_ended = |job, rank| network.hosts().any(|host| host.has_ended(job, rank));
    let mut blocked: Vec<Blocked> = network.hosts().flat_map(Endpoints::blocked_report).collect();
    for wait in &mut blocked {
        wait.peer_ended = wait.peer.is_some_and(|peer| has_ended(wait.job, peer));
    }
    blocked.sort_by_key(|wait| (wait.job, wait.rank));
    blocked
}

/// A report of every rank of a finite program at `now`, by job and rank.
#[must_use]
pub fn reports(network: &Net, now: Time) -> Vec<RankReport> {
    let mut reports: Vec<RankReport> = network.hosts().flat_map(|host| host.rank_reports(now)).collect();
    reports.sort_unstable_by_key(|report| (report.job, report.rank));
    reports
}

/// The latencies of a job's messages; `None` for a pattern.
#[must_use]
pub fn message_latency(network: &Net, job: u16) -> Option<LatencyStatistics> {
    network.hosts().filter_map(|host| host.message_statistics(job)).fold(None, |sum, part| {
        let mut sum: LatencyStatistics = sum.unwrap_or_default();
        sum.add(part);
        Some(sum)
    })
}
