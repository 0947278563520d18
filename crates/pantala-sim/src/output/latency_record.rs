//! The record of latencies in windows.

use pantala_engine::Time;
use pantala_mpi::LatencySketch;
use serde::{Deserialize, Serialize};

/// Which latency a window is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum LatencyKind {
    /// Packet latency.
    Packet,
    /// Message latency.
    Message,
    /// Request-response latency.
    RequestResponse,
}

impl LatencyKind {
    /// Returns the name in tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Packet => "packet",
            Self::Message => "message",
            Self::RequestResponse => "request_response",
        }
    }
}

/// The latencies of one job that ended in one window.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LatencyWindow {
    pub(crate) start: Time,
    pub(crate) length: Time,
    pub(crate) job: u16,
    pub(crate) kind: LatencyKind,
    pub(crate) sketch: LatencySketch,
}
