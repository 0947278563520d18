//! What the hosts of all parts of a machine say together: of the parts that are here, and then of
//! all.

use pantala_engine::{NEVER, Time};
use pantala_fabric::{Network, Totals};
use pantala_mpi::{Blocked, ProgramError, ProgressEstimate};
use pantala_workload::Endpoints;
use serde::{Deserialize, Serialize};

use crate::output::recorder::Recorder;
use crate::run::termination::End;

/// A machine with its hosts and recorders.
pub type Net = Network<Endpoints, Recorder>;

/// How far parts of a machine are.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Status {
    /// When the next event comes; [`NEVER`] if there is none.
    pub next: Time,
    /// The time of the latest event.
    pub now: Time,
    /// Totals so far.
    pub totals: Totals,
    /// Packets injected and not delivered.
    pub in_flight: u64,
    /// How many ranks of finite programs have ended or failed.
    pub ended: u32,
    /// How many there are.
    pub ranks: u32,
    progress_estimate: Option<ProgressEstimate>,
    /// What the first program to do wrong has done: when, which job and rank, and in words.
    pub error: Option<(Time, u16, u32, String)>,
}

impl Status {
    /// That of the parts that are here.
    #[must_use]
    pub fn of(network: &Net) -> Self {
        let (ended, ranks) = network
            .hosts()
            .map(Endpoints::ranks_ended)
            .fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        let order = |error: &&ProgramError| (error.time, error.job, error.rank);
        let error = network.hosts().flat_map(Endpoints::errors).min_by_key(order);
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
            error: error.map(|error| (error.time, error.job, error.rank, error.to_string())),
        }
    }

    /// That of the parts of both.
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
            error: self.error.into_iter().chain(other.error).min(),
        }
    }

    /// Whether every finite program has ended; false if there is none.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.ended > 0 && self.ended == self.ranks
    }

    /// How the run ends, if a program has done what MPI forbids.
    #[must_use]
    pub fn failure(&self) -> Option<End> {
        self.error.as_ref().map(|(_, _, _, error)| End::Failed(error.clone()))
    }

    /// Whether nothing more will happen.
    #[must_use]
    pub fn idle(&self) -> bool {
        self.next == NEVER
    }

    /// How much of all finite programs is behind, between 0 and 1; `None` without such, or if one
    /// of them cannot tell.
    #[must_use]
    pub fn progress(&self) -> Option<f64> {
        self.progress_estimate?.progress(self.ended, self.ranks)
    }
}

/// What every blocked rank waits for, and which ranks have ended: of the parts that are here.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Waiting {
    blocked: Vec<Blocked>,
    /// Jobs and ranks, in order.
    ended: Vec<(u16, u32)>,
}

impl Waiting {
    /// That of the parts that are here.
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

    /// All that is waited for, by job, rank and operation; each part knows only of its own ranks
    /// whether they have ended.
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
        // Each part has them in order, and a rank is in one.
        blocked.sort_by_key(|wait| (wait.job, wait.rank));
        blocked
    }
}
