//! How messages and collectives are carried out: the plan's `mpi` object.

use pantala_engine::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fault::Fault;

/// The protocol and the collectives' algorithms; serialises as the plan's `mpi` object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// Least time between the starts of two transmissions of a NIC, ps: the gap g of LogGP.
    #[serde(default)]
    pub gap_ps: Time,
    /// Time in which a node feeds a byte to its NIC, fs: the gap per byte G of LogGP.
    #[serde(default)]
    pub gap_per_byte_fs: u64,
    /// Time that a rank spends on entering a call, and again on returning from it, ps.
    #[serde(default)]
    pub call_overhead_ps: Time,
    /// Time to copy a byte of an eager message, fs: at the sender before it goes, at the receiver before it is received.
    #[serde(default)]
    pub copy_per_byte_fs: u64,
    /// Time to register the memory of a rendezvous, ps: at the sender before it asks, at the receiver before it answers.
    #[serde(default)]
    pub registration_ps: Time,
    /// The same for every whole page of 4,096 bytes of a message longer than one, ps.
    #[serde(default)]
    pub registration_per_page_ps: Time,
    /// Time from a match of message and receive to what follows from it, ps.
    #[serde(default)]
    pub match_delay_ps: Time,
    /// Way of a transmission from the host into the NIC's queue, ps.
    #[serde(default)]
    pub host_to_nic_ps: Time,
    /// Way of a transmission that has arrived from the NIC to the host, ps.
    #[serde(default)]
    pub nic_to_host_ps: Time,
    /// Way of a transmission between two ranks of one node, ps.
    #[serde(default)]
    pub memory_latency_ps: Time,
    /// Bandwidth of payload between two ranks of one node; 0: unlimited.
    #[serde(default)]
    pub memory_bandwidth_bytes_per_s: u64,
    /// The algorithm of each collective.
    pub collectives: Collectives,
}

/// When an eager send completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EagerCompletion {
    /// At once: the message is copied out of the program's buffer.
    Posted,
    /// When the NIC has taken the message's last packet.
    Injected,
}

/// The algorithm of each collective. Keys that a plan leaves out have the value of [`Collectives::default`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
        let times = [
            ("send_overhead_ps", self.send_overhead_ps),
            ("receive_overhead_ps", self.receive_overhead_ps),
            ("gap_ps", self.gap_ps),
            ("call_overhead_ps", self.call_overhead_ps),
            ("registration_ps", self.registration_ps),
            ("registration_per_page_ps", self.registration_per_page_ps),
            ("match_delay_ps", self.match_delay_ps),
            ("host_to_nic_ps", self.host_to_nic_ps),
            ("nic_to_host_ps", self.nic_to_host_ps),
            ("memory_latency_ps", self.memory_latency_ps),
        ];
        if let Some((key, time)) = times.into_iter().find(|(_, time)| *time > LONGEST_OVERHEAD) {
            let remedy = "give at most 10^15 ps (1000 s)";
            return Err(Fault::new(key, time, "longer than any message should take", remedy));
        }
        let per_byte = [("gap_per_byte_fs", self.gap_per_byte_fs), ("copy_per_byte_fs", self.copy_per_byte_fs)];
        if let Some((key, time)) = per_byte.into_iter().find(|(_, time)| *time > LONGEST_PER_BYTE) {
            let remedy = "give at most 10^12 fs (1 ms)";
            return Err(Fault::new(key, time, "longer than any byte should take", remedy));
        }
        Ok(())
    }
}

/// No overhead of a message is longer, ps, so that sums stay on the clock.
const LONGEST_OVERHEAD: Time = 1_000_000_000_000_000;

/// No byte takes longer, fs.
const LONGEST_PER_BYTE: u64 = 1_000_000_000_000;

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
        let fault = MpiConfig { copy_per_byte_fs: u64::MAX, ..MpiConfig::default() }.check().unwrap_err();
        assert_eq!(fault.key, "copy_per_byte_fs");
    }
}
