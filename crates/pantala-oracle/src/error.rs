//! Why the oracle cannot answer.

use pantala_engine::Time;

/// A question that makes no sense, or a network that stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OracleError {
    /// A packet that does not fit the network.
    #[error("packet {packet}: {message}")]
    Packet {
        /// Which one, by its place in the input.
        packet: usize,
        /// What is wrong with it.
        message: String,
    },
    /// Nothing can move any more and packets are left.
    #[error("nothing moves after {time} ps and {} packets are left", .undelivered.len())]
    Stalled {
        /// When the last thing happened, in picoseconds.
        time: Time,
        /// The packets left, by their places in the input.
        undelivered: Vec<usize>,
    },
}
