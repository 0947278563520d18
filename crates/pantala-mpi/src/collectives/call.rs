//! What a collective is called with: its kind, its root, its data.

use crate::collectives::kind::CollectiveKind;
use crate::program::error::ProgramFault;
use std::sync::Arc;

use super::layout::Exchange;
use super::layout::Layout;
use super::layout::Task;

/// A collective operation as a program calls it. Sizes are bytes; roots are ranks of the
/// communicator, which comes apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Wait until every rank has entered.
    Barrier,
    /// `bytes` from the root to every rank.
    Bcast {
        /// Root rank.
        root: u32,
        /// Payload bytes.
        bytes: u64,
    },
    /// A reduction of `bytes` to the root.
    Reduce {
        /// Root rank.
        root: u32,
        /// Payload bytes.
        bytes: u64,
    },
    /// A reduction of `bytes`, the result on every rank.
    Allreduce {
        /// Payload bytes.
        bytes: u64,
    },
    /// A reduction of a vector that holds a block for every rank, which gets it (MPI's
    /// reduce_scatter_block).
    ReduceScatterBlock {
        /// Bytes of each block.
        bytes: u64,
    },
    /// The same with blocks of different sizes (MPI's reduce_scatter).
    ReduceScatter {
        /// Bytes of each rank's block, the same on all ranks.
        counts: Arc<[u64]>,
    },
    /// A block from every rank to every rank.
    Allgather {
        /// Bytes of each block.
        bytes: u64,
    },
    /// The same with blocks of different sizes.
    Allgatherv {
        /// Bytes of each rank's block, the same on all ranks.
        counts: Arc<[u64]>,
    },
    /// A block from every rank to the root.
    Gather {
        /// Root rank.
        root: u32,
        /// Bytes of each block.
        bytes: u64,
    },
    /// The same with blocks of different sizes.
    Gatherv {
        /// Root rank.
        root: u32,
        /// Bytes of each rank's block. MPI has the root know all of them and each rank its own;
        /// here all know all.
        counts: Arc<[u64]>,
    },
    /// A block from the root to every rank.
    Scatter {
        /// Root rank.
        root: u32,
        /// Bytes of each block.
        bytes: u64,
    },
    /// The same with blocks of different sizes.
    Scatterv {
        /// Root rank.
        root: u32,
        /// Bytes of each rank's block, as in [`Call::Gatherv`].
        counts: Arc<[u64]>,
    },
    /// A block from every rank to every other rank.
    Alltoall {
        /// Bytes per pair of ranks.
        bytes: u64,
    },
    /// The same with blocks of different sizes.
    Alltoallv {
        /// What this rank sends and receives. What one rank sends to another must be what that one
        /// receives from it.
        pairs: Arc<Exchange>,
    },
    /// A reduction of the ranks up to each rank.
    Scan {
        /// Payload bytes.
        bytes: u64,
    },
    /// A reduction of the ranks before each rank.
    Exscan {
        /// Payload bytes.
        bytes: u64,
    },
}

impl Call {
    /// What it does.
    #[must_use]
    pub const fn kind(&self) -> CollectiveKind {
        match self {
            Self::Barrier => CollectiveKind::Barrier,
            Self::Bcast { .. } => CollectiveKind::Bcast,
            Self::Reduce { .. } => CollectiveKind::Reduce,
            Self::Allreduce { .. } => CollectiveKind::Allreduce,
            Self::ReduceScatterBlock { .. } | Self::ReduceScatter { .. } => {
                CollectiveKind::ReduceScatter
            }
            Self::Allgather { .. } => CollectiveKind::Allgather,
            Self::Allgatherv { .. } => CollectiveKind::Allgatherv,
            Self::Gather { .. } => CollectiveKind::Gather,
            Self::Gatherv { .. } => CollectiveKind::Gatherv,
            Self::Scatter { .. } => CollectiveKind::Scatter,
            Self::Scatterv { .. } => CollectiveKind::Scatterv,
            Self::Alltoall { .. } => CollectiveKind::Alltoall,
            Self::Alltoallv { .. } => CollectiveKind::Alltoallv,
            Self::Scan { .. } => CollectiveKind::Scan,
            Self::Exscan { .. } => CollectiveKind::Exscan,
        }
    }

    /// The root, or 0 where there is none.
    #[must_use]
    pub const fn root(&self) -> u32 {
        match self {
            Self::Bcast { root, .. }
            | Self::Reduce { root, .. }
            | Self::Gather { root, .. }
            | Self::Gatherv { root, .. }
            | Self::Scatter { root, .. }
            | Self::Scatterv { root, .. } => *root,
            _ => 0,
        }
    }

    /// What is wrong with it among `size` ranks.
    #[must_use]
    pub fn fault(&self, size: u32) -> Option<ProgramFault> {
        let root = self.root();
        if root >= size {
            return Some(ProgramFault::RankOutOfRange { rank: root, size });
        }
        let given = match self {
            Self::ReduceScatter { counts }
            | Self::Allgatherv { counts }
            | Self::Gatherv { counts, .. }
            | Self::Scatterv { counts, .. } => counts.len(),
            Self::Alltoallv { pairs } if pairs.send.len() == size as usize => pairs.receive.len(),
            Self::Alltoallv { pairs } => pairs.send.len(),
            _ => return None,
        };
        (given != size as usize).then_some(ProgramFault::CountsDoNotFit { given, size })
    }

    /// What it moves.
    #[must_use]
    pub fn task(&self) -> Task {
        let layout = match self {
            Self::Barrier => Layout::Vector(0),
            Self::Bcast { bytes, .. }
            | Self::Reduce { bytes, .. }
            | Self::Allreduce { bytes }
            | Self::Scan { bytes }
            | Self::Exscan { bytes } => Layout::Vector(*bytes),
            Self::ReduceScatterBlock { bytes }
            | Self::Allgather { bytes }
            | Self::Gather { bytes, .. }
            | Self::Scatter { bytes, .. }
            | Self::Alltoall { bytes } => Layout::Each(*bytes),
            Self::ReduceScatter { counts }
            | Self::Allgatherv { counts }
            | Self::Gatherv { counts, .. }
            | Self::Scatterv { counts, .. } => Layout::Counts(Arc::clone(counts)),
            Self::Alltoallv { pairs } => Layout::Exchange(Arc::clone(pairs)),
        };
        Task { layout, root: self.root() }
    }
}
