//! DUMPI: traces of the MPI calls of each rank, as sst-dumpi writes them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pantala_engine::Time;
use pantala_mpi::{Op, Outcome, Program};

use crate::trace::{TraceError, TraceFile, TraceFormat, TraceSpec, TraceSummary};

/// A DUMPI trace.
#[derive(Debug)]
pub struct DumpiTrace;

/// The program of one rank of a DUMPI trace.
#[derive(Clone, Debug)]
pub struct DumpiRank;

impl Program for DumpiRank {
    fn next(&mut self, _: Time, _: &Outcome) -> Option<Op> {
        None
    }
}

/// Whether the files at a path are those of a DUMPI trace.
#[must_use]
pub fn recognizes(_: &Path) -> bool {
    false
}

impl TraceFile for DumpiTrace {
    type Program = DumpiRank;

    fn files(path: &Path) -> Result<Vec<PathBuf>, TraceError> {
        Ok(vec![path.to_owned()])
    }

    fn open(path: &Path) -> Result<Self, TraceError> {
        Err(TraceError::new(path, format!("{:?} is not read yet", TraceFormat::Dumpi)))
    }

    fn ranks(&self) -> u32 {
        0
    }

    fn summary(&self) -> Result<TraceSummary, TraceError> {
        Err(TraceError::new(Path::new(""), "is not read yet"))
    }

    fn program(self: &Arc<Self>, _: &TraceSpec, _: u32) -> DumpiRank {
        DumpiRank
    }
}
