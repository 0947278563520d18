//! Messages: what a rank sends, and what of it is on the wire.

use pantala_engine::Time;
use pantala_fabric::TrafficClass;

use crate::arena::{Linked, NONE};
use crate::collectives::kind::CollectiveKind;
use serde::{Deserialize, Serialize};

/// The role of one transmission in the life of a message.
///
/// An eager message is one transmission. A rendezvous message is four: the sender asks (request to
/// send), the receiver, once a receive matches, fetches (get), the payload travels (data), and the
/// receiver frees the sender (acknowledgement).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TransmissionKind {
    /// Payload, unasked: source to destination.
    Eager,
    /// The envelope of a message too long to be sent unasked: source to destination.
    RequestToSend,
    /// The receiver has matched the envelope and wants the payload: destination to source.
    Get,
    /// Payload that was asked for: source to destination.
    Data,
    /// The payload is there: destination to source.
    Acknowledge,
}

/// How a message's payload travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Protocol {
    /// Unasked, up to the threshold.
    Eager,
    /// PendingOutcome for by the receiver.
    Rendezvous,
}

impl Protocol {
    /// The name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Eager => "eager",
            Self::Rendezvous => "rendezvous",
        }
    }
}

/// Which collective call a message belongs to: the same on all ranks of the communicator, or
/// somebody is mistaken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectiveInstance {
    /// The calls of collectives on the communicator before this one.
    pub number: u32,
    /// The root, or 0 where there is none.
    pub root: u32,
}

/// All that the other side must know of a message: self-contained, so that it can travel with a
/// transmission's first packet.
///
/// One header serves a message from its send call to its acknowledgement; only `kind` and `target`
/// change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// When the send was called.
    pub posted: Time,
    /// Payload bytes.
    pub bytes: u64,
    /// The sending rank (of the job).
    pub source: u32,
    /// The receiving rank (of the job).
    pub destination: u32,
    /// The communicator's context on the wire: user messages even, collectives odd.
    pub context: u32,
    /// The tag.
    pub tag: i32,
    /// The message's place among those of the same source, destination and context.
    pub sequence: u32,
    /// Which collective it belongs to; meaningless outside collectives.
    pub instance: CollectiveInstance,
    /// The sender's handle of its pending send.
    pub(crate) origin: u32,
    /// The receiver's handle of the matched receive.
    pub(crate) target: u32,
    /// The job, as numbered in the plan.
    pub job: u16,
    /// What the present transmission is.
    pub kind: TransmissionKind,
}

impl Header {
    /// What kind of communication it belongs to.
    #[inline]
    pub(crate) const fn class(&self) -> TrafficClass {
        const ALL_TO_ALL: [i32; 2] =
            [CollectiveKind::Alltoall.tag(), CollectiveKind::Alltoallv.tag()];
        if self.is_collective() && (self.tag == ALL_TO_ALL[0] || self.tag == ALL_TO_ALL[1]) {
            TrafficClass::AllToAll
        } else {
            TrafficClass::PointToPoint
        }
    }

    /// Whether it belongs to a collective: their contexts are odd, and their tags say their kinds.
    #[inline]
    pub(crate) const fn is_collective(&self) -> bool {
        self.context % 2 == 1
    }

    /// The rank that transmits.
    #[inline]
    pub(crate) const fn transmitter(&self) -> u32 {
        match self.kind {
            TransmissionKind::Eager | TransmissionKind::RequestToSend | TransmissionKind::Data => {
                self.source
            }
            TransmissionKind::Get | TransmissionKind::Acknowledge => self.destination,
        }
    }

    /// The rank that the transmission is for.
    #[inline]
    pub(crate) const fn addressee(&self) -> u32 {
        match self.kind {
            TransmissionKind::Eager | TransmissionKind::RequestToSend | TransmissionKind::Data => {
                self.destination
            }
            TransmissionKind::Get | TransmissionKind::Acknowledge => self.source,
        }
    }

    /// Bytes on the wire: the payload, or a control message's size.
    #[inline]
    pub(crate) fn wire_bytes(&self, control_bytes: u32) -> u64 {
        match self.kind {
            TransmissionKind::Eager | TransmissionKind::Data if self.bytes > 0 => self.bytes,
            _ => u64::from(control_bytes),
        }
    }
}

/// A transmission: in a NIC's queue, on its way, or arrived and not yet matched.
///
/// `created`, `to_send` and `node` belong to the sending side, the rest to the receiving side once
/// it is on its way: a partition at either end needs its own half only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    pub(crate) header: Header,
    /// When the transmission was handed to its NIC: the creation time of its packets. In an inbox,
    /// when it is ready.
    pub(crate) created: Time,
    /// Bytes that the NIC has not taken yet.
    pub(crate) to_send: u64,
    /// The node that it is for.
    pub(crate) node: u32,
    /// Bytes that have not arrived yet.
    pub(crate) to_arrive: u64,
    /// The next in the NIC's queue, later in the channel's list of unexpected or held messages.
    pub(crate) next: u32,
    /// The unexpected message of the same rank that arrived before this one.
    pub(crate) earlier: u32,
    /// The unexpected message of the same rank that arrived after this one.
    pub(crate) later: u32,
}

impl Message {
    pub(crate) fn new(header: Header, created: Time, control_bytes: u32) -> Self {
        let bytes = header.wire_bytes(control_bytes);
        Self {
            header,
            created,
            to_send: bytes,
            node: NONE,
            to_arrive: bytes,
            next: NONE,
            earlier: NONE,
            later: NONE,
        }
    }
}

impl Linked for Message {
    #[inline]
    fn next(&self) -> u32 {
        self.next
    }
    #[inline]
    fn set_next(&mut self, next: u32) {
        self.next = next;
    }
}
