//! The configuration of messages and collectives: the plan's `mpi` object.

mod algorithms;

use pantala_engine::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use algorithms::{
    AllgatherAlgorithm, AllreduceAlgorithm, AlltoallAlgorithm, AlltoallvAlgorithm,
    BarrierAlgorithm, BcastAlgorithm, Collectives, ReduceAlgorithm, ReduceScatterAlgorithm,
    RootedAlgorithm, ScanAlgorithm,
};

/// The message protocol, the costs of messages on hosts and NICs, and the algorithms of
/// collectives: the `mpi` object of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct MpiConfig {
    /// Largest message that is sent eagerly. A longer message uses the rendezvous protocol: the
    /// sender first asks the receiver. SST, as used by Kang et al. (SC 2022), has 12,000 B.
    pub eager_threshold_bytes: u64,
    /// Size on the wire of a request to send, and of a message of zero bytes without a header.
    #[schemars(range(min = 1), extend("x-source" = "assumption: the paper does not say"))]
    pub control_bytes: u32,
    /// Size on the wire of a get: the receiver's answer to a request.
    #[serde(default)]
    #[schemars(extend("x-zero" = "as a request"))]
    pub get_bytes: u32,
    /// Size on the wire of an acknowledgement.
    #[serde(default)]
    #[schemars(extend("x-zero" = "as a request"))]
    pub acknowledgement_bytes: u32,
    /// Size of the header that an eager message has on the wire in front of its payload.
    #[serde(default)]
    pub eager_header_bytes: u32,
    /// Size of the header that the data of a rendezvous have on the wire in front of the payload.
    #[serde(default)]
    pub data_header_bytes: u32,
    /// When an eager send is complete for its sender.
    pub eager_completion: EagerCompletion,
    /// When the send of a rendezvous is complete for its sender.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = "acknowledged", "x-later" = true))]
    pub rendezvous_completion: RendezvousCompletion,
    /// Time that a rank spends to start a message, before the NIC has the message. It is the
    /// overhead o of LogGP at the sender (Alexandrov, Ionescu, Schauser and Scheiman, SPAA 1995).
    /// Collectives in the background do not pay it.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub send_overhead_ps: Time,
    /// Time that a rank spends on an arrived message, before the receive or wait returns. It is the
    /// overhead o of LogGP at the receiver.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub receive_overhead_ps: Time,
    /// Shortest time between the starts of two messages at a node's NIC: the gap g of LogGP.
    /// Control messages count.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub gap_ps: Time,
    /// Time in which a node feeds one byte to its NIC: the gap per byte G of LogGP. A packet leaves
    /// when its last byte is at the NIC. A message of k bytes occupies the sending side of the NIC
    /// for max(g, (k - 1) G).
    #[serde(default)]
    #[schemars(range(max = LONGEST_PER_BYTE))]
    pub gap_per_byte_fs: u64,
    /// Time that a rank spends to enter an MPI call, and again to return from it.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub call_overhead_ps: Time,
    /// Time of `MPI_Init` and of the calls that follow it (size and rank), before the program.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub initialization_ps: Time,
    /// What the end of a program costs (`MPI_Finalize`).
    #[serde(default)]
    pub finalize: Finalize,
    /// When a host handles what has arrived for a rank.
    #[serde(default)]
    pub progress: Progress,
    /// Time in which the sender copies one byte of an eager message, before the message leaves.
    /// Rendezvous messages are not copied.
    #[serde(default)]
    #[schemars(range(max = LONGEST_PER_BYTE))]
    pub send_copy_per_byte_fs: u64,
    /// Time in which the receiver copies one byte of an eager message, before its receive or wait
    /// returns.
    #[serde(default)]
    #[schemars(range(max = LONGEST_PER_BYTE))]
    pub receive_copy_per_byte_fs: u64,
    /// The time of a copy is rounded to a multiple of this time. SST counts delays in whole
    /// nanoseconds.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD), extend("x-zero" = "not rounded"))]
    pub copy_resolution_ps: Time,
    /// Time to register the memory of a rendezvous message with the NIC. The sender registers
    /// before it sends the request; `receive_registration` says when the receiver does.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub registration_ps: Time,
    /// Time to register each whole page of 4096 B, in addition to `registration`, if the message is
    /// longer than one page.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub registration_per_page_ps: Time,
    /// When the receiver of a rendezvous message registers its memory.
    #[serde(default)]
    pub receive_registration: ReceiveRegistration,
    /// Time in which a receiver deregisters the memory of a rendezvous message, before its receive
    /// or wait returns. The sender's memory stays registered.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub deregistration_ps: Time,
    /// Time to deregister each whole page of 4096 B, in addition to `deregistration`, if the
    /// message is longer than one page.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub deregistration_per_page_ps: Time,
    /// Time to match a message with a receive.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub match_delay_ps: Time,
    /// Time for each entry that the host inspects to match: the posted receives, oldest first, for
    /// an arrived message, and the unexpected messages, oldest first, for a new receive.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub match_per_entry_ps: Time,
    /// Time in which the NIC prepares a transmission, before its first packet. A get has none.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub nic_transmit_ps: Time,
    /// Time in which the NIC matches the first packet of an arrived transmission. Later packets
    /// arrive meanwhile. A get and the data of a rendezvous have none.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub nic_match_ps: Time,
    /// What serves a get at the sender.
    #[serde(default)]
    pub get_service: GetService,
    /// Time from the arrival of a get at the sender's NIC until the NIC queues the data.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD), extend("x-effect" = {"get_service": ["nic"]}))]
    pub nic_read_ps: Time,
    /// The order in which a NIC sends its transmissions.
    #[serde(default)]
    pub nic_order: NicOrder,
    /// Bytes of one transmission that the NIC prepares in front of its output buffer. A get waits
    /// for them and for the output buffer.
    #[serde(default = "default_window")]
    #[schemars(range(min = 1), extend("default" = 51_200, "x-effect" = {"nic_order": ["gets_apart"]}))]
    pub nic_window_bytes: u32,
    /// Size of the NIC's output buffer, in front of the link. The NIC begins the next transmission
    /// when the last packet of the previous one has entered it.
    #[serde(default = "default_buffer")]
    #[schemars(range(min = 1), extend("default" = 15_360, "x-effect" = {"nic_order": ["gets_apart"]}))]
    pub nic_buffer_bytes: u32,
    /// Buffers for short messages (eager messages, and requests of a rendezvous) that a rank has at
    /// its start. Each receive call adds one, and each message takes one. A message that finds none
    /// waits in the NIC until a receive call posts one. With a limit, a NIC also takes the packets of
    /// each sender in the order of their sending: one that overtakes others waits for them. SST's
    /// firefly has 5.
    #[serde(default)]
    #[schemars(extend("x-zero" = "unlimited"))]
    pub short_buffers: u32,
    /// Most buffers for short messages that receive calls post at the same time.
    #[serde(default = "default_buffers_limit")]
    #[schemars(range(min = 1), extend("default" = 512, "x-effect" = {"short_buffers": {"above": 0}}))]
    pub short_buffers_limit: u32,
    /// Most extra buffers of a rank. A message that finds no buffer asks the host for one, which
    /// posts it while the rank waits in a call. A later receive call pays it back.
    #[serde(default = "default_extra_buffers")]
    #[schemars(extend("default" = 32, "x-effect" = {"short_buffers": {"above": 0}}))]
    pub extra_buffers: u32,
    /// Most messages that a NIC receives at the same time, those that wait for a buffer included.
    /// Packets of others wait in the NIC.
    #[serde(default = "default_streams")]
    #[schemars(range(min = 1), extend("default" = 16, "x-effect" = {"short_buffers": {"above": 0}}))]
    pub nic_streams: u32,
    /// Most packets that wait in a NIC behind a message without a buffer. Then the NIC takes in no
    /// more; packets that arrive wait in front of it, without a limit.
    #[serde(default = "default_packets")]
    #[schemars(range(min = 1), extend("default" = 64, "x-effect" = {"short_buffers": {"above": 0}}))]
    pub nic_pending: u32,
    /// Time that a message or control message takes from the host to the queue of its NIC.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub host_to_nic_ps: Time,
    /// Time per byte that an eager message takes from the host to the queue of its NIC, in addition
    /// to `host_to_nic`. It keeps neither the rank nor the NIC busy, so a shorter message that is
    /// sent later may be in the queue first.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(max = LONGEST_PER_BYTE), extend("default" = 0, "x-later" = true))]
    pub host_to_nic_per_byte_fs: u64,
    /// Time that an arrived message takes from the NIC to the host.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD))]
    pub nic_to_host_ps: Time,
    /// Latency of a message between two ranks of one node, for every size. The message goes through
    /// memory and never to the NIC. Request, answer and acknowledgement of a rendezvous take this
    /// time each.
    #[serde(default)]
    #[schemars(range(max = LONGEST_OVERHEAD), extend("x-effect" = {"/jobs.*.ranks_per_node": {"above": 1}}))]
    pub memory_latency_ps: Time,
    /// Bandwidth of each message between two ranks of one node. Messages of a node do not slow each
    /// other.
    #[serde(default)]
    #[schemars(extend("x-zero" = "unlimited", "x-effect" = {"/jobs.*.ranks_per_node": {"above": 1}}))]
    pub memory_bandwidth_bytes_per_s: u64,
    /// The algorithm of each collective operation.
    pub collectives: Collectives,
}

/// The time at which an eager send is complete for its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EagerCompletion {
    /// At once. The host copies the message out of the program's buffer.
    Posted,
    /// When the last packet of the message has left the NIC's queue.
    Injected,
}

/// The time at which the send of a rendezvous is complete for its sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RendezvousCompletion {
    /// When the receiver's acknowledgement of the payload has arrived.
    #[default]
    Acknowledged,
    /// When the last packet of the payload has left the NIC's queue, as in CODES. The receiver sends
    /// no acknowledgement.
    Injected,
}

/// The time at which a host handles messages, requests and acknowledgements that have arrived for a
/// rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// At once, whatever the rank does.
    #[default]
    Independent,
    /// While the rank is blocked in an MPI call. A rank that computes answers no request. One
    /// interrupt handles all acknowledgements, and then either one payload that has arrived or all
    /// arrived messages, as in SST's firefly.
    InCalls,
}

/// The end of a program: `MPI_Finalize`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finalize {
    /// No message and no time.
    #[default]
    Local,
    /// A barrier of all ranks, as in SST's firefly.
    Barrier,
}

/// The time at which the receiver of a rendezvous message registers its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReceiveRegistration {
    /// When the request has matched, before the answer.
    #[default]
    Matched,
    /// When the rank posts the receive. The rank is busy with it.
    Posted,
}

/// What serves a get at the sender of a rendezvous message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GetService {
    /// The host, which then hands the data to the NIC.
    #[default]
    Host,
    /// The NIC alone.
    Nic,
}

/// The order in which a NIC sends its transmissions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NicOrder {
    /// First in, first out.
    #[default]
    Fifo,
    /// Whole transmissions, first in, first out. Gets have a queue of their own and wait only for
    /// packets that the NIC has already prepared, as in SST's firefly.
    GetsApart,
}

const fn default_buffers_limit() -> u32 {
    512
}

const fn default_extra_buffers() -> u32 {
    32
}

const fn default_streams() -> u32 {
    16
}

const fn default_packets() -> u32 {
    64
}

const fn default_window() -> u32 {
    51_200
}

const fn default_buffer() -> u32 {
    15_360
}

impl Default for MpiConfig {
    /// The protocol of Kang et al. (SC 2022): eager up to 12,000 bytes, binary trees, a ring for
    /// alltoall.
    fn default() -> Self {
        Self {
            eager_threshold_bytes: 12_000,
            control_bytes: 64,
            get_bytes: 0,
            acknowledgement_bytes: 0,
            eager_header_bytes: 0,
            data_header_bytes: 0,
            eager_completion: EagerCompletion::Posted,
            rendezvous_completion: RendezvousCompletion::Acknowledged,
            send_overhead_ps: 0,
            receive_overhead_ps: 0,
            gap_ps: 0,
            gap_per_byte_fs: 0,
            call_overhead_ps: 0,
            initialization_ps: 0,
            finalize: Finalize::Local,
            progress: Progress::Independent,
            send_copy_per_byte_fs: 0,
            receive_copy_per_byte_fs: 0,
            copy_resolution_ps: 0,
            registration_ps: 0,
            registration_per_page_ps: 0,
            receive_registration: ReceiveRegistration::Matched,
            deregistration_ps: 0,
            deregistration_per_page_ps: 0,
            match_delay_ps: 0,
            match_per_entry_ps: 0,
            nic_transmit_ps: 0,
            nic_match_ps: 0,
            get_service: GetService::Host,
            nic_read_ps: 0,
            nic_order: NicOrder::Fifo,
            nic_window_bytes: default_window(),
            nic_buffer_bytes: default_buffer(),
            short_buffers: 0,
            short_buffers_limit: default_buffers_limit(),
            extra_buffers: default_extra_buffers(),
            nic_streams: default_streams(),
            nic_pending: default_packets(),
            host_to_nic_ps: 0,
            host_to_nic_per_byte_fs: 0,
            nic_to_host_ps: 0,
            memory_latency_ps: 0,
            memory_bandwidth_bytes_per_s: 0,
            collectives: Collectives::default(),
        }
    }
}

/// Whether a plan leaves a key out, as plans of earlier versions did.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The longest overhead, in ps. It keeps sums of times within the clock's range.
const LONGEST_OVERHEAD: Time = 1_000_000_000_000_000;

/// The longest time per byte, in fs.
const LONGEST_PER_BYTE: u64 = 1_000_000_000_000;

/// The records that a [`crate::MpiLayer`] keeps in addition to its counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recording {
    /// One [`crate::MessageRecord`] per message.
    pub messages: bool,
    /// One [`crate::IterationRecord`] per rank and iteration.
    pub iterations: bool,
    /// Whether a [`crate::MessageRecord`] tells that the message was unexpected.
    pub unexpected: bool,
    /// Number, bytes and latencies of the messages of each rank.
    pub rank_messages: bool,
    /// One [`crate::CallReport`] per rank and call, not only per job and call.
    pub rank_calls: bool,
    /// Length of the windows of message latency, in ps. Zero: none.
    pub latency_window: Time,
    /// Length of the windows of the time in calls ([`crate::CallWindow`]), in ps. Zero: none.
    pub call_window: Time,
    /// One [`crate::IterationStart`] per rank and start of an iteration.
    pub starts: bool,
}

impl Default for Recording {
    /// All messages and iterations.
    fn default() -> Self {
        Self {
            messages: true,
            iterations: true,
            unexpected: false,
            rank_messages: false,
            rank_calls: false,
            latency_window: 0,
            call_window: 0,
            starts: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_plan() {
        let text = r#"{"eager_threshold_bytes":12000,"control_bytes":64,"eager_completion":"posted","collectives":
            {"barrier":"binary_tree","bcast":"binary_tree","reduce":"binary_tree","allreduce":"recursive_doubling","alltoall":"ring"}}"#;
        let config: MpiConfig = serde_json::from_str(text).unwrap();
        assert_eq!(config.collectives.allreduce, AllreduceAlgorithm::RecursiveDoubling);
        assert_eq!(config.collectives.scan, ScanAlgorithm::Linear, "left out: the default");
        let again: MpiConfig =
            serde_json::from_str(&serde_json::to_string(&config).unwrap()).unwrap();
        assert_eq!(again, config);
        let written = serde_json::to_string(&MpiConfig::default()).unwrap();
        for later in ["rendezvous_completion", "host_to_nic_per_byte"] {
            assert!(!written.contains(later), "plans of earlier versions have no {later}");
        }
        assert!(serde_json::from_str::<MpiConfig>(&text.replace("control", "contrl")).is_err());
    }
}
