//! Motifs: built-in communication skeletons, one per file.
//!
//! A file holds the motif's parameters as the plan writes them, their check against the number of
//! ranks, and the operations of a rank in an iteration, as a [`Script`]. To add a motif, add a file
//! and a line in the list below. Programs of users come from front ends: their list is above that
//! of the motifs.

mod lattice;
mod process_array;
mod program;
mod script;
mod sequence;
mod surroundings;

use std::fmt::Debug;

use pantala_engine::{LONGEST_TIME, Stream, Time};
use pantala_frontends::operations::OperationFile;
use pantala_frontends::trace::TraceSpec;
use pantala_mpi::{Communicator, Fault, Op, RankContext};
use pantala_ncptl::NcptlSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::patterns::Pattern;
use crate::programs::Repeats;
use crate::random_streams::{Purpose, keyed};

pub use program::{MotifRank, MotifSource};
pub use script::Script;
pub use sequence::Sequence;

/// Declares the workloads: the module of each motif, and [`WorkloadSpec`] with one variant per
/// front end and per motif. The type of a front end is the [`OperationSource`] itself.
macro_rules! workloads {
    (
        front_ends { $($(#[$source_doc:meta])* $Kind:ident($Source:ty),)* }
        motifs { $($(#[$doc:meta])* $module:ident: $Motif:ident,)* }
    ) => {
        $(pub mod $module;)*

        /// The workload of a job: the plan's `workload` object. Its `kind` is `pattern`, `sequence`,
        /// or the name of a front end or of a motif.
        #[derive(
            Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, strum::IntoStaticStr,
        )]
        #[serde(tag = "kind", rename_all = "snake_case")]
        #[strum(serialize_all = "snake_case")]
        pub enum WorkloadSpec {
            /// Synthetic traffic at an offered load, without end.
            Pattern(Pattern),
            /// Motifs that run one after another.
            Sequence(Sequence),
            $($(#[$source_doc])* $Kind($Source),)*
            $($(#[$doc])* $Motif($module::$Motif),)*
        }

        impl WorkloadSpec {
            /// The motif; `None` for any other workload.
            #[must_use]
            pub fn motif(&self) -> Option<&dyn Motif> {
                match self {
                    Self::Pattern(_) | Self::Sequence(_) => None,
                    $(Self::$Kind(_) => None,)*
                    $(Self::$Motif(motif) => Some(motif),)*
                }
            }
        }
    };
}

workloads! {
front_ends {
    /// A trace of recorded MPI calls or a dependency graph.
    Trace(TraceSpec),
    /// A coNCePTuaL program.
    Ncptl(NcptlSpec),
    /// The operations of a file.
    #[serde(rename = "operations")]
    #[strum(serialize = "operations")]
    OperationFile(OperationFile),
}
motifs {
    /// A random partner in every iteration.
    uniform_random: UniformRandom,
    /// Exchanges with neighbours on a grid.
    stencil: Stencil,
    /// Alltoalls in rows and columns.
    fft3d: Fft3d,
    /// Alltoallv in rows and columns, with the block sizes of a cube of points in pencils.
    pencil_fft: PencilFft,
    /// A wave through a grid, from corner to corner.
    sweep: Sweep,
    /// Exchanges with nearest and third-nearest neighbours on a grid of four dimensions, and
    /// allreduces.
    lqcd: Lqcd,
    /// Exchanges across faces, edges and corners of a grid, then a sweep.
    lulesh: Lulesh,
    /// Compute, then allreduce, repeatedly.
    allreduce_loop: AllreduceLoop,
    /// A list of exchanges and compute phases.
    phases: Phases,
    /// Data-parallel training with Horovod.
    horovod: Horovod,
    /// Exchanges with neighbours on a grid, and sums.
    conjugate_gradient: ConjugateGradient,
    /// Molecular dynamics with long-range forces on a mesh.
    particle_mesh: ParticleMesh,
    /// V-cycles over finer and coarser grids.
    multigrid: Multigrid,
    /// An all-to-all exchange by recursive halving.
    crystal_router: CrystalRouter,
    /// No operation.
    idle: Idle,
    /// Compute, then one collective, repeatedly.
    collective_loop: CollectiveLoop,
    /// Pairs of ranks that send back and forth.
    ping_pong: PingPong,
    /// A message that goes from rank to rank.
    token_ring: TokenRing,
    /// All ranks send to one.
    incast: Incast,
    /// All other ranks send to a few.
    many_to_many: ManyToMany,
    /// Many messages from one rank to another at once.
    message_rate: MessageRate,
    /// Blocking exchanges with neighbours on a grid, in an order by parity.
    ordered_exchange: OrderedExchange,
    /// Exchanges across faces, edges and corners of a grid.
    surrounding_exchange: SurroundingExchange,
    /// Waves through a grid from several corners.
    corner_sweeps: CornerSweeps,
    /// Exchanges along the edges of a graph.
    graph_exchange: GraphExchange,
}
}

impl WorkloadSpec {
    /// The motifs that run one after another; none if the workload is no motif and no sequence.
    #[must_use]
    pub fn parts(&self) -> &[Self] {
        match self {
            Self::Sequence(sequence) => &sequence.parts,
            other if other.motif().is_some() => std::slice::from_ref(other),
            _ => &[],
        }
    }
}

/// A rank, its job and an iteration.
#[derive(Clone, Copy, Debug)]
pub struct IterationContext {
    /// The rank.
    pub rank: u32,
    /// Number of ranks of the job.
    pub ranks: u32,
    /// The number of the iteration, from 0.
    pub iteration: u32,
    /// The key of the job's name, for random streams.
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

    /// The random draws of this iteration that are equal on all ranks of the job.
    pub(crate) const fn common_draws(&self, purpose: Purpose) -> Stream {
        keyed(self.seed, purpose, self.job, self.iteration)
    }
}

/// A communication skeleton: a number of iterations, each a script of MPI operations for every
/// rank.
///
/// The program of a rank asks for one script per iteration, so memory does not grow with the number
/// of iterations. The virtual call happens once per iteration.
pub trait Motif: Debug {
    /// Checks the parameters for a job of `ranks` ranks.
    ///
    /// # Errors A [`Fault`] if the parameters are wrong or do not fit the number of ranks. Its key
    /// is relative to the workload.
    fn check(&self, ranks: u32) -> Result<(), Fault>;

    /// Writes the operations of a rank before its first iteration.
    fn before(&self, _context: &IterationContext, _script: &mut Script) {}

    /// Writes the operations of a rank after its last iteration.
    fn after(&self, _context: &IterationContext, _script: &mut Script) {}

    /// Number of iterations of every rank.
    fn iterations(&self) -> u32;

    /// Which iterations are equal, or have random draws of equal distributions; `None` if none are.
    /// Nothing that an iteration starts may stay open in the next one.
    fn repeats(&self) -> Option<Repeats> {
        Some(Repeats::ALL)
    }

    /// The communicators of a rank besides `COMM_WORLD`. They have the numbers 1, 2, ... in its
    /// operations.
    fn communicators(&self, _context: &IterationContext) -> Vec<Communicator> {
        Vec::new()
    }

    /// Writes the operations of a rank in an iteration, without the marks of its start and end. A
    /// motif that reports each phase by itself marks the start of each with [`Script::phase`].
    fn iteration(&self, context: &IterationContext, script: &mut Script);

    /// The sends of a rank in all iterations: operations, each with its number of executions. See
    /// [`OperationStream::summary`](pantala_mpi::OperationStream::summary). Motifs whose iterations
    /// differ override it.
    fn summary(&self, context: &IterationContext) -> Vec<(Op, u64)> {
        let mut script = Script::default();
        self.iteration(context, &mut script);
        let times = u64::from(self.iterations());
        script.sends().map(|op| (op, times)).collect()
    }
}

/// Checks that a time fits into a run.
///
/// # Errors A [`Fault`] if it is longer than [`LONGEST_TIME`].
pub fn bounded(key: &str, time: Time) -> Result<(), Fault> {
    if time > LONGEST_TIME {
        return Err(Fault::new(
            key,
            time,
            "is longer than any run",
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

/// The [`Motif::summary`] of a motif with several kinds of iterations, from one iteration of each
/// kind and the number of its iterations.
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
