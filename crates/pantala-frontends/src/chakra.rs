//! Chakra execution traces (MLCommons, schema ET 0.0.4): for each rank a graph of computations,
//! messages and collectives of a machine learning job.
//!
//! A trace has a file `NAME.RANK.et` for each rank, plain or compressed with gzip. Each file is
//! read twice: once when the trace is opened, to find the process groups and wrong nodes, and once
//! while the rank runs. In memory are the nodes that have been read and are not finished. A rank
//! reads ahead as far as the [window](WINDOW) allows, and further if nothing can happen otherwise.

mod collectives;
mod files;
mod frames;
mod messages;
mod nodes;
mod rank_file;
mod reader;
mod survey;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pantala_engine::Time;
use pantala_mpi::{Communicator, CommunicatorId, Op, OperationStream, Outcome, RankContext};

use crate::graph::Executor;
use crate::graph::window::Window;
use crate::trace::{ComputeScale, TraceError, TraceFile, TraceSummary};

use rank_file::RankFile;
use reader::ChakraReader;

pub use files::recognizes;

/// Nodes in memory, over all ranks: the windows of the ranks share this number.
pub const WINDOW: usize = 1 << 21;

/// The program of a rank.
#[derive(Clone, Debug)]
pub struct ChakraOperations(Box<Executor<Window<ChakraReader>>>);

impl OperationStream for ChakraOperations {
    #[inline]
    fn next(&mut self, now: Time, outcome: &Outcome) -> Option<Op> {
        self.0.next(now, outcome)
    }
}

/// A trace whose files have been read once.
#[derive(Clone, Debug)]
pub struct ChakraTrace {
    files: Vec<RankFile>,
    /// The members of each process group, in order.
    groups: BTreeMap<Box<[u8]>, Arc<[u32]>>,
    summary: TraceSummary,
    /// The first fault that keeps the trace from being replayed.
    fault: Option<TraceError>,
}

impl ChakraTrace {
    /// The communicators of the groups in which a rank is, in the order of the names.
    fn groups_of(
        &self,
        rank: u32,
    ) -> impl Iterator<Item = (CommunicatorId, u32, &[u8], &Arc<[u32]>)> {
        let groups = (1..).zip(&self.groups).filter_map(move |(context, (name, members))| {
            members.binary_search(&rank).is_ok().then_some((context, &**name, members))
        });
        (1..).zip(groups).map(|(id, (context, name, members))| (id, context, name, members))
    }
}

impl TraceFile for ChakraTrace {
    type Operations = ChakraOperations;

    fn files(path: &Path) -> Result<Vec<PathBuf>, TraceError> {
        files::find(path)
    }

    fn open(path: &Path) -> Result<Self, TraceError> {
        survey::survey(&files::find(path)?)
    }

    fn ranks(&self) -> u32 {
        self.files.len() as u32
    }

    fn check(&self) -> Result<(), TraceError> {
        self.fault.clone().map_or(Ok(()), Err)
    }

    fn summary(&self) -> Result<TraceSummary, TraceError> {
        Ok(self.summary.clone())
    }

    fn communicators(&self, rank: &RankContext) -> Vec<Communicator> {
        self.groups_of(rank.rank)
            .map(|(_, context, _, members)| {
                let me = members.partition_point(|member| *member < rank.rank) as u32;
                Communicator::list(context, Arc::clone(members), me)
            })
            .collect()
    }

    fn program(self: &Arc<Self>, scale: ComputeScale, rank: u32) -> ChakraOperations {
        let file = &self.files[rank as usize];
        let limit = (WINDOW / self.files.len()).clamp(1 << 10, 1 << 20);
        let reader = ChakraReader::new(Arc::clone(self), rank);
        let window = Window::new(reader, limit, file.ordered, Arc::clone(&file.absent));
        ChakraOperations(Box::new(Executor::new(window, scale)))
    }
}
