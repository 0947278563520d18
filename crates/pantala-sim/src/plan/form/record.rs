//! What a run records: the tables that have rows, and the length of a window.

mod blame;
mod call_events;
pub(super) mod links;

use crate::plan::form::{is_false, is_zero};
pub use blame::BlameRecord;
pub use call_events::CallEventRecord;
use links::{PortRecord, RouterRecord, SystemRecord};
use pantala_engine::LONGEST_TIME;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which packets have a row in the packets table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PacketRecord {
    /// No packet.
    Off,
    /// One in `packet_sample` packets.
    Sampled,
    /// Every packet.
    All,
}

/// Whether a run records the estimates of q_adaptive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QTableRecord {
    /// No estimates.
    #[default]
    Off,
    /// The estimates at the end of the run, for `routing.q_adaptive.table` of another run.
    End,
}

/// What a run records in addition to the tables of jobs, ranks and links.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordPlan {
    /// Length of a time window: of a row of job_windows and q_learning. The tables messages and
    /// iterations are ordered by window, and memory holds the rows of one window. A run with
    /// endless jobs ends at the end of the window in which the other jobs end.
    #[serde(default = "ten_microseconds")]
    #[schemars(range(min = 1, max = LONGEST_TIME))]
    pub window_ps: u64,
    /// Which packets have a row in the packets table. The latencies of a job always include all of
    /// its packets.
    #[serde(default = "sampled")]
    pub packets: PacketRecord,
    /// One in this many packets has a row.
    #[serde(default = "one_in_hundred")]
    #[schemars(range(min = 1), extend("x-effect" = {"packets": ["sampled"]}))]
    pub packet_sample: u32,
    /// Whether the packet_hops table records the path of each packet of the packets table: routers,
    /// ports, virtual channels, times and waiting times.
    #[serde(default)]
    #[schemars(extend("x-effect" = {"packets": ["sampled", "all"]}))]
    pub packet_paths: bool,
    /// Names of the jobs whose packets have rows; none: all jobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packet_jobs: Vec<String>,
    /// Routers. Only packets that pass one of them have rows; the routers of their source and
    /// destination count. None: all packets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packet_routers: Vec<u32>,
    /// Only packets whose head enters the network at this time or later have rows.
    #[serde(default)]
    #[schemars(range(max = LONGEST_TIME), extend("x-effect" = {"packets": ["sampled", "all"]}))]
    pub packet_from_ps: u64,
    /// Only packets whose head enters the network before this time have rows.
    #[serde(default)]
    #[schemars(range(max = LONGEST_TIME), extend("x-zero" = "none", "x-effect" = {"packets": ["sampled", "all"]}))]
    pub packet_until_ps: u64,
    /// Length of a time window of the routing_windows table, which records the paths of each job's
    /// packets: minimal, non-minimal, diverted on the way, and links crossed.
    #[serde(default)]
    #[schemars(range(max = LONGEST_TIME), extend("x-zero" = "none"))]
    pub routing_windows_ps: u64,
    /// Length of a time window of the latency_windows table, which records percentiles of packet,
    /// message and request-response latency per job. The percentiles of up to 4,096 latencies are
    /// exact; of more they are at most 0.1 % too high.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(max = LONGEST_TIME), extend("x-zero" = "none"))]
    pub latency_windows_ps: u64,
    /// Length of a time window of the nic_windows table, which records number and mean of the
    /// request-response latencies of each node. Only with machine.nic.responses.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(max = LONGEST_TIME), extend("x-zero" = "none"))]
    pub nic_windows_ps: u64,
    /// Whether every message has a row in the messages table.
    #[serde(default = "yes")]
    pub messages: bool,
    /// Whether the messages table tells which messages were unexpected: arrived before a receive was
    /// posted.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("x-effect" = {"messages": [true]}))]
    pub unexpected: bool,
    /// Whether the rank_messages table records number, bytes and latencies of the messages that each
    /// rank has sent and received.
    #[serde(default, skip_serializing_if = "is_false")]
    pub rank_messages: bool,
    /// Whether the rank_calls table records number, bytes and time of each rank's MPI calls, and the
    /// iterations table the time of computing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub rank_calls: bool,
    /// Whether the links table has stalls as SST counts them, too. SST does not count the part of a
    /// stall before the last packet that came into the output buffer meanwhile
    /// (`output_port_stalls`).
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("default" = false, "x-later" = true))]
    pub sst_stalls: bool,
    /// Length of a time window of the call_windows table, which records the time that ranks are
    /// blocked in each MPI call, by job.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(max = LONGEST_TIME), extend("x-zero" = "none"))]
    pub call_windows_ps: u64,
    /// The record of single MPI calls: table call_events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_events: Option<CallEventRecord>,
    /// Whether every iteration of every rank has a row in the iterations table.
    #[serde(default = "yes")]
    pub iterations: bool,
    /// Whether the link_windows table records the traffic and the stalls of every link per window
    /// and job.
    #[serde(default = "yes")]
    pub link_windows: bool,
    /// Length of a window of link_windows. 0 stands for `window` on machines of at most 4,096 nodes,
    /// and for ten times as long on larger ones, where the rows would slow the run down.
    #[serde(default)]
    #[schemars(range(max = LONGEST_TIME), extend("x-effect" = {"link_windows": [true]}))]
    pub link_window_ps: u64,
    /// Whether the q_tables table records the estimates of q_adaptive at the end of the run.
    /// Another run can start from them (`routing.q_adaptive.table`).
    #[serde(default)]
    #[schemars(extend("x-effect" = {"/routing.algorithm": ["q_adaptive"]}))]
    pub q_tables: QTableRecord,
    /// Whether the q_learning table records feedback and estimates of q_adaptive per window.
    #[serde(default)]
    #[schemars(extend("x-effect" = {"/routing.algorithm": ["q_adaptive"]}))]
    pub q_learning: bool,
    /// The record of ports: table port_windows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ports: Option<PortRecord>,
    /// The record of link classes: table system_windows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<SystemRecord>,
    /// The record of routers: table router_windows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routers: Option<RouterRecord>,
    /// The waiting time of each job by the job that causes it. Without this table, nothing of it is
    /// recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blame: Option<BlameRecord>,
}

/// The most nodes of a machine whose links have a row in every window.
const MOST_NODES: u32 = 4_096;

impl RecordPlan {
    /// Resolves the length of a window of link_windows on a machine of so many nodes.
    pub(crate) fn resolve(&mut self, nodes: u32) {
        if self.link_window_ps == 0 {
            let windows = if nodes > MOST_NODES { 10 } else { 1 };
            self.link_window_ps = self.window_ps.saturating_mul(windows).min(LONGEST_TIME);
        }
    }
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
