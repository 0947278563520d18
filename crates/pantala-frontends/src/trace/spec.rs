//! The plan's form of a trace.

use pantala_engine::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OpenedTrace, TraceFormat};
use crate::opened::Opened;

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

/// A trace that the ranks of a job replay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceSpec {
    /// The format of the files.
    pub format: TraceFormat,
    /// The trace's file, directory or prefix; absolute, or relative to the working directory.
    pub path: String,
    /// SHA-256 of all files of the trace, in hexadecimal digits.
    pub hash: String,
    /// The computing between the recorded calls.
    #[serde(default)]
    pub compute: ComputeTimes,
    /// Factor of the recorded compute times, in millionths.
    #[serde(default = "one")]
    pub compute_scale_millionths: u64,
    /// The trace, once it has been checked.
    #[serde(skip)]
    pub opened: Opened<OpenedTrace>,
}

const MILLIONTHS: u64 = 1_000_000;

const fn one() -> u64 {
    MILLIONTHS
}

impl TraceSpec {
    /// The compute time of the simulation for a recorded time.
    #[must_use]
    pub fn compute_time(&self, recorded: Time) -> Time {
        match (self.compute, self.compute_scale_millionths) {
            (ComputeTimes::None, _) => 0,
            (ComputeTimes::Recorded, MILLIONTHS) => recorded,
            (ComputeTimes::Recorded, scale) => {
                let scaled = u128::from(recorded) * u128::from(scale) / u128::from(MILLIONTHS);
                Time::try_from(scaled).unwrap_or(Time::MAX)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compute_times_are_scaled() {
        let spec = |compute, scale| TraceSpec {
            format: TraceFormat::Dumpi,
            path: String::new(),
            hash: String::new(),
            compute,
            compute_scale_millionths: scale,
            opened: Opened::default(),
        };
        assert_eq!(spec(ComputeTimes::Recorded, MILLIONTHS).compute_time(7), 7);
        assert_eq!(spec(ComputeTimes::Recorded, 500_000).compute_time(7), 3);
        assert_eq!(spec(ComputeTimes::None, MILLIONTHS).compute_time(7), 0);
        assert_eq!(spec(ComputeTimes::Recorded, u64::MAX).compute_time(Time::MAX), Time::MAX);
    }
}
