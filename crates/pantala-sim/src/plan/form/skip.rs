//! The form of `skip`: leaving out time in which jobs repeat.

use crate::plan::form::is_false;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Skipping of time in which all running jobs repeat and the network is steady: the run leaves out
/// iterations, counts them at the rates of those that it has simulated, and states its error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkipPlan {
    /// The error that the mean duration of a job's iterations may have, in millionths, before time
    /// is skipped.
    #[schemars(range(min = 1, max = 500_000))]
    pub tolerance_millionths: u32,
    /// The fewest iterations of each job that are simulated before time is skipped, and again after
    /// it.
    #[serde(default = "eight")]
    #[schemars(range(min = 2), extend("default" = 8))]
    pub minimum: u32,
    /// Whether time is skipped only if the numbers of iterations promise that at most half of it
    /// has to be simulated. Otherwise the run simulates all of it, as without `skip`.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("default" = false))]
    pub if_worth: bool,
}

const fn eight() -> u32 {
    8
}
