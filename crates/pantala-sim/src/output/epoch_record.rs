//! The epochs of a run that may skip time: in which jobs repeat, and what was simulated of them.

use pantala_engine::Time;
use serde::{Deserialize, Serialize};

/// One job in one stretch of time, simulated or skipped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct EpochRow {
    /// The number of the stretch, from 0.
    pub(crate) number: u32,
    /// Its start and end, as the run shows them.
    pub(crate) start: Time,
    pub(crate) end: Time,
    /// Whether its time was skipped.
    pub(crate) skipped: bool,
    pub(crate) job: u16,
    /// What the job did: `repeats`, `pattern`, `other`, `waits` or `over`.
    pub(crate) state: String,
    /// Iterations that all ranks completed in it, or that were skipped.
    pub(crate) iterations: Option<u64>,
    /// Mean duration of an iteration, in ps; of skipped time, that of the sample behind it.
    pub(crate) mean: Option<f64>,
    /// Standard error of the mean, in ps.
    pub(crate) error: Option<f64>,
    /// Relative difference of the mean after skipped time to the mean before it.
    pub(crate) change: Option<f64>,
}

/// The estimated error of one job of a run that has skipped time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobError {
    /// The job's name.
    pub job: String,
    /// The share of its time that was simulated.
    pub simulated_share: f64,
    /// Iterations that were skipped.
    pub skipped_iterations: u64,
    /// The estimated relative error of its run time (95 %).
    pub run_time_error: f64,
    /// The estimated relative error of the mean communication time of its ranks (95 %); none if
    /// they do not communicate.
    pub communication_time_error: Option<f64>,
}

/// What a run with `skip` has skipped, or why it has skipped nothing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkipSummary {
    /// The sentence for reports.
    pub text: String,
    /// The share of the run's time that was simulated.
    pub simulated_share: f64,
    /// Number of times that time was skipped.
    pub jumps: u32,
    /// The jobs that repeat.
    pub jobs: Vec<JobError>,
}
