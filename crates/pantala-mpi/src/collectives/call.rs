//! What a collective is called with: its kind, its root, its data.

use std::sync::Arc;

use super::layout::{Exchange, Layout, Task};
use crate::error::ProgramFault;

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

/// What a collective does, whatever the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CollectiveKind {
    /// Barrier.
    Barrier = 1,
    /// Broadcast.
    Bcast,
    /// Reduce.
    Reduce,
    /// Allreduce.
    Allreduce,
    /// Alltoall.
    Alltoall,
    /// Reduce-scatter, of blocks of one size or of different sizes.
    ReduceScatter,
    /// Allgather.
    Allgather,
    /// Allgather of different sizes.
    Allgatherv,
    /// Gather.
    Gather,
    /// Gather of different sizes.
    Gatherv,
    /// Scatter.
    Scatter,
    /// Scatter of different sizes.
    Scatterv,
    /// Alltoall of different sizes.
    Alltoallv,
    /// Scan.
    Scan,
    /// Exscan.
    Exscan,
    /// The making of communicators.
    Communicator,
}

impl CollectiveKind {
    /// All kinds, in the order of their tags.
    pub const ALL: [Self; 16] = [
        Self::Barrier,
        Self::Bcast,
        Self::Reduce,
        Self::Allreduce,
        Self::Alltoall,
        Self::ReduceScatter,
        Self::Allgather,
        Self::Allgatherv,
        Self::Gather,
        Self::Gatherv,
        Self::Scatter,
        Self::Scatterv,
        Self::Alltoallv,
        Self::Scan,
        Self::Exscan,
        Self::Communicator,
    ];

    /// The tag of its messages: negative, which no user's tag is, so that message records tell what
    /// a message was for.
    #[must_use]
    pub const fn tag(self) -> i32 {
        -(self as i32)
    }

    /// The kind whose messages have this tag.
    #[must_use]
    pub fn of_tag(tag: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.tag() == tag)
    }

    /// The name, for messages to people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::Bcast => "bcast",
            Self::Reduce => "reduce",
            Self::Allreduce => "allreduce",
            Self::Alltoall => "alltoall",
            Self::ReduceScatter => "reduce_scatter",
            Self::Allgather => "allgather",
            Self::Allgatherv => "allgatherv",
            Self::Gather => "gather",
            Self::Gatherv => "gatherv",
            Self::Scatter => "scatter",
            Self::Scatterv => "scatterv",
            Self::Alltoallv => "alltoallv",
            Self::Scan => "scan",
            Self::Exscan => "exscan",
            Self::Communicator => "making of a communicator",
        }
    }

    /// The name of its non-blocking form.
    #[must_use]
    pub const fn non_blocking_name(self) -> &'static str {
        match self {
            Self::Barrier => "ibarrier",
            Self::Bcast => "ibcast",
            Self::Reduce => "ireduce",
            Self::Allreduce => "iallreduce",
            Self::Alltoall => "ialltoall",
            Self::ReduceScatter => "ireduce_scatter",
            Self::Allgather => "iallgather",
            Self::Allgatherv => "iallgatherv",
            Self::Gather => "igather",
            Self::Gatherv => "igatherv",
            Self::Scatter => "iscatter",
            Self::Scatterv => "iscatterv",
            Self::Alltoallv => "ialltoallv",
            Self::Scan => "iscan",
            Self::Exscan => "iexscan",
            Self::Communicator => "making of a communicator",
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_tell_kinds() {
        for kind in CollectiveKind::ALL {
            assert!(kind.tag() < 0);
            assert_eq!(CollectiveKind::of_tag(kind.tag()), Some(kind));
        }
        assert_eq!(CollectiveKind::Alltoall.tag(), -5);
        assert_eq!(CollectiveKind::of_tag(0), None);
    }
}
