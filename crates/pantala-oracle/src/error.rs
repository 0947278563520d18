//! Why the oracle cannot answer.

use std::fmt;

use pantala_engine::Time;

/// A question that makes no sense, or a network that stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OracleError {
    /// A packet that does not fit the network.
    Packet {
        /// Which one, by its place in the input.
        packet: usize,
        /// What is wrong with it.
        message: String,
    },
    /// Nothing can move any more and packets are left.
    Stalled {
        /// When the last thing happened, in picoseconds.
        time: Time,
        /// The packets left, by their places in the input.
        undelivered: Vec<usize>,
    },
}

impl fmt::Display for OracleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packet { packet, message } => write!(f, "packet {packet}: {message}"),
            Self::Stalled { time, undelivered } => {
                let count = undelivered.len();
                write!(f, "nothing moves after {time} ps and {count} packets are left")
            }
        }
    }
}

impl std::error::Error for OracleError {}
