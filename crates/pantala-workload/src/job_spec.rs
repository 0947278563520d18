//! The specification of a placed job.

use pantala_engine::Time;
use pantala_mpi::Fault;

use crate::compute_noise::Noise;
use crate::motifs::MotifSource;
pub use crate::motifs::WorkloadSpec;
use crate::patterns::Pattern;
use crate::programs::JobOperations;

impl WorkloadSpec {
    /// Whether the workload never ends by itself.
    #[must_use]
    pub const fn is_endless(&self) -> bool {
        matches!(self, Self::Pattern(_))
    }

    /// The programs of a front end; `None` for any other workload.
    #[must_use]
    pub fn front_end(&self) -> Option<JobOperations> {
        Some(match self {
            Self::Trace(source) => JobOperations::Trace(source.clone()),
            Self::Ncptl(source) => JobOperations::Ncptl(source.clone()),
            Self::OperationFile(source) => JobOperations::OperationFile(source.clone()),
            _ => return None,
        })
    }

    /// Checks the parameters for a job of `ranks`.
    ///
    /// # Errors
    /// A [`Fault`] whose key is relative to the workload (`grid`, `load`).
    pub fn check(&self, ranks: u32) -> Result<(), Fault> {
        check_ranks(ranks)?;
        match (self, self.motif(), self.front_end()) {
            (Self::Pattern(spec), ..) => spec.check(ranks),
            (Self::Sequence(spec), ..) => spec.check(ranks),
            (_, Some(motif), _) => motif.check(ranks),
            (_, _, Some(programs)) => programs.check(ranks),
            _ => unreachable!("every other workload is a motif or a front end"),
        }
    }
}

/// A placed job.
#[derive(Clone, Debug, PartialEq)]
pub struct JobSpec {
    /// The job's name, which keys its random streams. Names are unique.
    pub name: String,
    /// The node of each rank. Ranks of one node follow each other.
    pub nodes: Vec<u32>,
    /// The start of its programs or its traffic, in ps.
    pub start: Time,
    /// The time from which its ranks start no operation and create no packet, in ps;
    /// [`NEVER`](pantala_engine::NEVER) if the job ends by itself or with the run.
    pub end: Time,
    /// Whether its programs start again when they end.
    pub repeat: bool,
    /// The noise on its compute times.
    pub noise: Noise,
    /// The traffic or the programs of its ranks.
    pub workload: Workload,
}

/// The workload of a placed job.
#[derive(Clone, Debug, PartialEq)]
pub enum Workload {
    /// Synthetic traffic, which never ends.
    Pattern(Pattern),
    /// A program for each rank.
    Programs(JobOperations),
}

impl Workload {
    /// Whether the workload never ends by itself.
    #[must_use]
    pub const fn is_endless(&self) -> bool {
        matches!(self, Self::Pattern(_))
    }

    /// Checks the parameters for a job of `ranks` ranks.
    ///
    /// # Errors
    /// A [`Fault`] whose key is relative to the workload (`grid`, `load`).
    pub fn check(&self, ranks: u32) -> Result<(), Fault> {
        check_ranks(ranks)?;
        match self {
            Self::Pattern(pattern) => pattern.check(ranks),
            Self::Programs(programs) => programs.check(ranks),
        }
    }
}

impl From<WorkloadSpec> for Workload {
    fn from(spec: WorkloadSpec) -> Self {
        match (spec.front_end(), spec) {
            (Some(programs), _) => Self::Programs(programs),
            (_, WorkloadSpec::Pattern(pattern)) => Self::Pattern(pattern),
            (_, motif) => Self::Programs(JobOperations::Motif(MotifSource::new(motif))),
        }
    }
}

/// Checks that a job has ranks.
fn check_ranks(ranks: u32) -> Result<(), Fault> {
    if ranks > 0 {
        return Ok(());
    }
    Err(Fault::new("ranks", 0, "a job needs at least one rank", "give a positive number"))
}

/// A job with a fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("jobs[{job}].{}{fault}", if *.of_workload { "workload." } else { "" })]
pub struct WorkloadError {
    /// The index of the job.
    pub job: usize,
    /// Whether the fault is in the job's workload. If not, it is in the job itself (its `name`, its
    /// `nodes`).
    pub of_workload: bool,
    /// The fault. Its key is relative to the workload or to the job.
    pub fault: Fault,
}

impl WorkloadError {
    /// A fault of the job's workload.
    pub(crate) const fn of_workload(job: usize, fault: Fault) -> Self {
        Self { job, of_workload: true, fault }
    }

    /// A fault of the job itself.
    pub(crate) const fn of_job(job: usize, fault: Fault) -> Self {
        Self { job, of_workload: false, fault }
    }
}
