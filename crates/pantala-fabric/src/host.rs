//! What sits behind a NIC: the fabric's only view of ranks and generators.

use pantala_engine::Time;

/// A packet that a host hands to its NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketOffer {
    /// Destination node; never the node itself unless a pattern includes itself.
    pub destination: u32,
    /// Payload, at least 1 and at most the plan's packet size; it occupies whole flits.
    pub bytes: u32,
    /// When the packet came to be: the generator's clock, or when its message was posted.
    pub created: Time,
    /// The host's own handle of the message; the fabric only carries it.
    pub message: u32,
    /// The job that pays for the packet.
    pub job: u16,
    /// What kind of communication it belongs to: a plan may route them differently.
    pub class: TrafficClass,
}

/// Kinds of communication that may be routed differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum TrafficClass {
    /// Everything but what follows.
    #[default]
    PointToPoint = 0,
    /// All-to-all collectives.
    AllToAll = 1,
}

impl TrafficClass {
    /// How many there are.
    pub const COUNT: usize = 2;
}

/// What a host answers when its NIC could send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pull {
    /// Send this now.
    Packet(PacketOffer),
    /// Nothing yet; ask again at this time (later than now).
    Later(Time),
    /// Nothing until a reaction says so ([`Wakes::nic`]).
    Idle,
}

/// A packet that has arrived, tail and all, at its destination NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The node that sent it.
    pub source: u32,
    /// Payload bytes.
    pub bytes: u32,
    /// As in the offer.
    pub created: Time,
    /// As in the offer.
    pub message: u32,
    /// As in the offer.
    pub job: u16,
}

/// What a host wants after an event, for the node of that event only.
#[derive(Clone, Debug, Default)]
pub struct Wakes {
    /// There is something to send: the NIC shall pull.
    pub nic: bool,
    /// Call [`Host::timer`] at these times (each not before now; may be now).
    pub timers: Vec<Time>,
}

/// All the hosts of a simulation (or of one partition of it).
///
/// A call for one node may change that node's state only: that is what makes results independent of
/// partitions. Calls come in order of time; at one time a node's deliveries come before its timers,
/// and both before its NIC pulls.
pub trait Host {
    /// What the hosts of one part of a machine tell those of another.
    type Message: Send;
    /// Called once for every node at time zero.
    fn start(&mut self, node: u32, wakes: &mut Wakes);
    /// The NIC's injection link is free: the next packet of `node`, if there is one. What the host
    /// does in consequence (a send that completes with its last packet, say) goes into `wakes`.
    fn pull(&mut self, node: u32, now: Time, wakes: &mut Wakes) -> Pull;
    /// The earliest time at which `node` could have its next packet, asked right after the link has
    /// taken one: the NIC's next pull is then. A hint that saves events; a time that is past means
    /// "as soon as the link is free".
    #[inline]
    fn next_at(&self, _node: u32) -> Time {
        0
    }
    /// A packet has arrived at `node`.
    fn deliver(&mut self, node: u32, packet: &Delivery, now: Time, wakes: &mut Wakes);
    /// A time that `node` had asked for.
    fn timer(&mut self, node: u32, now: Time, wakes: &mut Wakes);
    /// Moves what the hosts of `part` must hear to the end of `mail`. What is said of a message is
    /// there before the first of its packets.
    fn send_messages(&mut self, _part: u16, _mail: &mut Vec<Self::Message>) {}
    /// Hears what the hosts of `part` say.
    fn receive_message(&mut self, _part: u16, _mail: Self::Message) {}
}
