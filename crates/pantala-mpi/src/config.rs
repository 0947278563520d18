//! How messages and collectives are carried out: the plan's `mpi` object.

use pantala_engine::Time;
use serde::{Deserialize, Serialize};

use crate::fault::Fault;

/// The protocol and the collectives' algorithms; serialises as the plan's `mpi` object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MpiConfig {
    /// Messages of at most this many bytes are sent eagerly, longer ones by rendezvous.
    pub eager_threshold_bytes: u64,
    /// Size on the wire of a control message (request to send, get, acknowledgement) and of a message of zero
    /// bytes; >= 1.
    pub control_bytes: u32,
    /// When an eager send completes.
    pub eager_completion: EagerCompletion,
    /// Time that a rank spends on starting a message before the NIC has it, ps: the overhead o of LogGP (Alexandrov,
    /// Ionescu, Schauser and Scheiman, LogGP, SPAA 1995) at the sender.
    #[serde(default)]
    pub send_overhead_ps: Time,
    /// Time that a rank spends on a message that it has received before its call returns, ps: o at the receiver.
    #[serde(default)]
    pub receive_overhead_ps: Time,
    /// The algorithm of each collective.
    pub collectives: Collectives,
}

/// When an eager send completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EagerCompletion {
    /// At once: the message is copied out of the program's buffer.
    Posted,
    /// When the NIC has taken the message's last packet.
    Injected,
}

/// The algorithm of each collective. Keys that a plan leaves out have the value of [`Collectives::default`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Collectives {
    /// Barrier.
    pub barrier: BarrierAlgorithm,
    /// Broadcast.
    pub bcast: BcastAlgorithm,
    /// Reduce.
    pub reduce: ReduceAlgorithm,
    /// Allreduce.
    pub allreduce: AllreduceAlgorithm,
    /// Reduce-scatter, of blocks of one size or of different sizes.
    pub reduce_scatter: ReduceScatterAlgorithm,
    /// Allgather.
    pub allgather: AllgatherAlgorithm,
    /// Allgather of different sizes.
    pub allgatherv: AllgatherAlgorithm,
    /// Gather.
    pub gather: RootedAlgorithm,
    /// Gather of different sizes.
    pub gatherv: RootedAlgorithm,
    /// Scatter.
    pub scatter: RootedAlgorithm,
    /// Scatter of different sizes.
    pub scatterv: RootedAlgorithm,
    /// Alltoall.
    pub alltoall: AlltoallAlgorithm,
    /// Alltoall of different sizes.
    pub alltoallv: AlltoallvAlgorithm,
    /// Scan and exscan.
    pub scan: ScanAlgorithm,
}

/// Algorithms of barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BarrierAlgorithm {
    /// Up a binary tree and down again.
    BinaryTree,
    /// Up a binomial tree and down again.
    BinomialTree,
    /// All to rank 0, rank 0 to all.
    Linear,
    /// Exchanges at doubling distances.
    RecursiveDoubling,
    /// Messages around the ring of ranks at doubling distances.
    Dissemination,
    /// As MPICH: dissemination.
    Mpich,
}

/// Algorithms of bcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReduceScatterAlgorithm {
    /// A binomial reduce to rank 0, then a binomial scatter.
    BinomialTree,
    /// Exchanges at halving distances.
    RecursiveHalving,
    /// A block to every other rank, one by one.
    Pairwise,
    /// Along a ring.
    Ring,
    /// As MPICH, by size.
    Mpich,
}

/// Algorithms of allgather and allgatherv.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AllgatherAlgorithm {
    /// Exchanges at doubling distances.
    RecursiveDoubling,
    /// Bruck's: around the ring of ranks at doubling distances.
    Bruck,
    /// Along a ring.
    Ring,
    /// As MPICH, by size and number of ranks.
    Mpich,
}

/// Algorithms of gather, gatherv, scatter and scatterv.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlltoallAlgorithm {
    /// In step i from rank N to N + i.
    Ring,
    /// In step i with rank N xor i, if ranks are a power of two; otherwise as ring.
    Pairwise,
    /// With 32 ranks at once.
    Linear,
    /// Bruck's: fewer and longer messages.
    Bruck,
    /// As MPICH, by size and number of ranks.
    Mpich,
}

/// Algorithms of alltoallv.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlltoallvAlgorithm {
    /// In step i from rank N to N + i.
    Ring,
    /// In step i with rank N xor i, if ranks are a power of two; otherwise as ring.
    Pairwise,
    /// With 32 ranks at once.
    Linear,
    /// As MPICH: linear.
    Mpich,
}

/// Algorithms of scan and exscan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScanAlgorithm {
    /// One rank after the other.
    Linear,
    /// Exchanges at doubling distances.
    RecursiveDoubling,
    /// As MPICH: recursive doubling.
    Mpich,
}

impl Default for MpiConfig {
    /// The protocol of Kang et al. (SC 2022): eager up to 12,000 bytes, binary trees, a ring for alltoall.
    fn default() -> Self {
        Self {
            eager_threshold_bytes: 12_000,
            control_bytes: 64,
            eager_completion: EagerCompletion::Posted,
            send_overhead_ps: 0,
            receive_overhead_ps: 0,
            collectives: Collectives::default(),
        }
    }
}

impl Default for Collectives {
    /// SST's, as far as Kang et al. (SC 2022) and SST's firefly have them: binary trees, a ring for alltoall(v), the
    /// mirror image of Bruck's allgather. Firefly has no reduce-scatter and no scan; those are assumed.
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

impl MpiConfig {
    /// Checks the values that types cannot.
    ///
    /// # Errors
    /// A [`Fault`] if control messages have no size, or an overhead is beyond all bounds.
    pub fn check(&self) -> Result<(), Fault> {
        if self.control_bytes == 0 {
            return Err(Fault::new("control_bytes", 0, "a control message takes at least one byte", "use 64"));
        }
        for (key, time) in
            [("send_overhead_ps", self.send_overhead_ps), ("receive_overhead_ps", self.receive_overhead_ps)]
        {
            if time > LONGEST_OVERHEAD {
                let remedy = "give at most 10^15 ps (1000 s)";
                return Err(Fault::new(key, time, "longer than any message should take", remedy));
            }
        }
        Ok(())
    }
}

/// No overhead of a message is longer, ps, so that sums stay on the clock.
const LONGEST_OVERHEAD: Time = 1_000_000_000_000_000;

/// What a [`crate::World`] writes down besides its counters.
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
        let again: MpiConfig = serde_json::from_str(&serde_json::to_string(&config).unwrap()).unwrap();
        assert_eq!(again, config);
        assert!(serde_json::from_str::<MpiConfig>(&text.replace("control", "contrl")).is_err());
    }

    #[test]
    fn control_messages_have_a_size() {
        let fault = MpiConfig { control_bytes: 0, ..MpiConfig::default() }.check().unwrap_err();
        assert_eq!(fault.to_string(), "control_bytes = 0: a control message takes at least one byte; use 64");
        let fault = MpiConfig { send_overhead_ps: u64::MAX, ..MpiConfig::default() }.check().unwrap_err();
        assert_eq!(fault.key, "send_overhead_ps");
    }
}
