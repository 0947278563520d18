//! What the jobs of a plan communicate, without its network.

use crate::error::PlanError;
use crate::plan::Plan;
use pantala_workload::communication::{Communication, Volume, communication};
use pantala_workload::{JobSpec, WorkloadError};
use serde::Serialize;

/// The communication of one job; messages of a rank to itself are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JobCommunication {
    /// The job's name.
    pub job: String,
    /// Its ranks.
    pub ranks: u32,
    /// One entry a pair of ranks: who sends, ...
    pub source: Vec<u32>,
    /// ... to whom, ...
    pub destination: Vec<u32>,
    /// ... how many messages, ...
    pub messages: Vec<u64>,
    /// ... of how many bytes of payload.
    pub bytes: Vec<u64>,
    /// Sizes of messages that occur, and how often.
    pub sizes: Vec<(u64, u64)>,
    /// Messages and bytes of the program's own sends (`point_to_point`) and of each collective.
    pub operations: Vec<(String, u64, u64)>,
    /// Time that each rank computes, ps.
    pub compute_ps: Vec<u64>,
    /// What its program did wrong, or that it came to no end; absent: nothing.
    pub fault: Option<String>,
}

/// The communication of every job of a plan but those of synthetic traffic, which have no end.
///
/// # Errors
/// A [`PlanError`] if a job's workload is wrong. Whether the machine has room for it is not asked.
pub fn of_jobs(plan: &Plan) -> Result<Vec<JobCommunication>, PlanError> {
    let finite = plan.jobs.iter().enumerate().filter(|(_, job)| !job.workload.is_endless());
    finite
        .map(|(number, job)| {
            let spec = JobSpec {
                name: job.name.clone(),
                nodes: vec![0; job.ranks as usize],
                start: 0,
                noise: job.compute_noise,
                workload: job.workload.clone(),
            };
            let found = communication(&spec, &plan.mpi, plan.seed).map_err(|error: WorkloadError| {
                let part = if error.of_workload { ".workload" } else { "" };
                PlanError::at(&format!("jobs[{number}]{part}"), error.fault)
            })?;
            Ok(told(&job.name, job.ranks, &found))
        })
        .collect()
}

fn told(job: &str, ranks: u32, found: &Communication) -> JobCommunication {
    let fault = match found.errors.first() {
        Some(error) => Some(error.to_string()),
        None => (!found.finished).then(|| "some ranks wait for ever".to_owned()),
    };
    let pairs = || found.pairs.iter();
    JobCommunication {
        job: job.to_owned(),
        ranks,
        source: pairs().map(|((source, _), _)| *source).collect(),
        destination: pairs().map(|((_, destination), _)| *destination).collect(),
        messages: pairs().map(|(_, volume)| volume.messages).collect(),
        bytes: pairs().map(|(_, volume)| volume.bytes).collect(),
        sizes: found.sizes.iter().map(|(size, count)| (*size, *count)).collect(),
        operations: found.operations.iter().map(|(kind, volume)| operation(*kind, *volume)).collect(),
        compute_ps: found.accounts.iter().map(|account| account.compute).collect(),
        fault,
    }
}

fn operation(kind: Option<&str>, volume: Volume) -> (String, u64, u64) {
    (kind.unwrap_or("point_to_point").to_owned(), volume.messages, volume.bytes)
}
