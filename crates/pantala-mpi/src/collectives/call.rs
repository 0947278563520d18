//! Calls of collectives: the operation, its root and its sizes.

use crate::collectives::kind::CollectiveKind;
use crate::program::error::OperationFault;
use std::sync::Arc;

use super::layout::Exchange;
use super::layout::Layout;
use super::layout::Task;

/// A call of a collective by a program. Sizes are in bytes. Roots are ranks of the communicator,
/// which the operation names separately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Wait until every rank has entered.
    Barrier,
    /// Send `bytes` from the root to every rank.
    Bcast {
        /// Root rank.
        root: u32,
        /// Payload bytes.
        bytes: u64,
    },
    /// Reduce `bytes` to the root.
    Reduce {
        /// Root rank.
        root: u32,
        /// Payload bytes.
        bytes: u64,
    },
    /// Reduce `bytes`; every rank gets the result.
    Allreduce {
        /// Payload bytes.
        bytes: u64,
    },
    /// Reduce a vector that holds one block per rank; every rank gets its block
    /// (MPI_Reduce_scatter_block).
    ReduceScatterBlock {
        /// Bytes of each block.
        bytes: u64,
    },
    /// As `ReduceScatterBlock` with blocks of different sizes (MPI_Reduce_scatter).
    ReduceScatter {
        /// Bytes of each rank's block, equal on all ranks.
        counts: Arc<[u64]>,
    },
    /// Send a block from every rank to every rank.
    Allgather {
        /// Bytes of each block.
        bytes: u64,
    },
    /// As `Allgather` with blocks of different sizes.
    Allgatherv {
        /// Bytes of each rank's block, equal on all ranks.
        counts: Arc<[u64]>,
    },
    /// Send a block from every rank to the root.
    Gather {
        /// Root rank.
        root: u32,
        /// Bytes of each block.
        bytes: u64,
    },
    /// As `Gather` with blocks of different sizes.
    Gatherv {
        /// Root rank.
        root: u32,
        /// Bytes of each rank's block. In MPI only the root knows all of them; here every rank
        /// does.
        counts: Arc<[u64]>,
    },
    /// Send a block from the root to every rank.
    Scatter {
        /// Root rank.
        root: u32,
        /// Bytes of each block.
        bytes: u64,
    },
    /// As `Scatter` with blocks of different sizes.
    Scatterv {
        /// Root rank.
        root: u32,
        /// Bytes of each rank's block, as in [`Call::Gatherv`].
        counts: Arc<[u64]>,
    },
    /// Send a block from every rank to every other rank.
    Alltoall {
        /// Bytes per pair of ranks.
        bytes: u64,
    },
    /// As `Alltoall` with blocks of different sizes.
    Alltoallv {
        /// The sizes that this rank sends and receives. They must agree with those of the other
        /// ranks.
        pairs: Arc<Exchange>,
    },
    /// Reduce over all ranks up to and including each rank.
    Scan {
        /// Payload bytes.
        bytes: u64,
    },
    /// Reduce over all ranks before each rank.
    Exscan {
        /// Payload bytes.
        bytes: u64,
    },
}

impl Call {
    /// The kind of the collective.
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

    /// The root; 0 if there is none.
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

    /// The size of the call in bytes, of the vector or of a block; `None` for a barrier, and if the
    /// call has a size for each rank.
    #[must_use]
    pub const fn bytes(&self) -> Option<u64> {
        match self {
            Self::Bcast { bytes, .. }
            | Self::Reduce { bytes, .. }
            | Self::Allreduce { bytes }
            | Self::ReduceScatterBlock { bytes }
            | Self::Allgather { bytes }
            | Self::Gather { bytes, .. }
            | Self::Scatter { bytes, .. }
            | Self::Alltoall { bytes }
            | Self::Scan { bytes }
            | Self::Exscan { bytes } => Some(*bytes),
            Self::Barrier
            | Self::ReduceScatter { .. }
            | Self::Allgatherv { .. }
            | Self::Gatherv { .. }
            | Self::Scatterv { .. }
            | Self::Alltoallv { .. } => None,
        }
    }

    /// The fault of the call on a communicator of `size` ranks, if it has one.
    #[must_use]
    pub fn fault(&self, size: u32) -> Option<OperationFault> {
        let root = self.root();
        if root >= size {
            return Some(OperationFault::RankOutOfRange { rank: root, size });
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
        (given != size as usize).then_some(OperationFault::CountsDoNotFit { given, size })
    }

    /// The data that the collective moves.
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
