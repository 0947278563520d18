//! The export of a plan's job: its operations as a file.

use std::io::Write;

use pantala_frontends::operations::{WriteFault, Written, export};
use pantala_mpi::RankContext;
use pantala_workload::{JobOperations, Noise, RankOperations, Workload};

use crate::error::PlanError;
use crate::plan::Plan;

/// A fault of an export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The plan is faulty.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The operations cannot be written.
    #[error("job {job}: {fault}")]
    Write {
        /// The job's name.
        job: String,
        /// The fault.
        fault: WriteFault,
    },
}

/// Writes the operations of a job's ranks, without noise on compute times.
///
/// # Errors
/// If the plan has no such job, its workload has a fault, its operations depend on the run, or the
/// file cannot be written.
pub fn export_job(plan: &Plan, job: &str, sink: impl Write) -> Result<Written, ExportError> {
    let (number, found) = plan
        .jobs
        .iter()
        .enumerate()
        .find(|(_, other)| other.name == job)
        .ok_or_else(|| PlanError::new("jobs", job, "no job has this name", "name a job"))?;
    found
        .workload
        .check(found.ranks)
        .map_err(|fault| PlanError::at(&format!("jobs[{number}].workload"), fault))?;
    let Workload::Programs(programs) = found.workload.clone().into() else {
        let text = "is synthetic traffic, which has no operations";
        let key = format!("jobs[{number}].workload");
        return Err(PlanError::new(&key, "pattern", text, "name another job").into());
    };
    write(&programs, found.ranks, job, plan.seed, sink)
        .map_err(|fault| ExportError::Write { job: job.to_owned(), fault })
}

fn write(
    programs: &JobOperations,
    ranks: u32,
    job: &str,
    seed: u64,
    sink: impl Write,
) -> Result<Written, WriteFault> {
    let contexts = (0..ranks).map(|rank| RankContext::new(rank, ranks, job, seed));
    let make = |rank: &RankContext| {
        let program = RankOperations::new(programs, rank.rank, ranks, job, seed, Noise::default());
        (program, programs.communicators(rank))
    };
    export(contexts, make, sink)
}
