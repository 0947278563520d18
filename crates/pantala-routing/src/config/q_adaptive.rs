//! The keys of `q_adaptive`: learning rates, exploration and thresholds.

/// The keys of `q_adaptive`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QAdaptiveConfig {
    /// The share of the difference by which an estimate falls.
    pub learning_rate_down: f64,
    /// The share of the difference by which an estimate rises.
    pub learning_rate_up: f64,
    /// The probability of a random port.
    pub exploration: f64,
    /// The number of first decisions of a router that explore regardless of the probability, with
    /// all decisions at the time of the last one.
    pub first_explorations: u32,
    /// The saving that the best port needs at the source router, as a share of the minimal port's
    /// estimate.
    pub threshold_source: f64,
    /// The saving that a random local port needs in the intermediate group.
    pub threshold_intermediate: f64,
    /// Whether estimates and times are truncated to whole nanoseconds.
    pub truncate: bool,
}

impl Default for QAdaptiveConfig {
    /// The values of SST's SC22 fork.
    fn default() -> Self {
        Self {
            learning_rate_down: 0.2,
            learning_rate_up: 0.04,
            exploration: 0.001,
            first_explorations: 0,
            threshold_source: 0.2,
            threshold_intermediate: 0.35,
            truncate: true,
        }
    }
}

impl QAdaptiveConfig {
    /// Returns an estimate after feedback, both in ns.
    #[must_use]
    pub fn corrected(&self, estimate: f32, target: f32) -> f32 {
        let delta = f64::from(target) - f64::from(estimate);
        let rate = if delta < 0.0 { self.learning_rate_down } else { self.learning_rate_up };
        let corrected = f64::from(estimate) + rate * delta;
        // Through an integer, because a truncation of floats is a call without SSE 4.1.
        (if self.truncate { corrected as i64 as f64 } else { corrected }) as f32
    }

    /// Returns whether a port saves enough over the minimal port.
    pub(crate) fn pays(threshold: f64, minimal: f32, other: f32) -> bool {
        (f64::from(minimal) - f64::from(other)) / f64::from(minimal) >= threshold
    }

    /// Returns whether a packet explores, by its draw.
    pub(crate) fn explores(&self, draw: u64) -> bool {
        // A double holds 53 bits.
        ((draw >> 11) as f64) < self.exploration * (1u64 << 53) as f64
    }
}
