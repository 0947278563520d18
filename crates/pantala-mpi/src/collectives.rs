//! Collectives: expanded lazily, rank by rank, into point-to-point steps.
//!
//! An algorithm is a small state machine in a file of its own. It knows its place among the members and how many
//! they are, and yields [`Step`]s: starts of sends and receives, and waits for all that it has started. It never
//! sees the network, so that the same machine can be run on abstract data (as the tests do) and inside a
//! [`crate::World`].
//!
//! To add one: a file here, a variant of [`Collective`], a name in [`crate::Collectives`].

pub mod binary_tree;
pub mod recursive_doubling;
pub mod ring;

use binary_tree::BinaryTree;
use recursive_doubling::RecursiveDoubling;
use ring::Ring;

use crate::config::{AllreduceAlgorithm, AlltoallAlgorithm, Collectives, TreeOnly};

/// One step of one member of a collective. Peers are members of the communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Start sending what the member holds now.
    Isend {
        /// Destination.
        peer: u32,
        /// Payload bytes.
        bytes: u64,
    },
    /// Start receiving.
    Irecv {
        /// Source.
        peer: u32,
        /// Payload bytes.
        bytes: u64,
        /// What becomes of the data.
        fold: Fold,
    },
    /// Wait for everything started.
    Waitall,
}

/// What a member does with data that it receives, once it has waited for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Combines it with its own (a reduction).
    Combine,
    /// Has it instead of its own.
    Replace,
    /// Keeps it beside its own (a block of an alltoall).
    Keep,
}

/// What a collective does, whatever the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectiveKind {
    /// Barrier.
    Barrier,
    /// Broadcast.
    Bcast,
    /// Reduce.
    Reduce,
    /// Allreduce.
    Allreduce,
    /// Alltoall.
    Alltoall,
}

impl CollectiveKind {
    /// The tag of its messages: negative, which no user's tag is. So a barrier's message never matches a
    /// broadcast's, and message records tell what a message was for.
    #[must_use]
    pub const fn tag(self) -> i32 {
        match self {
            Self::Barrier => -1,
            Self::Bcast => -2,
            Self::Reduce => -3,
            Self::Allreduce => -4,
            Self::Alltoall => -5,
        }
    }
}

/// A member's state in a running collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    /// Reduce towards the root, broadcast from it, or both.
    BinaryTree(BinaryTree),
    /// Exchanges at doubling distances.
    RecursiveDoubling(RecursiveDoubling),
    /// Pairwise exchanges around a ring.
    Ring(Ring),
}

impl Collective {
    /// A barrier.
    #[must_use]
    pub const fn barrier(choice: &Collectives) -> Self {
        match choice.barrier {
            TreeOnly::BinaryTree => Self::BinaryTree(BinaryTree::barrier()),
        }
    }

    /// A broadcast of `bytes` from `root`.
    #[must_use]
    pub const fn bcast(choice: &Collectives, root: u32, bytes: u64) -> Self {
        match choice.bcast {
            TreeOnly::BinaryTree => Self::BinaryTree(BinaryTree::bcast(root, bytes)),
        }
    }

    /// A reduction of `bytes` to `root`.
    #[must_use]
    pub const fn reduce(choice: &Collectives, root: u32, bytes: u64) -> Self {
        match choice.reduce {
            TreeOnly::BinaryTree => Self::BinaryTree(BinaryTree::reduce(root, bytes)),
        }
    }

    /// A reduction of `bytes` to all.
    #[must_use]
    pub const fn allreduce(choice: &Collectives, bytes: u64) -> Self {
        match choice.allreduce {
            AllreduceAlgorithm::BinaryTree => Self::BinaryTree(BinaryTree::allreduce(bytes)),
            AllreduceAlgorithm::RecursiveDoubling => Self::RecursiveDoubling(RecursiveDoubling::allreduce(bytes)),
        }
    }

    /// `bytes` between every pair of members.
    #[must_use]
    pub const fn alltoall(choice: &Collectives, bytes: u64) -> Self {
        match choice.alltoall {
            AlltoallAlgorithm::Ring => Self::Ring(Ring::alltoall(bytes)),
        }
    }

    /// How many messages all `size` members send together; each has the collective's full size.
    #[must_use]
    pub fn messages(&self, size: u32) -> u64 {
        match self {
            Self::BinaryTree(machine) => machine.messages(size),
            Self::RecursiveDoubling(machine) => machine.messages(size),
            Self::Ring(machine) => machine.messages(size),
        }
    }

    /// The next step of member `me` of `size`; `None` at the end.
    #[inline]
    pub fn next(&mut self, me: u32, size: u32) -> Option<Step> {
        match self {
            Self::BinaryTree(machine) => machine.next(me, size),
            Self::RecursiveDoubling(machine) => machine.next(me, size),
            Self::Ring(machine) => machine.next(me, size),
        }
    }
}
