//! The state of ports and NICs: plain data, one record a port or VC, indexed by `router * ports + port`.

use crate::host::PacketOffer;
use crate::packet::Queue;
use crate::pending::Account;
use pantala_engine::{NEVER, Stream, Time};

/// An input port of a router.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InPort {
    /// Until when the crossbar is occupied by a packet from here.
    pub(crate) busy_until: Time,
    /// Delay of a credit from here to the sender.
    pub(crate) credit_delay: Time,
    /// Who sends here: an output port, or (terminal) a node.
    pub(crate) upstream: u32,
    /// The router.
    pub(crate) router: u32,
    /// Whether a NIC sends here.
    pub(crate) terminal: bool,
}

/// An output port of a router and the link behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutPort {
    /// From when on the link can take a packet.
    pub(crate) link_free: Time,
    /// From when on the crossbar can bring a packet.
    pub(crate) crossbar_free: Time,
    /// When the link's next decision is scheduled; [`NEVER`]: not.
    pub(crate) wake: Time,
    /// When the crossbar's next arbitration is scheduled; [`NEVER`]: not.
    pub(crate) crossbar_wake: Time,
    /// Since when a packet has been ready and none could go for want of credit; [`NEVER`]: not now.
    pub(crate) stalled_since: Time,
    /// Serialisation of one flit.
    pub(crate) flit: Time,
    /// From the link's start to the stage behind it: propagation and the router parts on the way.
    pub(crate) reach: Time,
    /// Delay of the far end's credits; used for nodes, which give them back at once.
    pub(crate) credit_delay: Time,
    /// Where the link goes: an input port, or (ejection) a node.
    pub(crate) target: u32,
    /// Packets in the output buffer, all VCs.
    pub(crate) queued: u16,
    /// VCs (bits) whose head waits for a credit that is not on its way yet.
    pub(crate) credit_wait: u16,
    /// Where the crossbar's round-robin goes on.
    pub(crate) next_input: u16,
    /// Where the link's round-robin goes on.
    pub(crate) next_vc: u8,
    /// Whether the link ends at a node.
    pub(crate) ejection: bool,
    /// Whether the port is in the list of those to arbitrate now.
    pub(crate) dirty: bool,
    /// Whether anything is behind the port.
    pub(crate) connected: bool,
}

/// A VC of an output port: what is in the output buffer, and what room there is here and behind the link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutVc {
    /// Credits: room in the input buffer behind the link.
    pub(crate) credits: Account,
    /// Room in the output buffer.
    pub(crate) space: Account,
    /// The output buffer.
    pub(crate) queue: Queue,
    /// Flits in `queue`.
    pub(crate) unsent: i32,
    /// Whether a packet waits at the crossbar for room that nobody has promised yet.
    pub(crate) space_wait: bool,
}

/// A NIC: the injection link and its credits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nic {
    pub(crate) link_free: Time,
    pub(crate) wake: Time,
    pub(crate) credits: Account,
    pub(crate) target: u32,
    /// Whether `offer` waits for a credit that is not on its way yet.
    pub(crate) credit_wait: bool,
    /// A packet that the host has handed over and that lacks credit.
    pub(crate) offer: Option<PacketOffer>,
    /// The routing's draws for packets of this node.
    pub(crate) draws: Stream,
    /// Since when `offer` has been stalled.
    pub(crate) stalled_since: Time,
    /// Packets sent so far.
    pub(crate) sent: u64,
}

impl OutPort {
    /// A port with nothing behind it.
    pub(crate) const UNCONNECTED: Self = Self {
        link_free: 0,
        crossbar_free: 0,
        wake: NEVER,
        crossbar_wake: NEVER,
        stalled_since: NEVER,
        flit: 1,
        reach: 0,
        credit_delay: 0,
        target: u32::MAX,
        queued: 0,
        credit_wait: 0,
        next_input: 0,
        next_vc: 0,
        ejection: false,
        dirty: false,
        connected: false,
    };
}

/// What a link has carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounters {
    /// Packets started.
    pub packets: u64,
    /// Their payload.
    pub bytes: u64,
    /// Flits started.
    pub flits: u64,
    /// Time during which a packet was ready, the link idle, and no packet could go for want of credit.
    pub stall: Time,
}
