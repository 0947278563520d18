//! The keys of `q_adaptive`: learning rates, exploration and thresholds.

/// The keys of `q_adaptive`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QAdaptiveConfig {
    /// Share of the difference by which an estimate falls.
    pub learning_rate_down: f64,
    /// And rises.
    pub learning_rate_up: f64,
    /// Probability of a random port.
    pub exploration: f64,
    /// A router's first decisions, which explore whatever the probability: this many, and those of
    /// the time of the last.
    pub first_explorations: u32,
    /// What the best port must save at the source router, as a share of the minimal port's
    /// estimate.
    pub threshold_source: f64,
    /// And a random local port in the intermediate group.
    pub threshold_intermediate: f64,
    /// Whether estimates and times are cut to whole nanoseconds.
    pub truncate: bool,
}

impl Default for QAdaptiveConfig {
    /// SST's SC22 fork.
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
    /// An estimate after feedback; both in ns.
    #[must_use]
    pub fn corrected(&self, estimate: f32, target: f32) -> f32 {
        let delta = f64::from(target) - f64::from(estimate);
        let rate = if delta < 0.0 { self.learning_rate_down } else { self.learning_rate_up };
        let corrected = f64::from(estimate) + rate * delta;
        (if self.truncate { corrected.trunc() } else { corrected }) as f32
    }

    /// Whether a port saves enough over the minimal one.
    pub(crate) fn pays(threshold: f64, minimal: f32, other: f32) -> bool {
        (f64::from(minimal) - f64::from(other)) / f64::from(minimal) >= threshold
    }

    /// Whether a packet explores, by its draw.
    pub(crate) fn explores(&self, draw: u64) -> bool {
        // 53 bits: as many as a double holds.
        ((draw >> 11) as f64) < self.exploration * (1u64 << 53) as f64
    }
}
