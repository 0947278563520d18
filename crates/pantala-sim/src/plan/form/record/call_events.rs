//! The record of single MPI calls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The call_events table records the start and the end of each MPI call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallEventRecord {
    /// Names of the jobs whose calls have rows; none: all jobs.
    #[serde(default)]
    pub jobs: Vec<String>,
    /// The ranks whose calls have rows; none: all ranks.
    #[serde(default)]
    pub ranks: Vec<u32>,
}
