//! Errors of the oracle.

use pantala_engine::Time;

/// Invalid input, or a network that stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OracleError {
    /// A packet that does not fit the network.
    #[error("packet {packet}: {message}")]
    Packet {
        /// The packet's index in the input.
        packet: usize,
        /// What is wrong with it.
        message: String,
    },
    /// Packets are left, and nothing can move any more.
    #[error("nothing moves after {time} ps and {} packets are left", .undelivered.len())]
    Stalled {
        /// The time of the last event, in picoseconds.
        time: Time,
        /// The indices in the input of the packets that are left.
        undelivered: Vec<usize>,
    },
}
