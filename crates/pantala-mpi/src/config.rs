//! The configuration of messages and collectives: the plan's `mpi` object.

use pantala_engine::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The message protocol, the costs of messages on hosts and NICs, and the algorithms of
/// collectives: the `mpi` object of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct MpiConfig {
    /// Largest message that is sent eagerly. A longer message uses the rendezvous protocol: the
    /// sender first asks the receiver. SST, as used by Kang et al. (SC 2022), has 12,000 B.
    pub eager_threshold_bytes: u64,
    /// Size on the wire of a control message (request to send, get, acknowledgement) and of a
    /// message of zero bytes.
    #[schemars(range(min = 1), extend("x-source" = "assumption: the paper does not say"))]
    pub control_bytes: u32,
    /// When an eager send is complete for its sender.
    pub eager_completion: EagerCompletion,
    /// Time that a rank spends to start a message, before the NIC has the message. It is the
    /// overhead o of LogGP at the sender (Alexandrov, Ionescu, Schauser and Scheiman, SPAA 1995).
    /// Collectives in the background do not pay it.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub send_overhead_ps: Time,
    /// Time that a rank spends on an arrived message, before the receive or wait returns. It is the
    /// overhead o of LogGP at the receiver.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub receive_overhead_ps: Time,
    /// Shortest time between the starts of two messages at a node's NIC: the gap g of LogGP.
    /// Control messages count.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub gap_ps: Time,
    /// Time in which a node feeds one byte to its NIC: the gap per byte G of LogGP. A packet leaves
    /// when its last byte is at the NIC. A message of k bytes occupies the sending side of the NIC
    /// for max(g, (k - 1) G).
    #[serde(default)]
    #[schemars(range(max = LONGEST_PER_BYTE))]
    pub gap_per_byte_fs: u64,
    /// Time that a rank spends to enter an MPI call, and again to return from it.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub call_overhead_ps: Time,
    /// Time in which a host copies one byte of an eager message. The sender copies before the
    /// message leaves. The receiver copies before its receive or wait returns. Rendezvous messages
    /// are not copied.
    #[serde(default)]
    #[schemars(range(max = LONGEST_PER_BYTE))]
    pub copy_per_byte_fs: u64,
    /// Time to register the memory of a rendezvous message with the NIC. The sender registers
    /// before it sends the request, the receiver before it sends the answer.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub registration_ps: Time,
    /// Time to register each whole page of 4096 B, in addition to `registration`, if the message is
    /// longer than one page.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub registration_per_page_ps: Time,
    /// Time to match a message with a receive.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub match_delay_ps: Time,
    /// Time that a message or control message takes from the host to the queue of its NIC.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub host_to_nic_ps: Time,
    /// Time that an arrived message takes from the NIC to the host.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub nic_to_host_ps: Time,
    /// Latency of a message between two ranks of one node, for every size. The message goes through
    /// memory and never to the NIC. Request, answer and acknowledgement of a rendezvous take this
    /// time each.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD), extend("x-effect" = {"/jobs.*.ranks_per_node": {"above": 1}}))]
    pub memory_latency_ps: Time,
    /// Bandwidth of each message between two ranks of one node. Messages of a node do not slow each
    /// other.
    #[serde(default)]
    #[schemars(extend("x-zero" = "unlimited", "x-effect" = {"/jobs.*.ranks_per_node": {"above": 1}}))]
    pub memory_bandwidth_bytes_per_s: u64,
    /// The algorithm of each collective operation.
    pub collectives: Collectives,
}

/// The time at which an eager send is complete for its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EagerCompletion {
    /// At once. The host copies the message out of the program's buffer.
    Posted,
    /// When the last packet of the message has left the NIC's queue.
    Injected,
}

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
    /// MPICH's choice, by message size.
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
    /// MPICH's choice, by message size.
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

/// The longest overhead, in ps. It keeps sums of times within the clock's range.
const LONGEST_OVERHEAD: Time = 1_000_000_000_000_000;

/// The longest time per byte, in fs.
const LONGEST_PER_BYTE: u64 = 1_000_000_000_000;

/// The records that a [`crate::MpiLayer`] keeps in addition to its counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recording {
    /// One [`crate::MessageRecord`] per message.
    pub messages: bool,
    /// One [`crate::IterationRecord`] per rank and iteration.
    pub iterations: bool,
}

impl Default for Recording {
    /// All records.
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
