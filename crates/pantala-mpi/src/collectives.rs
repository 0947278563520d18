//! Collectives, expanded lazily into point-to-point steps, rank by rank.
//!
//! Each algorithm is a pure function in a file of its own. It maps the member, the number of
//! members and the member's position to the next [`Step`]: the start of a send, the start of a
//! receive, or a wait for all of them. The function never sees the network, so tests can run it on
//! abstract data. A running [`Collective`] holds one or two algorithms, which run in sequence, and
//! a position. For example, a ring allreduce is a reduce-scatter followed by an allgather.
//!
//! To add an algorithm: add a file here, a variant of [`Algorithm`], a name in [`crate::config`]
//! and its choice in `choice.rs`.

mod binary_tree;
mod binomial_gather;
mod binomial_tree;
mod bruck_allgather;
mod bruck_alltoall;
pub mod call;
mod choice;
mod dissemination;
mod doubling_allgather;
mod folded;
pub mod kind;
pub mod layout;
mod linear;
mod linear_alltoall;
mod mpich;
mod pairwise;
mod pairwise_reduce_scatter;
mod rabenseifner;
mod recursive_doubling;
mod recursive_halving;
mod ring;
mod ring_allgather;
mod ring_reduce_scatter;
mod scan_chain;
mod scan_doubling;
mod sized_tree;
pub mod step;

pub use call::Call;
pub use kind::CollectiveKind;
pub use layout::{Blocks, Exchange, Layout, Task};
pub use linear_alltoall::BATCH;
pub use step::{Fold, Point, Step, Turn};

/// The algorithms. A file holds one algorithm, or both directions of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Reduce towards the root of a binary tree.
    BinaryTreeUp,
    /// Broadcast from the root of a binary tree.
    BinaryTreeDown,
    /// Reduce towards the root of a binomial tree.
    BinomialReduce,
    /// Broadcast from the root of a binomial tree.
    BinomialBcast,
    /// Gather towards the root of a binomial tree.
    BinomialGather,
    /// Scatter from the root of a binomial tree.
    BinomialScatter,
    /// Every member sends to the root at once; the root combines.
    LinearReduce,
    /// The root sends everything to every member at once.
    LinearBcast,
    /// Every member sends its block to the root at once.
    LinearGather,
    /// The root sends every member its block at once.
    LinearScatter,
    /// Every member sends to every other member at once.
    LinearAlltoall,
    /// Allreduce at doubling distances.
    RecursiveDoubling,
    /// Allgather at doubling distances.
    DoublingAllgather,
    /// Reduce-scatter at halving distances.
    RecursiveHalving,
    /// Rabenseifner's reduce-scatter.
    RabenseifnerHalve,
    /// The allgather that follows Rabenseifner's reduce-scatter.
    RabenseifnerDouble,
    /// The gather that follows Rabenseifner's reduce-scatter.
    RabenseifnerCollect,
    /// Alltoall around a ring.
    RingAlltoall,
    /// Allgather along a ring.
    RingAllgather,
    /// Reduce-scatter along a ring.
    RingReduceScatter,
    /// Alltoall in pairs.
    PairwiseAlltoall,
    /// Reduce-scatter in pairs.
    PairwiseReduceScatter,
    /// Bruck's allgather.
    BruckAllgather,
    /// The mirror image of Bruck's allgather.
    MirroredBruckAllgather,
    /// An empty message to the next member.
    Ready,
    /// Bruck's alltoall.
    BruckAlltoall,
    /// The dissemination barrier.
    Dissemination,
    /// Gather after the sizes along a binary tree.
    SizedGather,
    /// Scatter after the sizes along a tree with four children.
    SizedScatter,
    /// Scan along a chain.
    ScanChain,
    /// Scan at doubling distances.
    ScanDoubling,
}

impl Algorithm {
    /// The next action of a member.
    #[inline]
    #[must_use]
    pub fn turn(self, task: &Task, point: Point) -> Turn {
        match self {
            Self::BinaryTreeUp => binary_tree::up(task, point),
            Self::BinaryTreeDown => binary_tree::down(task, point),
            Self::BinomialReduce => binomial_tree::reduce(task, point),
            Self::BinomialBcast => binomial_tree::bcast(task, point),
            Self::BinomialGather => binomial_gather::gather(task, point),
            Self::BinomialScatter => binomial_gather::scatter(task, point),
            Self::LinearReduce => linear::reduce(task, point),
            Self::LinearBcast => linear::bcast(task, point),
            Self::LinearGather => linear::gather(task, point),
            Self::LinearScatter => linear::scatter(task, point),
            Self::LinearAlltoall => linear_alltoall::alltoall(task, point),
            Self::RecursiveDoubling => recursive_doubling::allreduce(task, point),
            Self::DoublingAllgather => doubling_allgather::allgather(task, point),
            Self::RecursiveHalving => recursive_halving::reduce_scatter(task, point),
            Self::RabenseifnerHalve => rabenseifner::halve(task, point),
            Self::RabenseifnerDouble => rabenseifner::double(task, point),
            Self::RabenseifnerCollect => rabenseifner::collect(task, point),
            Self::RingAlltoall => ring::alltoall(task, point),
            Self::RingAllgather => ring_allgather::allgather(task, point),
            Self::RingReduceScatter => ring_reduce_scatter::reduce_scatter(task, point),
            Self::PairwiseAlltoall => pairwise::alltoall(task, point),
            Self::PairwiseReduceScatter => pairwise_reduce_scatter::reduce_scatter(task, point),
            Self::BruckAllgather => bruck_allgather::allgather(task, point),
            Self::MirroredBruckAllgather => bruck_allgather::mirrored(task, point),
            Self::Ready => bruck_allgather::ready(task, point),
            Self::BruckAlltoall => bruck_alltoall::alltoall(task, point),
            Self::Dissemination => dissemination::barrier(task, point),
            Self::SizedGather => sized_tree::gather(task, point),
            Self::SizedScatter => sized_tree::scatter(task, point),
            Self::ScanChain => scan_chain::scan(task, point),
            Self::ScanDoubling => scan_doubling::scan(task, point),
        }
    }
}

/// A member's state in a running collective: 48 bytes for every algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collective {
    task: Task,
    parts: [Option<Algorithm>; 2],
    part: u8,
    round: u32,
    at: u32,
    /// Whether messages without bytes are left out, by sender and receiver.
    skips_empty: bool,
}

impl Collective {
    /// A collective at its start. Its `parts` run in sequence.
    #[must_use]
    pub const fn new(task: Task, parts: [Option<Algorithm>; 2]) -> Self {
        Self { task, parts, part: 0, round: 0, at: 0, skips_empty: false }
    }

    /// The data that the collective moves.
    #[must_use]
    pub const fn task(&self) -> &Task {
        &self.task
    }

    /// The next step of member `me` of `size` members; `None` at the end.
    #[inline]
    pub fn next(&mut self, me: u32, size: u32) -> Option<Step> {
        loop {
            let algorithm = *self.parts.get(usize::from(self.part))?;
            let point = Point { me, size, round: self.round, at: self.at };
            match algorithm?.turn(&self.task, point) {
                Turn::Step(step) => {
                    if step == Step::Waitall {
                        (self.round, self.at) = (self.round + 1, 0);
                    } else {
                        self.at += 1;
                        if self.skips_empty && step.is_empty() {
                            continue;
                        }
                    }
                    return Some(step);
                }
                Turn::Skip => self.round += 1,
                Turn::End => (self.part, self.round) = (self.part + 1, 0),
            }
        }
    }

    /// The sizes of all messages that member `me` of `size` members still has to send.
    pub fn sent(mut self, me: u32, size: u32) -> impl Iterator<Item = u64> {
        std::iter::from_fn(move || self.next(me, size)).filter_map(|step| match step {
            Step::Isend { bytes, .. } => Some(bytes),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Collectives;

    #[test]
    fn a_running_collective_is_small() {
        assert!(size_of::<Collective>() <= 48, "{}", size_of::<Collective>());
    }

    #[test]
    fn what_is_sent_is_told_without_running() {
        let ring = Collective::of(&Collectives::default(), &Call::Alltoall { bytes: 7 }, 5);
        assert_eq!(ring.sent(2, 5).collect::<Vec<_>>(), [7; 4]);
        let tree = Collective::of(&Collectives::default(), &Call::Bcast { root: 1, bytes: 9 }, 4);
        assert_eq!([0, 1, 2, 3].map(|me| tree.clone().sent(me, 4).count()), [1, 2, 0, 0]);
    }
}
