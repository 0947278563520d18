//! The keys of UGAL's comparison of a minimal and a non-minimal candidate.

use crate::view::QueueMeasure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The VCs whose flits count as queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueueScope {
    /// All VCs of the port.
    Port,
    /// The VC that the candidate would use.
    Vc,
}

/// The path taken if neither is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tie {
    /// The minimal path.
    Minimal,
    /// Either path, at random.
    Random,
}

/// The keys of UGAL's comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UgalConfig {
    /// The threshold: a packet takes the non-minimal path if and only if `q_min > floor(threshold *
    /// q_nonmin) + bias` and `q_min > minimal_up_to`.
    pub threshold: f64,
    /// The bias, in flits.
    pub bias: i64,
    /// A packet never leaves a minimal queue of at most this many flits.
    pub minimal_up_to: i64,
    /// The number of minimal candidates.
    pub candidates_minimal: u32,
    /// The number of non-minimal candidates.
    pub candidates_nonminimal: u32,
    /// The flits that count as queued.
    pub queue: QueueMeasure,
    /// The VCs whose flits count as queued.
    pub scope: QueueScope,
    /// The path taken if both sides are equal.
    pub tie: Tie,
}

impl Default for UgalConfig {
    /// The values of SST's SC22 fork: threshold 2, one candidate of each kind, output buffer plus
    /// credits of the whole port.
    fn default() -> Self {
        Self {
            threshold: 2.0,
            bias: 0,
            minimal_up_to: 0,
            candidates_minimal: 1,
            candidates_nonminimal: 1,
            queue: QueueMeasure::OutputAndCredits,
            scope: QueueScope::Port,
            tie: Tie::Minimal,
        }
    }
}

impl UgalConfig {
    /// Returns whether the packet takes the non-minimal path. `coin` draws for ties.
    #[inline]
    pub(crate) fn diverts(&self, q_min: i64, q_non: i64, coin: impl FnOnce() -> u64) -> bool {
        if q_min <= self.minimal_up_to {
            return false;
        }
        let line = (self.threshold * q_non as f64) as i64 + self.bias;
        q_min > line || (q_min == line && self.tie == Tie::Random && coin() & 1 == 1)
    }
}
