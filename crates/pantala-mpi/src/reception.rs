//! The buffers of a rank for short messages, and what its NIC receives.

use std::collections::VecDeque;

use pantala_engine::Time;
use pantala_fabric::Delivery;

use crate::packet_order::PacketOrder;

/// The buffers of one rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShortBuffers {
    /// Buffers that no message has taken.
    pub(crate) free: u32,
    /// Buffers that are posted: free ones, and those of messages that are arriving.
    pub(crate) posted: u32,
    /// Messages whose first packet finds no buffer and is still being matched.
    pub(crate) deciding: u32,
    /// Extra buffers, and messages through memory, that later receives pay back.
    pub(crate) owed: u32,
    pub(crate) through_memory: u32,
    /// Requests for an extra buffer that the host has not answered.
    pub(crate) requests: u32,
    /// The first packets of the messages that wait for a buffer, oldest first.
    pub(crate) blocked: VecDeque<Delivery>,
}

/// A sending rank of a job and a receiving one.
pub(crate) type Pair = (u16, u32, u32);

/// What a NIC receives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reception {
    pub(crate) order: PacketOrder,
    /// Packets in their order that the NIC has not taken in.
    pub(crate) outside: VecDeque<Delivery>,
    /// Pairs with a message of several packets that is not complete, or with packets that wait.
    pub(crate) streams: Vec<Stream>,
    /// Messages that are arriving or wait for a buffer.
    pub(crate) open: u32,
    /// First packets that are being matched and have no buffer so far, and until when.
    pub(crate) deciding: Vec<(Time, Delivery)>,
    /// Packets in the NIC behind a message that waits for a buffer. Those that wait until another
    /// message is complete do not count: they must not keep out the packets that complete it.
    pub(crate) held: u32,
    /// Whether packets are passing on now. A change meanwhile is seen before they end.
    pub(crate) passing: bool,
}

/// The number of the next packet from a NIC to a destination, if packets are numbered.
#[inline]
pub(crate) fn packet_number(receptions: &mut [Reception], nic: usize, destination: u32) -> u32 {
    receptions.get_mut(nic).map_or(0, |reception| reception.order.number(destination))
}

/// The packets of one pair in a NIC.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) pair: Pair,
    /// The message of several packets that is not complete.
    pub(crate) current: Option<u32>,
    /// Whether that message waits for a buffer.
    pub(crate) blocked: bool,
    pub(crate) waiting: VecDeque<Delivery>,
}

impl Stream {
    pub(crate) const fn new(pair: Pair) -> Self {
        Self { pair, current: None, blocked: false, waiting: VecDeque::new() }
    }
}
