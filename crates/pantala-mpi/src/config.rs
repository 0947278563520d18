//! How messages and collectives are carried out: the plan's `mpi` object.

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

/// The algorithm of each collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collectives {
    /// Barrier.
    pub barrier: TreeOnly,
    /// Broadcast.
    pub bcast: TreeOnly,
    /// Reduce.
    pub reduce: TreeOnly,
    /// Allreduce.
    pub allreduce: AllreduceAlgorithm,
    /// Alltoall.
    pub alltoall: AlltoallAlgorithm,
}

/// Algorithms of barrier, bcast and reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeOnly {
    /// [`crate::collectives::binary_tree`].
    BinaryTree,
}

/// Algorithms of allreduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AllreduceAlgorithm {
    /// Reduce to rank 0, then broadcast: [`crate::collectives::binary_tree`].
    BinaryTree,
    /// [`crate::collectives::recursive_doubling`].
    RecursiveDoubling,
}

/// Algorithms of alltoall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlltoallAlgorithm {
    /// [`crate::collectives::ring`].
    Ring,
}

impl Default for MpiConfig {
    /// The protocol of Kang et al. (SC 2022): eager up to 12,000 bytes, binary trees, a ring for alltoall.
    fn default() -> Self {
        Self {
            eager_threshold_bytes: 12_000,
            control_bytes: 64,
            eager_completion: EagerCompletion::Posted,
            collectives: Collectives::default(),
        }
    }
}

impl Default for Collectives {
    fn default() -> Self {
        Self {
            barrier: TreeOnly::BinaryTree,
            bcast: TreeOnly::BinaryTree,
            reduce: TreeOnly::BinaryTree,
            allreduce: AllreduceAlgorithm::BinaryTree,
            alltoall: AlltoallAlgorithm::Ring,
        }
    }
}

impl MpiConfig {
    /// Checks the values that types cannot.
    ///
    /// # Errors
    /// A [`Fault`] if control messages have no size.
    pub fn check(&self) -> Result<(), Fault> {
        if self.control_bytes == 0 {
            return Err(Fault::new("control_bytes", 0, "a control message takes at least one byte", "use 64"));
        }
        Ok(())
    }
}

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
        let again: MpiConfig = serde_json::from_str(&serde_json::to_string(&config).unwrap()).unwrap();
        assert_eq!(again, config);
        assert!(serde_json::from_str::<MpiConfig>(&text.replace("control", "contrl")).is_err());
    }

    #[test]
    fn control_messages_have_a_size() {
        let fault = MpiConfig { control_bytes: 0, ..MpiConfig::default() }.check().unwrap_err();
        assert_eq!(fault.to_string(), "control_bytes = 0: a control message takes at least one byte; use 64");
    }
}
