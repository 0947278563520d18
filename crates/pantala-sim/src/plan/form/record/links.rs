//! Records of links in windows: per port, per link class, and per router.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the rows of port_windows tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PortSplit {
    /// Virtual channels.
    Vc,
    /// Jobs.
    Job,
    /// Requests and responses.
    Kind,
}

/// The record of ports: table port_windows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PortRecord {
    /// Lengths of windows, each a multiple of the shortest; none: the whole run.
    #[serde(default)]
    pub windows_ps: Vec<u64>,
    /// What rows tell apart. Without it, a row covers all VCs, jobs and kinds of packets.
    #[serde(default)]
    pub split: Vec<PortSplit>,
    /// Link classes, as in the links table; none: all.
    #[serde(default)]
    pub classes: Vec<String>,
    /// Routers that send on the links or, for injection links, receive; none: all.
    #[serde(default)]
    pub routers: Vec<u32>,
    /// Names of jobs; none: all. Only if rows tell jobs apart.
    #[serde(default)]
    pub jobs: Vec<String>,
}

/// The record of link classes: table system_windows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SystemRecord {
    /// Lengths of windows, as of ports.
    #[serde(default)]
    pub windows_ps: Vec<u64>,
    /// Whether rows tell jobs apart.
    #[serde(default)]
    pub by_job: bool,
}

/// The record of routers: table router_windows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RouterRecord {
    /// Lengths of windows, as of ports.
    #[serde(default)]
    pub windows_ps: Vec<u64>,
    /// Numbers of routers; none: all.
    #[serde(default)]
    pub routers: Vec<u32>,
    /// Names of jobs; none: all.
    #[serde(default)]
    pub jobs: Vec<String>,
}
