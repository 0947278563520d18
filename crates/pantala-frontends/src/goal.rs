//! GOAL schedules of LogGOPSim (Hoefler, Schneider and Lumsdaine, HPDC 2010): for each rank a graph
//! of sends, receives and computations.
//!
//! A schedule is a text file or the binary file that `txt2bin` makes of it. Both are read once,
//! rank by rank: a dependency may name any operation of its rank, so a rank is read as a whole.
//! Graphs of more than 64 MiB (28 B for an operation, 4 B for a dependency) lie in a temporary
//! file, from which ranks read a few blocks each. So memory holds the largest rank while a schedule
//! is opened, and afterwards the operations that are ready, running, or wait for the last of
//! several others.
//!
//! Costs come from the simulated machine, not from the LogGOPS parameters of a GOAL run: messages
//! take what the network and the MPI layer say. `calc` takes its time, in ns, on its CPU. A CPU
//! does one `calc` after the other; a send starts when its CPU is free, and a receive finishes when
//! its message has arrived and its CPU is free. The network interface `nic` has no effect: a rank
//! has the NIC of its node.

mod binary;
mod labels;
mod operations;
mod scanner;
mod schedule;
mod summary;
mod text;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::graph::Executor;
use crate::graph::running::RunningGraph;
use crate::input;
use crate::trace::{ComputeScale, TraceError, TraceFile, TraceSummary};

pub use binary::read_binary;
pub use schedule::GoalSchedule;
pub use text::read_text;

/// The program of a rank.
pub type GoalOperations = Executor<RunningGraph>;

/// Whether the file at a path is a GOAL schedule: it begins with a magic number of the binary form,
/// or its name ends with `.goal`, or it is a text that begins with `num_ranks`.
#[must_use]
pub fn recognizes(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    if path.extension().is_some_and(|extension| extension == "goal") {
        return true;
    }
    let Ok((start, _)) = beginning(path) else {
        return false;
    };
    binary::is_binary(&start) || text::is_text(&start)
}

/// The first bytes of a file, and the file after them.
fn beginning(path: &Path) -> std::io::Result<(Vec<u8>, File)> {
    let mut file = input::open(path)?;
    let mut start = Vec::new();
    (&mut file).take(4_096).read_to_end(&mut start)?;
    Ok((start, file))
}

impl TraceFile for GoalSchedule {
    type Operations = GoalOperations;

    fn files(path: &Path) -> Result<Vec<PathBuf>, TraceError> {
        Ok(vec![path.to_owned()])
    }

    fn open(path: &Path) -> Result<Self, TraceError> {
        let bad = |error| TraceError::new(path, format!("cannot be read: {error}"));
        let (start, file) = beginning(path).map_err(bad)?;
        let file_bytes = file.metadata().map_err(bad)?.len();
        let schedule = if binary::is_binary(&start) {
            read_binary(path, file)
        } else {
            read_text(path, start.chain(file))
        }?;
        let fault = summary::unmatched(&schedule).map_err(|error| {
            TraceError::new(path, format!("its temporary file cannot be read: {error}"))
        })?;
        let fault = fault.map(|unmatched| {
            let message =
                format!("operation {} of the rank: {}", unmatched.place, unmatched.message);
            TraceError::new(path, message).of_rank(unmatched.rank)
        });
        Ok(Self { file_bytes, fault, ..schedule })
    }

    fn ranks(&self) -> u32 {
        self.graphs.ranks()
    }

    fn check(&self) -> Result<(), TraceError> {
        self.fault.clone().map_or(Ok(()), Err)
    }

    fn summary(&self) -> Result<TraceSummary, TraceError> {
        summary::summary(self).map_err(|error| {
            TraceError::new(Path::new("its temporary file"), format!("cannot be read: {error}"))
        })
    }

    fn program(self: &Arc<Self>, scale: ComputeScale, rank: u32) -> GoalOperations {
        Executor::new(RunningGraph::new(Arc::clone(&self.graphs), rank), scale)
    }
}
