//! Inter-partition messages: packets, credits and feedback of the fabric, and hosts' messages.
//!
//! A partition posts messages during a window. The others take them after the window, because each
//! message takes effect later than that ([`crate::FabricConfig::lookahead`]). Partitions may take
//! them in any order. The messages from one partition to another keep their order.

use crate::store::packet::{Packet, PacketOrigin};
use crate::watch::paths::PathHop;
use pantala_engine::{NEVER, Time};
use pantala_routing::learning::{HopFeedback, Sent};
use serde::{Deserialize, Serialize};

/// A packet on a link. Its head arrives at [`Packet::ready`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct PacketMessage {
    pub(crate) packet: Packet,
    pub(crate) origin: PacketOrigin,
    pub(crate) hop_feedback: HopFeedback,
}

/// Credits for `room` flits on their way to an output VC, from `first` to `last`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct CreditMessage {
    pub(crate) out_vc: u32,
    pub(crate) room: u32,
    pub(crate) first: Time,
    pub(crate) last: Time,
}

/// The messages of one partition's fabric to another.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FabricMessages {
    pub(crate) packets: Vec<PacketMessage>,
    /// The paths of chosen packets, each with its place in `packets`, in order.
    pub(crate) paths: Vec<(usize, Vec<PathHop>)>,
    pub(crate) credits: Vec<CreditMessage>,
    pub(crate) feedback: Vec<Sent>,
    /// When the first packet or credit takes effect; [`NEVER`] if there is none.
    pub(crate) earliest: Time,
}

impl Default for FabricMessages {
    fn default() -> Self {
        Self {
            packets: Vec::new(),
            paths: Vec::new(),
            credits: Vec::new(),
            feedback: Vec::new(),
            earliest: NEVER,
        }
    }
}

impl FabricMessages {
    /// Posts a packet.
    pub(crate) fn post_packet(&mut self, message: PacketMessage) {
        self.earliest = self.earliest.min(message.packet.ready);
        self.packets.push(message);
    }

    /// Posts credits.
    pub(crate) fn post_credit(&mut self, message: CreditMessage) {
        self.earliest = self.earliest.min(message.first);
        self.credits.push(message);
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.packets.capacity() * size_of::<PacketMessage>()
            + self.credits.capacity() * size_of::<CreditMessage>()
            + self.feedback.capacity() * size_of::<Sent>()
    }
}

/// All messages of one partition to another in one window. A [`crate::Transport`] carries them
/// without reading them.
#[derive(Debug, Serialize, Deserialize)]
pub struct PartitionMessages<M> {
    pub(crate) fabric: FabricMessages,
    pub(crate) host: Vec<M>,
}

impl<M> Default for PartitionMessages<M> {
    fn default() -> Self {
        Self { fabric: FabricMessages::default(), host: Vec::new() }
    }
}

impl<M> PartitionMessages<M> {
    /// Returns when the first packet or credit takes effect; [`NEVER`] if there is none.
    pub(crate) const fn earliest(&self) -> Time {
        self.fabric.earliest
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.fabric.memory() + self.host.capacity() * size_of::<M>()
    }
}
