//! The communication of a plan's jobs, computed without a network.

use crate::error::PlanError;
use crate::plan::Plan;
use pantala_engine::NEVER;
use pantala_workload::JobSpec;
use pantala_workload::communication_volume::{Communication, RankVolume, communication};
use serde::Serialize;

/// The communication of one job, without messages of a rank to itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JobCommunication {
    /// The job's name.
    pub job: String,
    /// Totals of each rank.
    pub ranks: Vec<RankVolume>,
    /// Sending rank, one entry per pair of ranks.
    pub source: Vec<u32>,
    /// Receiving rank of each pair.
    pub destination: Vec<u32>,
    /// Number of messages of each pair.
    pub messages: Vec<u64>,
    /// Payload of each pair in bytes.
    pub bytes: Vec<u64>,
    /// Sizes of messages, and the number of messages of each size.
    pub sizes: Vec<(u64, u64)>,
    /// Messages and bytes of point-to-point sends (`point_to_point`) and of each collective.
    pub operations: Vec<(String, u64, u64)>,
}

/// Returns the communication of every job of a plan. Patterns are left out, because they have no
/// end.
///
/// # Errors
/// A [`PlanError`] if a job's workload is faulty. The size of the machine is not checked.
pub fn of_jobs(plan: &Plan) -> Result<Vec<JobCommunication>, PlanError> {
    let jobs = (0..plan.jobs.len()).map(|number| of_job(plan, number));
    jobs.filter_map(Result::transpose).collect()
}

/// Returns the communication of a job of a plan; `None` for a pattern.
///
/// # Errors
/// As [`of_jobs`].
pub(crate) fn of_job(plan: &Plan, number: usize) -> Result<Option<JobCommunication>, PlanError> {
    let job = &plan.jobs[number];
    if job.workload.is_endless() {
        return Ok(None);
    }
    job.workload
        .check(job.ranks)
        .map_err(|fault| PlanError::at(&format!("jobs[{number}].workload"), fault))?;
    let spec = JobSpec {
        name: job.name.clone(),
        nodes: vec![0; job.ranks as usize],
        start: 0,
        end: NEVER,
        repeat: false,
        noise: job.compute_noise,
        workload: job.workload.clone().into(),
    };
    Ok(Some(told(&job.name, communication(&spec, &plan.mpi.collectives, plan.seed))))
}

fn told(job: &str, found: Communication) -> JobCommunication {
    let pairs = || found.pairs.iter();
    let operations = found.operations.iter();
    JobCommunication {
        job: job.to_owned(),
        source: pairs().map(|((source, _), _)| *source).collect(),
        destination: pairs().map(|((_, destination), _)| *destination).collect(),
        messages: pairs().map(|(_, volume)| volume.messages).collect(),
        bytes: pairs().map(|(_, volume)| volume.bytes).collect(),
        sizes: found.sizes.iter().map(|(size, count)| (*size, *count)).collect(),
        operations: operations
            .map(|(kind, volume)| {
                (kind.unwrap_or("point_to_point").to_owned(), volume.messages, volume.bytes)
            })
            .collect(),
        ranks: found.ranks,
    }
}
