//! How messages and collectives are carried out: the plan's `mpi` object.

use pantala_engine::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The protocol, the costs and the algorithms of collectives; the `mpi` object of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct MpiConfig {
    /// Largest message that is sent eagerly, at once. Longer messages go by rendezvous: the sender
    /// first asks the receiver. SST, as used by Kang et al. (SC 2022), has 12,000 B.
    pub eager_threshold_bytes: u64,
    /// Size on the wire of a control message (request to send, get, acknowledgement) and of a
    /// message of zero bytes.
    #[schemars(range(min = 1), extend("x-source" = "assumption: the paper does not say"))]
    pub control_bytes: u32,
    /// When an eager send is complete for its sender.
    pub eager_completion: EagerCompletion,
    /// Time that a rank spends on starting a message before its NIC has it: the overhead o of LogGP
    /// at the sender (Alexandrov, Ionescu, Schauser and Scheiman, SPAA 1995). Collectives in the
    /// background do not pay it.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub send_overhead_ps: Time,
    /// Time that a rank spends on a message that has arrived before its receive or wait returns:
    /// the overhead o of LogGP at the receiver.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub receive_overhead_ps: Time,
    /// Least time between the starts of two messages at a node's NIC: the gap g of LogGP. Control
    /// messages count.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub gap_ps: Time,
    /// Time in which a node feeds one byte to its NIC: the gap per byte G of LogGP. A packet leaves
    /// when its last byte is at the NIC. A message of k bytes keeps the sending side of the NIC for
    /// max(g, (k - 1) G).
    #[serde(default)]
    #[schemars(range(max = LONGEST_PER_BYTE))]
    pub gap_per_byte_fs: u64,
    /// Time that a rank spends on entering a call of MPI, and again on returning from it.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub call_overhead_ps: Time,
    /// Time in which a host copies one byte of an eager message: at the sender before the message
    /// goes, at the receiver before its receive or wait returns. Rendezvous messages are not
    /// copied.
    #[serde(default)]
    #[schemars(range(max = LONGEST_PER_BYTE))]
    pub copy_per_byte_fs: u64,
    /// Time to register the memory of a rendezvous with the NIC: at the sender before it asks, at
    /// the receiver before it answers.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub registration_ps: Time,
    /// Time to register each whole page of 4096 B, on top of `registration`, if the message is
    /// longer than one page.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub registration_per_page_ps: Time,
    /// Time to find the receive of a message, or the message of a receive.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub match_delay_ps: Time,
    /// Time of a message, or of a control message, from the host to the queue of its NIC.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub host_to_nic_ps: Time,
    /// Time of a message that has arrived from the NIC to the host.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub nic_to_host_ps: Time,
    /// Time of a message between two ranks of one node, whatever its size. The message goes through
    /// memory and never to the NIC. The request, the answer and the acknowledgement of a rendezvous
    /// take this time each.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD), extend("x-effect" = {"/jobs.*.ranks_per_node": {"above": 1}}))]
    pub memory_latency_ps: Time,
    /// Bandwidth of each message between two ranks of one node; the messages of a node do not slow
    /// one another.
    #[serde(default)]
    #[schemars(extend("x-zero" = "unlimited", "x-effect" = {"/jobs.*.ranks_per_node": {"above": 1}}))]
    pub memory_bandwidth_bytes_per_s: u64,
    /// The algorithm of each collective operation.
    pub collectives: Collectives,
}

/// When an eager send is complete for its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EagerCompletion {
    /// At once: the host copies the message out of the program's buffer.
    Posted,
    /// When the last packet of the message has left the NIC's queue.
    Injected,
}

/// The algorithm of each collective operation. Keys that a plan leaves out have the value of
/// [`Collectives::default`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Collectives {
    /// Algorithm of barrier.
    pub barrier: BarrierAlgorithm,
    /// Algorithm of bcast.
    pub bcast: BcastAlgorithm,
    /// Algorithm of reduce.
    pub reduce: ReduceAlgorithm,
    /// Algorithm of allreduce. Kang et al. (SC 2022, IV) have the binary tree.
    pub allreduce: AllreduceAlgorithm,
    /// Algorithm of reduce-scatter, of blocks of one size or of different sizes.
    pub reduce_scatter: ReduceScatterAlgorithm,
    /// Algorithm of allgather.
    pub allgather: AllgatherAlgorithm,
    /// Algorithm of allgather for blocks of different sizes.
    pub allgatherv: AllgatherAlgorithm,
    /// Algorithm of gather.
    pub gather: RootedAlgorithm,
    /// Algorithm of gather for blocks of different sizes.
    pub gatherv: RootedAlgorithm,
    /// Algorithm of scatter.
    pub scatter: RootedAlgorithm,
    /// Algorithm of scatter for blocks of different sizes.
    pub scatterv: RootedAlgorithm,
    /// Algorithm of alltoall. Kang et al. (SC 2022, IV) have the ring.
    pub alltoall: AlltoallAlgorithm,
    /// Algorithm of alltoall for blocks of different sizes.
    pub alltoallv: AlltoallvAlgorithm,
    /// Algorithm of scan and exscan.
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
    /// All to rank 0, rank 0 to all.
    Linear,
    /// Exchanges with partners at doubling distances.
    RecursiveDoubling,
    /// Messages around the ring of ranks, at doubling distances.
    Dissemination,
    /// As MPICH: dissemination.
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
    /// From the root to all at once.
    Linear,
    /// A binomial scatter, then an allgather by recursive doubling.
    ScatterRecursiveDoubling,
    /// A binomial scatter, then an allgather along a ring.
    ScatterRing,
    /// As MPICH, by size and number of ranks.
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
    /// From all to the root at once.
    Linear,
    /// A reduce-scatter by recursive halving, then a gather.
    Rabenseifner,
    /// As MPICH, by size.
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
    /// As MPICH, by size.
    Mpich,
}

/// Algorithms of reduce-scatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReduceScatterAlgorithm {
    /// A binomial reduce to rank 0, then a binomial scatter.
    BinomialTree,
    /// Exchanges of half as much data at half the distance, round by round.
    RecursiveHalving,
    /// In round i, each rank sends one block to the rank i places further on.
    Pairwise,
    /// Along a ring, one block at a time.
    Ring,
    /// As MPICH, by size.
    Mpich,
}

/// Algorithms of allgather and allgatherv.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AllgatherAlgorithm {
    /// Exchanges with partners at doubling distances.
    RecursiveDoubling,
    /// Bruck's algorithm: around the ring of ranks, at doubling distances.
    Bruck,
    /// Along a ring, one block at a time.
    Ring,
    /// As MPICH, by size and number of ranks.
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
    /// As MPICH: a binomial tree; linear for gatherv and scatterv.
    Mpich,
}

/// Algorithms of alltoall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlltoallAlgorithm {
    /// In round i, rank N sends to rank N + i and receives from rank N - i.
    Ring,
    /// In round i, rank N exchanges with rank N xor i, if the number of ranks is a power of two;
    /// otherwise as ring.
    Pairwise,
    /// With 32 other ranks at once.
    Linear,
    /// Bruck's algorithm: log2(ranks) rounds of many blocks each.
    Bruck,
    /// As MPICH, by size and number of ranks.
    Mpich,
}

/// Algorithms of alltoallv.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlltoallvAlgorithm {
    /// In round i, rank N sends to rank N + i and receives from rank N - i.
    Ring,
    /// In round i, rank N exchanges with rank N xor i, if the number of ranks is a power of two;
    /// otherwise as ring.
    Pairwise,
    /// With 32 other ranks at once.
    Linear,
    /// As MPICH: linear.
    Mpich,
}

/// Algorithms of scan and exscan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScanAlgorithm {
    /// One rank after another.
    Linear,
    /// Exchanges with partners at doubling distances.
    RecursiveDoubling,
    /// As MPICH: recursive doubling.
    Mpich,
}

impl Default for MpiConfig {
    /// The protocol of Kang et al. (SC 2022): eager up to 12,000 bytes, binary trees, a ring for
    /// alltoall.
    fn default() -> Self {
        Self {
            eager_threshold_bytes: 12_000,
            control_bytes: 64,
            eager_completion: EagerCompletion::Posted,
            send_overhead_ps: 0,
            receive_overhead_ps: 0,
            gap_ps: 0,
            gap_per_byte_fs: 0,
            call_overhead_ps: 0,
            copy_per_byte_fs: 0,
            registration_ps: 0,
            registration_per_page_ps: 0,
            match_delay_ps: 0,
            host_to_nic_ps: 0,
            nic_to_host_ps: 0,
            memory_latency_ps: 0,
            memory_bandwidth_bytes_per_s: 0,
            collectives: Collectives::default(),
        }
    }
}

impl Default for Collectives {
    /// SST's, as far as Kang et al. (SC 2022) and SST's firefly have them: binary trees, a ring for
    /// alltoall(v), the mirror image of Bruck's allgather. Firefly has no reduce-scatter and no
    /// scan; those are assumed.
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
    /// MPICH's, all of them.
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

/// No overhead of a message is longer, ps, so that sums stay on the clock.
const LONGEST_OVERHEAD: Time = 1_000_000_000_000_000;

/// No byte takes longer, fs.
const LONGEST_PER_BYTE: u64 = 1_000_000_000_000;

/// What a [`crate::MpiLayer`] writes down besides its counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recording {
    /// One [`crate::MessageRecord`] a message.
    pub messages: bool,
    /// One [`crate::IterationRecord`] a rank and iteration.
    pub iterations: bool,
}

impl Default for Recording {
    /// Everything.
    fn default() -> Self {
        Self { messages: true, iterations: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_plan() {
        let text = r#"{"eager_threshold_bytes":12000,"control_bytes":64,"eager_completion":"posted","collectives":
            {"barrier":"binary_tree","bcast":"binary_tree","reduce":"binary_tree","allreduce":"recursive_doubling","alltoall":"ring"}}"#;
        let config: MpiConfig = serde_json::from_str(text).unwrap();
        assert_eq!(config.collectives.allreduce, AllreduceAlgorithm::RecursiveDoubling);
        assert_eq!(config.collectives.scan, ScanAlgorithm::Linear, "left out: the default");
        let again: MpiConfig =
            serde_json::from_str(&serde_json::to_string(&config).unwrap()).unwrap();
        assert_eq!(again, config);
        assert!(serde_json::from_str::<MpiConfig>(&text.replace("control", "contrl")).is_err());
    }
}
