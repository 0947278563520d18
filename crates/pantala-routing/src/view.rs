//! [`CongestionView`]: the queues that an adaptive algorithm reads, as a trait.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which flits count as queued at an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueueMeasure {
    /// In the output buffer, or sent and their credits not back (SST, CAMINOS).
    OutputAndCredits,
    /// In the output buffer.
    Output,
    /// Sent, and their credits not back.
    Credits,
}

/// The output queues that a router reads when it decides on a path.
pub trait CongestionView {
    /// Returns the flits queued at an output port of this router, on one VC or (`None`) on all VCs.
    fn queue(&mut self, port: u16, vc: Option<u8>, measure: QueueMeasure) -> i64;

    /// Returns the flits queued at an output port of any router. Only `ugal_global` calls it.
    fn queue_at(&mut self, router: u32, port: u16, vc: Option<u8>, measure: QueueMeasure) -> i64;
}

/// The view of algorithms that read no queues: every queue is empty.
#[derive(Clone, Copy, Debug)]
pub struct Blind;

impl CongestionView for Blind {
    fn queue(&mut self, _: u16, _: Option<u8>, _: QueueMeasure) -> i64 {
        0
    }

    fn queue_at(&mut self, _: u32, _: u16, _: Option<u8>, _: QueueMeasure) -> i64 {
        0
    }
}
