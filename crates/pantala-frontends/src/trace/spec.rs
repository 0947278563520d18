//! The plan's form of a trace.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ComputeScale, ComputeTimes, OpenedTrace, TraceFormat};
use crate::opened::Opened;

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

const fn one() -> u64 {
    ComputeScale::ONE
}

impl TraceSpec {
    /// The factor of the recorded compute times.
    #[must_use]
    pub const fn compute_scale(&self) -> ComputeScale {
        ComputeScale::new(self.compute, self.compute_scale_millionths)
    }
}
