//! The algorithms of collectives: the plan's `mpi.collectives` object.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The algorithm of each collective operation. A key that is left out has the value of SST's
/// firefly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Collectives {
    /// Algorithm of Barrier.
    pub barrier: BarrierAlgorithm,
    /// Algorithm of Bcast.
    pub bcast: BcastAlgorithm,
    /// Algorithm of Reduce.
    pub reduce: ReduceAlgorithm,
    /// Algorithm of Allreduce. Kang et al. (SC 2022, IV) use the binary tree.
    pub allreduce: AllreduceAlgorithm,
    /// Algorithm of Reduce_scatter and Reduce_scatter_block.
    pub reduce_scatter: ReduceScatterAlgorithm,
    /// Algorithm of Allgather.
    pub allgather: AllgatherAlgorithm,
    /// Algorithm of Allgatherv (blocks of different sizes).
    pub allgatherv: AllgatherAlgorithm,
    /// Algorithm of Gather.
    pub gather: RootedAlgorithm,
    /// Algorithm of Gatherv (blocks of different sizes).
    pub gatherv: RootedAlgorithm,
    /// Algorithm of Scatter.
    pub scatter: RootedAlgorithm,
    /// Algorithm of Scatterv (blocks of different sizes).
    pub scatterv: RootedAlgorithm,
    /// Algorithm of Alltoall. Kang et al. (SC 2022, IV) use the ring.
    pub alltoall: AlltoallAlgorithm,
    /// Algorithm of Alltoallv (blocks of different sizes).
    pub alltoallv: AlltoallvAlgorithm,
    /// Algorithm of Scan and Exscan.
    pub scan: ScanAlgorithm,
}

/// Algorithms of barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BarrierAlgorithm {
    /// Up a binary tree and down again.
    BinaryTree,
    /// Up a binomial tree and down again.
    BinomialTree,
    /// Every rank sends to rank 0, then rank 0 sends to every rank.
    Linear,
    /// Exchanges with partners at doubling distances.
    RecursiveDoubling,
    /// Messages around the ring of ranks, at doubling distances.
    Dissemination,
    /// MPICH's choice: dissemination.
    Mpich,
}

/// Algorithms of bcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BcastAlgorithm {
    /// Down a binary tree.
    BinaryTree,
    /// Down a binomial tree.
    BinomialTree,
    /// The root sends to all other ranks at once.
    Linear,
    /// A binomial scatter, then an allgather by recursive doubling.
    ScatterRecursiveDoubling,
    /// A binomial scatter, then an allgather along a ring.
    ScatterRing,
    /// MPICH's choice, by message size and number of ranks.
    Mpich,
}

/// Algorithms of reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReduceAlgorithm {
    /// Up a binary tree.
    BinaryTree,
    /// Up a binomial tree.
    BinomialTree,
    /// All other ranks send to the root at once.
    Linear,
    /// A reduce-scatter by recursive halving, then a gather.
    Rabenseifner,
    /// MPICH's choice, by message size and number of ranks.
    Mpich,
}

/// Algorithms of allreduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AllreduceAlgorithm {
    /// Up a binary tree to rank 0 and down again.
    BinaryTree,
    /// Up a binomial tree to rank 0 and down again.
    BinomialTree,
    /// Exchanges of the whole vector at doubling distances.
    RecursiveDoubling,
    /// A reduce-scatter and an allgather along a ring.
    Ring,
    /// A reduce-scatter by recursive halving, then an allgather by recursive doubling.
    Rabenseifner,
    /// MPICH's choice, by message size and number of ranks.
    Mpich,
}

/// Algorithms of reduce-scatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReduceScatterAlgorithm {
    /// A binomial reduce to rank 0, then a binomial scatter.
    BinomialTree,
    /// Rounds of exchanges; each round halves the data and the distance.
    RecursiveHalving,
    /// In round i, each rank sends one block to the rank i places after it.
    Pairwise,
    /// Along a ring, one block at a time.
    Ring,
    /// MPICH's choice, by message size.
    Mpich,
}

/// Algorithms of allgather and allgatherv.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AllgatherAlgorithm {
    /// Exchanges with partners at doubling distances.
    RecursiveDoubling,
    /// The algorithm of Bruck: messages around the ring of ranks, at doubling distances.
    Bruck,
    /// As `bruck` in the other direction, after an empty message from each rank to the next, as in
    /// SST's firefly.
    BruckReady,
    /// Along a ring, one block at a time.
    Ring,
    /// MPICH's choice, by message size and number of ranks.
    Mpich,
}

/// Algorithms of gather, gatherv, scatter and scatterv.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RootedAlgorithm {
    /// Between the root and all others at once.
    Linear,
    /// Along a binomial tree.
    BinomialTree,
    /// As SST's firefly, after the sizes: gather along a binary tree, scatter along one with four
    /// children.
    SizedTree,
    /// MPICH's choice: a binomial tree; linear for Gatherv and Scatterv.
    Mpich,
}

/// Algorithms of alltoall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlltoallAlgorithm {
    /// In round i, rank N sends to rank N + i and receives from rank N - i.
    Ring,
    /// In round i, rank N exchanges with rank N xor i if the number of ranks is a power of two.
    /// Otherwise as `ring`.
    Pairwise,
    /// Every rank exchanges with all other ranks, 32 at a time.
    Linear,
    /// The algorithm of Bruck: log2(ranks) rounds of many blocks each.
    Bruck,
    /// MPICH's choice, by message size and number of ranks.
    Mpich,
}

/// Algorithms of alltoallv.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlltoallvAlgorithm {
    /// In round i, rank N sends to rank N + i and receives from rank N - i.
    Ring,
    /// In round i, rank N exchanges with rank N xor i if the number of ranks is a power of two.
    /// Otherwise as `ring`.
    Pairwise,
    /// Every rank exchanges with all other ranks, 32 at a time.
    Linear,
    /// MPICH's choice: linear.
    Mpich,
}

/// Algorithms of scan and exscan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScanAlgorithm {
    /// Each rank receives from the rank before it and sends to the rank after it.
    Linear,
    /// Exchanges with partners at doubling distances.
    RecursiveDoubling,
    /// MPICH's choice: recursive doubling.
    Mpich,
}

impl Default for Collectives {
    /// The algorithms of Kang et al. (SC 2022) and SST's firefly: binary trees, a ring for
    /// Alltoall(v), the mirror image of Bruck's Allgather. Firefly has no Reduce_scatter and no
    /// Scan; these two are assumed.
    fn default() -> Self {
        Self {
            barrier: BarrierAlgorithm::BinaryTree,
            bcast: BcastAlgorithm::BinaryTree,
            reduce: ReduceAlgorithm::BinaryTree,
            allreduce: AllreduceAlgorithm::BinaryTree,
            reduce_scatter: ReduceScatterAlgorithm::BinomialTree,
            allgather: AllgatherAlgorithm::Bruck,
            allgatherv: AllgatherAlgorithm::Bruck,
            gather: RootedAlgorithm::BinomialTree,
            gatherv: RootedAlgorithm::BinomialTree,
            scatter: RootedAlgorithm::BinomialTree,
            scatterv: RootedAlgorithm::BinomialTree,
            alltoall: AlltoallAlgorithm::Ring,
            alltoallv: AlltoallvAlgorithm::Ring,
            scan: ScanAlgorithm::Linear,
        }
    }
}

impl Collectives {
    /// MPICH's choice for every collective.
    pub const MPICH: Self = Self {
        barrier: BarrierAlgorithm::Mpich,
        bcast: BcastAlgorithm::Mpich,
        reduce: ReduceAlgorithm::Mpich,
        allreduce: AllreduceAlgorithm::Mpich,
        reduce_scatter: ReduceScatterAlgorithm::Mpich,
        allgather: AllgatherAlgorithm::Mpich,
        allgatherv: AllgatherAlgorithm::Mpich,
        gather: RootedAlgorithm::Mpich,
        gatherv: RootedAlgorithm::Mpich,
        scatter: RootedAlgorithm::Mpich,
        scatterv: RootedAlgorithm::Mpich,
        alltoall: AlltoallAlgorithm::Mpich,
        alltoallv: AlltoallvAlgorithm::Mpich,
        scan: ScanAlgorithm::Mpich,
    };
}
