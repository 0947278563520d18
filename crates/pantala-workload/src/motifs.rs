//! Motifs: built-in communication skeletons, one file each.
//!
//! A file holds the motif's parameters as the plan has them, their check against the number of
//! ranks, and what a rank does in an iteration, written into a [`Script`]. To add one: a file, and
//! a line in the list below.

mod lattice;
mod process_array;
mod program;
mod script;

use std::fmt::Debug;

use pantala_engine::{LONGEST_TIME, Stream, Time};
use pantala_mpi::{Communicator, Fault, Op};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::patterns::Pattern;
use crate::programs::source::RankContext;
use crate::random_streams::{Purpose, keyed};

pub use program::{MotifProgram, MotifRank};
pub use script::Script;

/// Declares the motifs: the module of each, and [`WorkloadSpec`] with a variant for each.
macro_rules! motifs {
    ($($(#[$doc:meta])* $module:ident: $Motif:ident,)*) => {
        $(pub mod $module;)*

        /// The workload of a job: the plan's `workload` object. Its `kind` is the motif's name, or
        /// `pattern`.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind", rename_all = "snake_case")]
        pub enum WorkloadSpec {
            /// Synthetic traffic, endless.
            Pattern(Pattern),
            $($(#[$doc])* $Motif($module::$Motif),)*
        }

        impl WorkloadSpec {
            /// The motif; `None` for a pattern.
            #[must_use]
            pub fn motif(&self) -> Option<&dyn Motif> {
                match self {
                    Self::Pattern(_) => None,
                    $(Self::$Motif(motif) => Some(motif),)*
                }
            }
        }
    };
}

motifs! {
    /// A random partner every iteration.
    uniform_random: UniformRandom,
    /// Neighbours on a grid.
    stencil: Stencil,
    /// Alltoalls in rows and columns.
    fft3d: Fft3d,
    /// Alltoalls in rows and columns, with the block sizes that a cube of points in pencils gives.
    pencil_fft: PencilFft,
    /// A wave from corner to corner.
    sweep: Sweep,
    /// Neighbours on a grid of four dimensions, nearest and third-nearest, and allreduces.
    lqcd: Lqcd,
    /// Neighbours across faces, edges and corners, then a sweep.
    lulesh: Lulesh,
    /// Compute, allreduce, again.
    allreduce_loop: AllreduceLoop,
    /// Exchanges and computations in a row.
    phases: Phases,
    /// Training with negotiations.
    horovod: Horovod,
    /// Exchanges with those around, and sums.
    conjugate_gradient: ConjugateGradient,
    /// Molecular dynamics on a mesh.
    particle_mesh: ParticleMesh,
    /// Cycles over levels.
    multigrid: Multigrid,
    /// All to all by halves.
    crystal_router: CrystalRouter,
}

/// Which rank, of which job, and in which iteration.
#[derive(Clone, Copy, Debug)]
pub struct IterationContext {
    /// The rank.
    pub rank: u32,
    /// How many ranks the job has.
    pub ranks: u32,
    /// The iteration, from 0.
    pub iteration: u32,
    /// The job's key, of its name.
    pub job: u64,
    /// The plan's seed.
    pub seed: u64,
}

impl IterationContext {
    /// The first iteration of a rank.
    pub(crate) const fn first(rank: &RankContext) -> Self {
        let RankContext { rank, ranks, job, seed } = *rank;
        Self { rank, ranks, iteration: 0, job, seed }
    }

    /// Draws that all ranks of the job have in common in this iteration.
    pub(crate) const fn common_draws(&self, purpose: Purpose) -> Stream {
        keyed(self.seed, purpose, self.job, self.iteration)
    }
}

/// A communication skeleton: a number of iterations, each a script of MPI operations for every
/// rank.
///
/// A rank asks once an iteration, so that memory does not grow with iterations and no hot path goes
/// through here.
pub trait Motif: Debug {
    /// Checks the parameters for a job of `ranks`.
    ///
    /// # Errors
    /// A [`Fault`] whose key is relative to the workload, if the parameters are wrong or do not fit
    /// the ranks.
    fn check(&self, ranks: u32) -> Result<(), Fault>;

    /// How many iterations every rank makes.
    fn iterations(&self) -> u32;

    /// The communicators of a rank besides that of all: the first of them is number 1 in its
    /// operations.
    fn communicators(&self, _context: &IterationContext) -> Vec<Communicator> {
        Vec::new()
    }

    /// Writes what a rank does in an iteration; its marks are set around it.
    fn iteration(&self, context: &IterationContext, script: &mut Script);

    /// All that a rank will send in all iterations: operations, each with how often; see
    /// [`Program::summary`](pantala_mpi::Program::summary). To be overridden where iterations
    /// differ.
    fn summary(&self, context: &IterationContext) -> Vec<(Op, u64)> {
        let mut script = Script::default();
        self.iteration(context, &mut script);
        let times = u64::from(self.iterations());
        script.sends().map(|op| (op, times)).collect()
    }
}

/// Checks that a time is not beyond all bounds.
///
/// # Errors
/// A [`Fault`] if it is longer than [`LONGEST_TIME`].
pub fn bounded(key: &str, time: Time) -> Result<(), Fault> {
    if time > LONGEST_TIME {
        return Err(Fault::new(
            key,
            time,
            "longer than any run",
            "give at most 10^18 ps (11 days)",
        ));
    }
    Ok(())
}

/// Checks that a size or a count is not zero.
pub(crate) fn positive(key: &str, value: u64) -> Result<(), Fault> {
    if value == 0 {
        return Err(Fault::new(key, value, "must be at least 1", "give a positive number"));
    }
    Ok(())
}

/// The [`Motif::summary`] of one whose iterations are of several sorts: an iteration of each, and
/// how many there are of it.
pub(crate) fn summed(
    motif: &dyn Motif,
    context: &IterationContext,
    sorts: &[(u32, u32)],
) -> Vec<(Op, u64)> {
    let mut sent = Vec::new();
    for &(iteration, times) in sorts.iter().filter(|(_, times)| *times > 0) {
        let mut script = Script::default();
        motif.iteration(&IterationContext { iteration, ..*context }, &mut script);
        sent.extend(script.sends().map(|op| (op, u64::from(times))));
    }
    sent
}
