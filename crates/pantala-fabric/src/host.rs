//! [`Host`]: the ranks and generators behind NICs, as the fabric sees them.

use pantala_engine::Time;

/// A packet that a host hands to its NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketOffer {
    /// Destination NIC.
    pub destination: u32,
    /// Payload in bytes, from 1 to the plan's packet size. It occupies whole flits.
    pub bytes: u32,
    /// Creation time in ps: the generator's clock, or the time at which its message was posted.
    pub created: Time,
    /// The host's handle of the message. The fabric does not read it.
    pub message: u32,
    /// A number of the host for the packet. The fabric does not read it.
    pub number: u32,
    /// The job that the packet belongs to.
    pub job: u16,
    /// The traffic class. A plan can have a routing for each class.
    pub class: TrafficClass,
}

/// A class of traffic. A plan can have a routing for each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum TrafficClass {
    /// All other traffic.
    #[default]
    PointToPoint = 0,
    /// All-to-all collectives.
    AllToAll = 1,
}

impl TrafficClass {
    /// The number of classes.
    pub const COUNT: usize = 2;
}

/// A host's answer when its NIC can send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pull {
    /// Send this packet now.
    Packet(PacketOffer),
    /// Nothing yet. The NIC asks again at this time, which is later than now.
    Later(Time),
    /// Nothing until the host sets [`Wakes::nic`].
    Idle,
}

/// A packet whose tail has arrived at its destination NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Source NIC.
    pub source: u32,
    /// Payload in bytes.
    pub bytes: u32,
    /// The value of [`PacketOffer::created`].
    pub created: Time,
    /// The value of [`PacketOffer::message`].
    pub message: u32,
    /// The value of [`PacketOffer::number`].
    pub number: u32,
    /// The value of [`PacketOffer::job`].
    pub job: u16,
}

/// The message of a packet, for records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageLabel {
    /// The number of the message.
    pub number: u64,
    /// The rank that sent the packet.
    pub source: u32,
    /// The rank that receives it.
    pub destination: u32,
}

/// The requests of a host after an event, for the NIC of that event only.
#[derive(Clone, Debug, Default)]
pub struct Wakes {
    /// Whether the host has something to send, so that the NIC must pull.
    pub nic: bool,
    /// The times at which the fabric calls [`Host::timer`]. None is before now.
    pub timers: Vec<Time>,
}

/// All hosts of a partition.
///
/// A call for one NIC may change that NIC's state only. Otherwise results would depend on the
/// number of partitions. Calls come in order of time. At one time a NIC's deliveries come before
/// its timers, and its timers before its NIC pulls.
pub trait Host {
    /// A message from the hosts of one partition to the hosts of another.
    type Message: Send;
    /// Starts a NIC: asks for its first packet and its timers. The fabric calls it once per NIC at
    /// time zero, and again if the owner of the network asks for it.
    fn start(&mut self, terminal: u32, wakes: &mut Wakes);
    /// Returns the next packet of `terminal`, if it has one. The fabric calls it when the NIC's
    /// injection link is free. The host puts further requests into `wakes`, for example after the
    /// last packet of a message.
    fn pull(&mut self, terminal: u32, now: Time, wakes: &mut Wakes) -> Pull;
    /// Returns the earliest time at which `terminal` can have its next packet. The fabric calls it
    /// after the link has taken a packet and pulls then. A time in the past means "as soon as the
    /// link is free". The time is a hint that saves events.
    #[inline]
    fn next_at(&self, _terminal: u32) -> Time {
        0
    }
    /// Takes a packet that has arrived at `terminal`.
    fn deliver(&mut self, terminal: u32, packet: &Delivery, now: Time, wakes: &mut Wakes);
    /// Returns the message of a packet that has arrived at `terminal`; `None` if it has none. The
    /// fabric calls it before [`deliver`](Self::deliver).
    fn message_of(&self, _terminal: u32, _packet: &Delivery) -> Option<MessageLabel> {
        None
    }
    /// Handles a timer that `terminal` asked for.
    fn timer(&mut self, terminal: u32, now: Time, wakes: &mut Wakes);
    /// Appends the messages for the hosts of another partition. A message about a
    /// send must be there before the first packet of the send.
    fn send_messages(&mut self, _partition: u16, _messages: &mut Vec<Self::Message>) {}
    /// Takes a message from the hosts of another partition.
    fn receive_message(&mut self, _partition: u16, _message: Self::Message) {}
}
