//! What a format of traces implements.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pantala_mpi::{Communicator, OperationStream, RankContext};

use super::{ComputeScale, TraceError, TraceSummary};

/// The files of a trace of one format.
pub trait TraceFile: Sized {
    /// The program of one rank.
    type Operations: OperationStream;

    /// The files of the trace at `path`, in a fixed order.
    ///
    /// # Errors
    /// A [`TraceError`] if a file is missing.
    fn files(path: &Path) -> Result<Vec<PathBuf>, TraceError>;

    /// Opens the trace and reads what all ranks must know.
    ///
    /// # Errors
    /// A [`TraceError`] if a file is missing or wrong.
    fn open(path: &Path) -> Result<Self, TraceError>;

    /// Number of ranks.
    fn ranks(&self) -> u32;

    /// Checks that a job can replay the trace.
    ///
    /// # Errors
    /// A [`TraceError`] with the call that cannot be replayed.
    fn check(&self) -> Result<(), TraceError> {
        Ok(())
    }

    /// The summary of the trace.
    ///
    /// # Errors
    /// A [`TraceError`] if a file is wrong.
    fn summary(&self) -> Result<TraceSummary, TraceError>;

    /// The communicators of a rank besides `COMM_WORLD`.
    fn communicators(&self, _rank: &RankContext) -> Vec<Communicator> {
        Vec::new()
    }

    /// Makes the program of a rank.
    fn program(self: &Arc<Self>, scale: ComputeScale, rank: u32) -> Self::Operations;
}
