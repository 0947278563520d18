//! The record of blame: which job causes the waiting time of which job.

use crate::plan::form::{is_false, is_zero};
use pantala_engine::LONGEST_TIME;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The blame table records the waiting time of each job by the job that causes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlameRecord {
    /// Length of a time window of the blame table. A waiting interval lies in the window in which
    /// it ends.
    #[serde(default = "ten_microseconds")]
    #[schemars(range(min = 1, max = LONGEST_TIME))]
    pub window_ps: u64,
    /// Whether the blame_groups table records the waiting times by the groups that links connect
    /// too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub groups: bool,
    /// The blame_links table records the waiting times at so many links of each class, those most
    /// waited at in the run.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(max = 1_000_000), extend("x-zero" = "none"))]
    pub links: u32,
}

const fn ten_microseconds() -> u64 {
    10_000_000
}
