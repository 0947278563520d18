//! Messages and their transmissions on the wire.

use pantala_engine::Time;
use pantala_engine::random::mix;
use pantala_fabric::TrafficClass;

use crate::arena::{Linked, NONE};
use crate::collectives::kind::CollectiveKind;
use crate::config::MpiConfig;
use serde::{Deserialize, Serialize};

/// The role of one transmission of a message.
///
/// An eager message is one transmission. A rendezvous message is four: the sender sends a request
/// to send; when a receive matches, the receiver sends a get; the sender sends the data; the
/// receiver sends an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TransmissionKind {
    /// Payload of an eager message: source to destination.
    Eager,
    /// Envelope of a rendezvous message: source to destination.
    RequestToSend,
    /// Request for the payload, after a receive has matched: destination to source.
    Get,
    /// Payload of a rendezvous message: source to destination.
    Data,
    /// Acknowledgement of the payload: destination to source.
    Acknowledge,
}

/// The protocol of a message's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Protocol {
    /// The sender sends at once: up to the threshold.
    Eager,
    /// The sender first asks the receiver.
    Rendezvous,
}

impl Protocol {
    /// The protocol's name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Eager => "eager",
            Self::Rendezvous => "rendezvous",
        }
    }
}

/// The collective call to which a message belongs. It must be equal on all ranks of the
/// communicator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectiveInstance {
    /// Number of collectives called on the communicator before this one.
    pub number: u32,
    /// The root; 0 if there is none.
    pub root: u32,
}

/// All that the receiver must know of a message. It has no references, so that it can travel to
/// another partition.
///
/// One header serves a message from the send call to the acknowledgement. Only `kind`,
/// `target` and `unexpected` change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Time of the send call, in ps.
    pub posted: Time,
    /// Payload bytes.
    pub bytes: u64,
    /// The sending rank of the job.
    pub source: u32,
    /// The receiving rank of the job.
    pub destination: u32,
    /// The context on the wire: even for messages of programs, odd for messages of collectives.
    pub context: u32,
    /// The tag.
    pub tag: i32,
    /// The message's number among the messages of the same source, destination and context.
    pub sequence: u32,
    /// The collective of the message. Meaningless outside collectives.
    pub instance: CollectiveInstance,
    /// The value that goes along with a message of a collective; 0 if there is none.
    pub value: u64,
    /// The sender's handle of its pending send.
    pub(crate) origin: u32,
    /// The receiver's handle of the matched receive.
    pub(crate) target: u32,
    /// The job's number in the plan.
    pub job: u16,
    /// The role of the present transmission.
    pub kind: TransmissionKind,
    /// Whether no posted receive accepted the message when it arrived, if that is recorded.
    pub(crate) unexpected: bool,
}

impl Header {
    /// The traffic class of the message.
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

    /// Whether the message belongs to a collective. Its context is odd then, and its tag gives the
    /// kind.
    #[inline]
    pub(crate) const fn is_collective(&self) -> bool {
        self.context % 2 == 1
    }

    /// Returns the number of the message in tables: a 64-bit hash of all that identifies it in its
    /// job. It is the same for all transmissions of the message.
    pub(crate) fn number(&self) -> u64 {
        let ranks = u64::from(self.source) << 32 | u64::from(self.destination);
        let place = u64::from(self.context) << 32 | u64::from(self.sequence);
        mix(mix(ranks) ^ place)
    }

    /// The rank that sends the transmission.
    #[inline]
    pub(crate) const fn transmitter(&self) -> u32 {
        match self.kind {
            TransmissionKind::Eager | TransmissionKind::RequestToSend | TransmissionKind::Data => {
                self.source
            }
            TransmissionKind::Get | TransmissionKind::Acknowledge => self.destination,
        }
    }

    /// The rank that receives the transmission.
    #[inline]
    pub(crate) const fn addressee(&self) -> u32 {
        match self.kind {
            TransmissionKind::Eager | TransmissionKind::RequestToSend | TransmissionKind::Data => {
                self.destination
            }
            TransmissionKind::Get | TransmissionKind::Acknowledge => self.source,
        }
    }

    /// Payload in the transmission.
    #[inline]
    pub(crate) const fn payload(&self) -> u64 {
        match self.kind {
            TransmissionKind::Eager | TransmissionKind::Data => self.bytes,
            TransmissionKind::RequestToSend
            | TransmissionKind::Get
            | TransmissionKind::Acknowledge => 0,
        }
    }

    /// Bytes on the wire.
    #[inline]
    pub(crate) fn wire_bytes(&self, config: &MpiConfig) -> u64 {
        transmission_bytes(self.kind, self.bytes, config)
    }
}

/// Bytes on the wire of a transmission of a message of `bytes`: a header and the payload, or the
/// size of a control message.
#[inline]
pub(crate) fn transmission_bytes(kind: TransmissionKind, bytes: u64, config: &MpiConfig) -> u64 {
    let size = match kind {
        TransmissionKind::Eager => bytes.saturating_add(config.eager_header_bytes.into()),
        TransmissionKind::Data => bytes.saturating_add(config.data_header_bytes.into()),
        TransmissionKind::RequestToSend => 0,
        TransmissionKind::Get => config.get_bytes.into(),
        TransmissionKind::Acknowledge => config.acknowledgement_bytes.into(),
    };
    if size > 0 { size } else { config.control_bytes.into() }
}

/// A transmission: in a NIC's queue, on its way, or arrived and not yet matched.
///
/// `created`, `to_send` and `nic` belong to the sending side. The other fields belong to the
/// receiving side while the transmission is on its way. So each partition needs only its own half.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    pub(crate) header: Header,
    /// Time at which the host hands the transmission to its NIC: the creation time of its packets.
    /// For a delayed arrival, the time at which it is ready.
    pub(crate) created: Time,
    /// Bytes that the NIC has not sent yet.
    pub(crate) to_send: u64,
    /// The destination NIC.
    pub(crate) nic: u32,
    /// Bytes that have not arrived yet.
    pub(crate) to_arrive: u64,
    /// The time at which the NIC has matched the first packet.
    pub(crate) nic_matched: Time,
    /// The next transmission in the NIC's queue; later, the next in the channel's list of
    /// unexpected or held messages.
    pub(crate) next: u32,
    /// The unexpected message of the same rank that arrived before this one.
    pub(crate) earlier: u32,
    /// The unexpected message of the same rank that arrived after this one.
    pub(crate) later: u32,
}

impl Message {
    pub(crate) fn new(header: Header, created: Time, config: &MpiConfig) -> Self {
        let bytes = header.wire_bytes(config);
        Self {
            header,
            created,
            to_send: bytes,
            nic: NONE,
            to_arrive: bytes,
            nic_matched: 0,
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
