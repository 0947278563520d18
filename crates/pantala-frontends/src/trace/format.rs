//! The formats of traces.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TraceFormat {
    /// DUMPI: one binary file per rank, or the text that dumpi2ascii writes of each.
    Dumpi,
    /// GOAL: one file, text or binary.
    Goal,
    /// Chakra: one file of protobuf messages per rank, plain or compressed.
    Chakra,
}
