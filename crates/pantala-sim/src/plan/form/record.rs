//! What a plan records: which tables have rows, and the length of windows.

use pantala_engine::LONGEST_TIME;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which packets get a row of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PacketRecord {
    /// None.
    Off,
    /// One of every `packet_sample` packets.
    Sampled,
    /// Every packet.
    All,
}

/// Whether the estimates of q_adaptive are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QTableRecord {
    /// No.
    #[default]
    Off,
    /// The estimates at the end of the run, for `routing.q_adaptive.table` of another run.
    End,
}

/// What a run writes besides the tables of jobs, ranks and links.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordPlan {
    /// Length of the windows of link_windows, job_windows and q_learning. A run with endless jobs
    /// also looks at the end of each window whether the other jobs have ended.
    #[serde(default = "ten_microseconds")]
    #[schemars(range(min = 1, max = LONGEST_TIME))]
    pub window_ps: u64,
    /// Which packets get a row of their own. Latencies of a job count all of its packets in any
    /// case.
    #[serde(default = "sampled")]
    pub packets: PacketRecord,
    /// Of how many packets one is recorded.
    #[serde(default = "one_in_hundred")]
    #[schemars(range(min = 1), extend("x-effect" = {"packets": ["sampled"]}))]
    pub packet_sample: u32,
    /// Whether every message gets a row.
    #[serde(default = "yes")]
    pub messages: bool,
    /// Whether every iteration of every rank gets a row.
    #[serde(default = "yes")]
    pub iterations: bool,
    /// Whether the traffic of every link is recorded per window.
    #[serde(default = "yes")]
    pub link_windows: bool,
    /// Whether the estimates of q_adaptive are kept at the end of the run, for
    /// `routing.q_adaptive.table` of another.
    #[serde(default)]
    #[schemars(extend("x-effect" = {"/routing.algorithm": ["q_adaptive"]}))]
    pub q_tables: QTableRecord,
    /// Whether the learning of q_adaptive is recorded per window: the feedback of packets and the
    /// estimates of routers.
    #[serde(default)]
    #[schemars(extend("x-effect" = {"/routing.algorithm": ["q_adaptive"]}))]
    pub q_learning: bool,
}

const fn ten_microseconds() -> u64 {
    10_000_000
}

const fn sampled() -> PacketRecord {
    PacketRecord::Sampled
}

const fn one_in_hundred() -> u32 {
    100
}

const fn yes() -> bool {
    true
}
