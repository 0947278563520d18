//! What a job runs, as the plan has it.

use pantala_engine::Time;
use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::motifs::Motif;
use crate::motifs::allreduce_loop::AllreduceLoop;
use crate::motifs::conjugate_gradient::ConjugateGradient;
use crate::motifs::crystal_router::CrystalRouter;
use crate::motifs::fft3d::Fft3d;
use crate::motifs::horovod::Horovod;
use crate::motifs::lqcd::Lqcd;
use crate::motifs::lulesh::Lulesh;
use crate::motifs::multigrid::Multigrid;
use crate::motifs::particle_mesh::ParticleMesh;
use crate::motifs::pencil_fft::PencilFft;
use crate::motifs::phases::Phases;
use crate::motifs::stencil::Stencil;
use crate::motifs::sweep::Sweep;
use crate::motifs::uniform_random::UniformRandom;
use crate::noise::Noise;
use crate::patterns::Pattern;

/// The workload of a job: the plan's `workload` object, told apart by its `kind`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum WorkloadSpec {
    /// Synthetic traffic, endless.
    Pattern(Pattern),
    /// A random partner every iteration.
    UniformRandom(UniformRandom),
    /// Neighbours on a grid.
    Stencil(Stencil),
    /// Alltoalls in rows and columns.
    Fft3d(Fft3d),
    /// The same with blocks as a cube of points gives them.
    PencilFft(PencilFft),
    /// A wave from corner to corner.
    Sweep(Sweep),
    /// Neighbours on a grid of four dimensions, nearest and third-nearest, and allreduces.
    Lqcd(Lqcd),
    /// Neighbours across faces, edges and corners, then a sweep.
    Lulesh(Lulesh),
    /// Compute, allreduce, again.
    AllreduceLoop(AllreduceLoop),
    /// Exchanges and computations in a row.
    Phases(Phases),
    /// Training with negotiations.
    Horovod(Horovod),
    /// Exchanges with those around, and sums.
    ConjugateGradient(ConjugateGradient),
    /// Molecular dynamics on a mesh.
    ParticleMesh(ParticleMesh),
    /// Cycles over levels.
    Multigrid(Multigrid),
    /// All to all by halves.
    CrystalRouter(CrystalRouter),
}

impl WorkloadSpec {
    /// Whether the workload never ends by itself.
    #[must_use]
    pub const fn is_endless(&self) -> bool {
        matches!(self, Self::Pattern(_))
    }

    /// Checks the parameters for a job of `ranks`.
    ///
    /// # Errors
    /// A [`Fault`] whose key is relative to the workload (`grid`, `load`).
    pub fn check(&self, ranks: u32) -> Result<(), Fault> {
        if ranks == 0 {
            return Err(Fault::new("ranks", 0, "a job needs at least one rank", "give a positive number"));
        }
        match (self, self.motif()) {
            (_, Some(motif)) => motif.check(ranks),
            (Self::Pattern(spec), _) => spec.check(ranks),
            (_, None) => unreachable!("what is no pattern is a motif"),
        }
    }

    /// The motif, if it is one.
    #[must_use]
    pub fn motif(&self) -> Option<&dyn Motif> {
        Some(match self {
            Self::Pattern(_) => return None,
            Self::UniformRandom(motif) => motif,
            Self::Stencil(motif) => motif,
            Self::Fft3d(motif) => motif,
            Self::PencilFft(motif) => motif,
            Self::Sweep(motif) => motif,
            Self::Lqcd(motif) => motif,
            Self::Lulesh(motif) => motif,
            Self::AllreduceLoop(motif) => motif,
            Self::Phases(motif) => motif,
            Self::Horovod(motif) => motif,
            Self::ConjugateGradient(motif) => motif,
            Self::ParticleMesh(motif) => motif,
            Self::Multigrid(motif) => motif,
            Self::CrystalRouter(motif) => motif,
        })
    }
}

/// A placed job.
#[derive(Clone, Debug, PartialEq)]
pub struct JobSpec {
    /// Its name, by which its random streams are keyed; no two jobs have the same.
    pub name: String,
    /// The node of each rank; ranks of one node follow each other.
    pub nodes: Vec<u32>,
    /// When it starts.
    pub start: Time,
    /// How much its times to compute differ.
    pub noise: Noise,
    /// What it runs.
    pub workload: WorkloadSpec,
}

/// A job that cannot be run as specified.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("jobs[{job}].{}{fault}", if *.of_workload { "workload." } else { "" })]
pub struct WorkloadError {
    /// Which job.
    pub job: usize,
    /// Whether the fault is in the job's workload, or in the job itself (its `name`, its `nodes`).
    pub of_workload: bool,
    /// The fault; its key is relative to the workload or to the job.
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
