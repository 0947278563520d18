//! The computing between the recorded calls of a trace.

use pantala_engine::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The computing between the recorded calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComputeTimes {
    /// As long as recorded, times the scale.
    #[default]
    Recorded,
    /// No computing.
    None,
}

impl ComputeTimes {
    /// Whether computing takes as long as recorded, times the scale.
    pub(crate) fn is_recorded(&self) -> bool {
        *self == Self::Recorded
    }
}

/// The factor of the recorded compute times, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComputeScale(u64);

impl ComputeScale {
    /// The factor 1, in millionths.
    pub const ONE: u64 = 1_000_000;

    /// The factor for the compute times of a plan and their scale in millionths.
    #[must_use]
    pub const fn new(times: ComputeTimes, millionths: u64) -> Self {
        match times {
            ComputeTimes::None => Self(0),
            ComputeTimes::Recorded => Self(millionths),
        }
    }

    /// Whether times stay as recorded.
    #[must_use]
    pub const fn is_one(self) -> bool {
        self.0 == Self::ONE
    }

    /// The compute time of the simulation for a recorded time.
    #[must_use]
    pub fn applied(self, recorded: Time) -> Time {
        if self.is_one() {
            return recorded;
        }
        let scaled = u128::from(recorded) * u128::from(self.0) / u128::from(Self::ONE);
        Time::try_from(scaled).unwrap_or(Time::MAX)
    }
}

/// The factor 1 in millionths, which a plan need not state.
pub(crate) const fn one() -> u64 {
    ComputeScale::ONE
}

/// Whether a factor in millionths is 1.
pub(crate) fn is_one(millionths: &u64) -> bool {
    *millionths == one()
}

impl Default for ComputeScale {
    fn default() -> Self {
        Self(Self::ONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compute_times_are_scaled() {
        let scaled = |times, scale, time| ComputeScale::new(times, scale).applied(time);
        assert_eq!(scaled(ComputeTimes::Recorded, ComputeScale::ONE, 7), 7);
        assert_eq!(scaled(ComputeTimes::Recorded, 500_000, 7), 3);
        assert_eq!(scaled(ComputeTimes::None, ComputeScale::ONE, 7), 0);
        assert_eq!(scaled(ComputeTimes::Recorded, u64::MAX, Time::MAX), Time::MAX);
    }
}
