//! [`Hosts`]: what the hosts of ranks keep beside the ranks themselves.

use std::collections::VecDeque;

use pantala_engine::Time;

use crate::rank::{BlockedUntil, CallState};
use crate::reception::ShortBuffers;

/// The hosts of a layer's ranks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hosts {
    /// By rank. Empty if buffers for short messages are unlimited.
    pub(crate) buffers: Vec<ShortBuffers>,
    /// By rank. Empty if hosts make progress at any time.
    pub(crate) progress: Vec<CallProgress>,
    /// By rank. Empty if calls take no time.
    pub(crate) calls: Vec<CallState>,
}

/// The host of a rank that makes progress in calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallProgress {
    /// Acknowledgements that have arrived.
    pub(crate) acknowledgements: Vec<u32>,
    /// Payloads of rendezvous messages that have arrived.
    pub(crate) payloads: VecDeque<u32>,
    /// Eager messages, requests and gets that have arrived, in order.
    pub(crate) arrived: Vec<u32>,
    /// Whether an interrupt came while the rank could not be interrupted.
    pub(crate) missed: bool,
    pub(crate) stage: Stage,
    /// The times at which the NIC tells that it has sent an acknowledgement.
    pub(crate) notices: VecDeque<Time>,
    /// The condition of the rank's wait. `None`: the rank leaves its call.
    pub(crate) until: Option<BlockedUntil>,
    /// Whether the rank leaves its call after the next interrupt.
    pub(crate) leaves: bool,
}

/// The state of a rank in a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The rank is in no wait.
    #[default]
    Away,
    /// The rank is busy and then looks at its wait.
    Closing,
    /// The rank is blocked and can be interrupted.
    Attentive,
    /// The rank handles an interrupt.
    Interrupted,
}
