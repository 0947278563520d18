//! The interface of a kind of programs: it makes the program of each rank of a job.

use crate::communicators::communicator::Communicator;
use crate::key_fault::Fault;
use crate::program::operation::OperationStream;
use pantala_engine::random::key_of;

/// The rank for which a program is made.
#[derive(Clone, Copy, Debug)]
pub struct RankContext {
    /// The rank.
    pub rank: u32,
    /// Number of ranks of the job.
    pub ranks: u32,
    /// The key of the job's name, for random streams.
    pub job: u64,
    /// The plan's seed.
    pub seed: u64,
}

impl RankContext {
    /// The context of `rank` of `ranks` in the job called `job`.
    #[must_use]
    pub fn new(rank: u32, ranks: u32, job: &str, seed: u64) -> Self {
        Self { rank, ranks, job: key_of(job), seed }
    }
}

/// The programs of all ranks of a job.
pub trait OperationSource {
    /// The program of one rank.
    type Operations: OperationStream;

    /// Checks the parameters for a job of `ranks` ranks.
    ///
    /// # Errors
    /// A [`Fault`] if the parameters are wrong or do not fit the number of ranks. Its key is
    /// relative to the workload.
    fn check(&self, ranks: u32) -> Result<(), Fault>;

    /// The communicators of a rank besides [`COMM_WORLD`](crate::COMM_WORLD). They have the
    /// numbers 1, 2, ... in this order.
    fn communicators(&self, _rank: &RankContext) -> Vec<Communicator> {
        Vec::new()
    }

    /// Makes the program of a rank. The parameters have been checked.
    fn program(&self, rank: RankContext) -> Self::Operations;
}
